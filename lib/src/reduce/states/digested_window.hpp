// A range of a source as a source of its own, which digests what is read of it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <span>
#include <string>

#include "multifold/source.hpp"
#include "reduce/states/element_digest.hpp"

namespace multifold::inline v0_1::detail {

/// The elements [first, first + count) of `whole`, which has random access, in memory order as one axis. `first` is at
/// the start of a block of the digest, and the end is there, too, or at that of the array.
class digested_window final : public source {
 public:
  digested_window(source& whole, std::int64_t first, std::int64_t count)
      : whole_(whole), first_(first), count_(count), layout_{whole.layout().type, {count}, false} {}

  const std::string& name() const noexcept override { return whole_.name(); }
  const array_layout& layout() const noexcept override { return layout_; }
  bool random_access() const noexcept override { return true; }

  std::int64_t read(std::int64_t first, std::span<std::byte> chunk) override {
    const std::int64_t item = item_bytes(layout_.type);
    const std::int64_t rest = std::max<std::int64_t>(count_ - first, 0) * item;
    chunk = chunk.first(std::min(chunk.size(), static_cast<std::size_t>(rest)));
    const std::int64_t got = whole_.read(first_ + first, chunk);
    const std::int64_t start = (first_ + first) * item, bytes = got * item;
    const bool whole_blocks = bytes % digest_block_bytes == 0 || first + got == count_;
    if (start % digest_block_bytes != 0 || !whole_blocks) return got;
    const element_digest more = digest_of(start / digest_block_bytes, chunk.first(static_cast<std::size_t>(bytes)));
    const std::lock_guard lock(adding_);
    digest_ += more;
    digested_ += got;
    return got;
  }

  /// Of all elements, when all of them have been read. Those that came in parts of blocks, or twice, are read again.
  element_digest digest(const digest_options& options) {
    if (digested_ == count_) return digest_;
    return digest_again(whole_, first_, count_, options);
  }

 private:
  source& whole_;
  std::int64_t first_;
  std::int64_t count_;
  array_layout layout_;
  std::mutex adding_;
  element_digest digest_;
  std::int64_t digested_ = 0;  // elements
};

}  // namespace multifold::inline v0_1::detail
