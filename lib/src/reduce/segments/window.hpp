// Rows of a source in memory: what lies between two places along its slowest axis. Private to the API.
#pragma once

#include <cstddef>
#include <cstdint>

#include "host/aligned_bytes.hpp"
#include "host/shape/nest.hpp"
#include "multifold/source.hpp"

namespace multifold::inline v0_1::detail {

class source_window {
 public:
  /// A row has `row` elements.
  source_window(source& from, std::int64_t row) : from_(from), row_(row) {}

  /// Reads rows, by several threads where the source has random access; else what is before them is skipped.
  /// Throws: unsupported_error if rows of a source without random access have gone by; out_of_memory.
  void load(host::interval rows, int threads);
  /// The first byte of what was loaded last.
  const std::byte* data() const { return memory_.get(); }

  /// Skips what is before row `row`, as `load` does; `rows` rows from there on are then read by others.
  void hand_over(std::int64_t row, std::int64_t rows);

 private:
  void skip_to(std::int64_t row);

  source& from_;
  const std::int64_t row_;
  std::int64_t position_ = 0;  // where a source without random access stands
  std::int64_t room_ = 0;      // bytes
  host::aligned_bytes memory_;
};

}  // namespace multifold::inline v0_1::detail
