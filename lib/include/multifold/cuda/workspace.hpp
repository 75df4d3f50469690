// The caller's workspace, cut into pieces in the order in which passes need them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "multifold/error.hpp"
#include "multifold/plan.hpp"

namespace multifold::cuda {

/// Hands out pieces of device memory, each aligned to 256 bytes. The first 256 bytes are the status word's.
class workspace_cursor {
 public:
  /// Throws: shape_error if `space` is too small for `p` or not aligned to 256 bytes.
  workspace_cursor(const plan& p, std::span<std::byte> space) : space_(space) {
    if (static_cast<std::int64_t>(space.size()) < p.workspace_bytes()) {
      throw shape_error("the plan needs a workspace of " + std::to_string(p.workspace_bytes()) + " bytes, and " +
                        std::to_string(space.size()) + " were given");
    }
    if (reinterpret_cast<std::uintptr_t>(space.data()) % 256 != 0) {
      throw shape_error("the workspace is not aligned to 256 bytes");
    }
    status_ = take<std::uint32_t>(1);
  }

  std::uint32_t* status() const noexcept { return status_; }

  template <class T>
  T* take(std::int64_t count) {
    std::byte* piece = space_.data();
    space_ = space_.subspan((static_cast<std::size_t>(count) * sizeof(T) + 255) / 256 * 256);
    return reinterpret_cast<T*>(piece);
  }

 private:
  std::span<std::byte> space_;
  std::uint32_t* status_;
};

}  // namespace multifold::cuda
