// A dense array that lies contiguously in a file or comes out of a pipe; which format said so is forgotten here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "io/files/input.hpp"
#include "io/unknown_count.hpp"
#include "multifold/source.hpp"

namespace multifold::inline v0_1::io {

class file_source final : public source {
 public:
  /// The elements of `layout` start at byte `data_byte` of `in` and go on to its end; one extent of -1 where that end
  /// is not known. Throws: format_error where shape and size disagree, as far as that can be seen without reading.
  file_source(input in, array_layout layout, std::int64_t data_byte, bool other_byte_order);

  const std::string& name() const noexcept override { return in_.name(); }
  const array_layout& layout() const noexcept override { return layout_; }
  bool random_access() const noexcept override { return in_.random_access(); }
  std::int64_t read(std::int64_t first, std::span<std::byte> chunk) override;
  std::string identity() const override;

 private:
  std::size_t fill(std::int64_t byte, std::span<std::byte> chunk);
  std::int64_t end_of_stream(std::int64_t first, std::size_t bytes_read);
  void check_size() const;
  void expect_end();
  [[noreturn]] void ended_early(std::int64_t byte) const;

  input in_;
  array_layout layout_;
  std::int64_t data_byte_;
  std::int64_t item_;
  std::int64_t count_ = unknown_count;
  bool swap_;
};

}  // namespace multifold::inline v0_1::io
