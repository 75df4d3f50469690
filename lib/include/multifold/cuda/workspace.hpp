// The caller's workspace, cut into pieces in the order in which passes need them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "multifold/error.hpp"
#include "multifold/plan.hpp"

namespace multifold::cuda {

/// Hands out pieces of device memory, each aligned to 256 bytes, and none that ends behind the workspace. The first 256
/// bytes are the status word's, and results that wait come next.
class workspace_cursor {
 public:
  /// Throws: shape_error if `space` is too small for `p` or not aligned to 256 bytes.
  workspace_cursor(const plan& p, std::span<std::byte> space) : space_(space) {
    if (static_cast<std::int64_t>(space.size()) < p.workspace_bytes()) {
      throw shape_error("the plan needs a workspace of " + std::to_string(p.workspace_bytes()) + " bytes, and " +
                        std::to_string(space.size()) + " were given");
    }
    if (space.data() == nullptr && p.workspace_bytes() > 0)
      throw shape_error("the workspace has no address: a null pointer was given");
    if (reinterpret_cast<std::uintptr_t>(space.data()) % 256 != 0) {
      throw shape_error("the workspace is not aligned to 256 bytes");
    }
    space_ = space.first(static_cast<std::size_t>(p.workspace_bytes()));  // so that a plan that says too little shows
    status_ = take<std::uint32_t>(1);
    if (p.waiting_bytes > 0) waiting_ = take<std::byte>(p.form.results() * p.waiting_bytes);
  }

  std::uint32_t* status() const noexcept { return status_; }
  /// Room for results in the order of their batches; null where the plan has none that wait.
  void* waiting_results() const noexcept { return waiting_; }

  /// Throws: shape_error if the workspace ends before: its plan was made for another operation, or changed.
  template <class T>
  T* take(std::int64_t count) {
    const std::size_t bytes = static_cast<std::size_t>(count) * sizeof(T);
    if (bytes > space_.size()) {
      throw shape_error("the kernels of this plan need " + std::to_string(bytes) + " bytes where " +
                        std::to_string(space_.size()) +
                        " are left of the workspace: the plan was made for another operation, or was changed");
    }
    std::byte* piece = space_.data();
    space_ = space_.subspan(std::min(space_.size(), (bytes + 255) / 256 * 256));
    return reinterpret_cast<T*>(piece);
  }

 private:
  std::span<std::byte> space_;
  std::uint32_t* status_;
  std::byte* waiting_ = nullptr;
};

}  // namespace multifold::cuda
