// Reading elements: where they are in the file, and whether the file holds as many as its shape says.
#include "io/file_source.hpp"

#include <algorithm>
#include <limits>

#include "io/formats/byte_order.hpp"
#include "io/message.hpp"
#include "multifold/array.hpp"
#include "multifold/error.hpp"

namespace multifold::inline v0_1::io {

// Swapped in blocks that are still in the cache from being read: one trip through memory, not two.
constexpr std::size_t swapped_block_bytes = 256 << 10;

file_source::file_source(input in, array_layout layout, std::int64_t data_byte, bool other_byte_order)
    : in_(std::move(in)),
      layout_(std::move(layout)),
      data_byte_(data_byte),
      item_(item_bytes(layout_.type)),
      swap_(other_byte_order) {
  if (has_unknown_length(layout_)) return;
  count_ = element_count(layout_.extents);
  if (count_ > (std::numeric_limits<std::int64_t>::max() - data_byte_) / item_) {
    throw shape_error(describe(layout_) + " has more than 2^63 - 1 bytes");
  }
  if (in_.size()) check_size();
  if (count_ == 0) expect_end();
}

void file_source::check_size() const {
  const std::int64_t there = std::max<std::int64_t>(*in_.size() - data_byte_, 0);
  const std::int64_t needed = count_ * item_;
  if (there == needed || (there > needed && !in_.has_end())) return;
  throw format_error(at(in_.label(), data_byte_ + std::min(there, needed)) + "found " + bytes_text(there) +
                     " of data from byte " + std::to_string(data_byte_) + " to the end; expected " +
                     std::to_string(needed) + ", for " + describe(layout_));
}

std::int64_t file_source::read(std::int64_t first, std::span<std::byte> chunk) {
  if (first < 0) throw shape_error(in_.label() + ": element " + std::to_string(first) + " was asked for");
  std::int64_t wanted = static_cast<std::int64_t>(chunk.size()) / item_;
  if (count_ != unknown_count) wanted = std::min(wanted, std::max<std::int64_t>(count_ - first, 0));
  if (wanted == 0) return 0;

  const std::int64_t byte = data_byte_ + first * item_;
  const auto bytes = static_cast<std::size_t>(wanted * item_);
  const std::size_t got = fill(byte, chunk.first(bytes));
  if (got < bytes) {
    if (count_ == unknown_count) return end_of_stream(first, got);
    ended_early(byte + static_cast<std::int64_t>(got));
  }
  if (first + wanted == count_) expect_end();
  return wanted;
}

std::string file_source::identity() const {
  const std::string file = in_.identity();
  if (file.empty()) return file;
  return file + " from " + std::to_string(data_byte_) + (swap_ ? ", swapped, " : ", ") + describe(layout_);
}

std::size_t file_source::fill(std::int64_t byte, std::span<std::byte> chunk) {
  if (!swap_) return in_.read(byte, chunk);
  std::size_t done = 0;
  while (done < chunk.size()) {
    const auto block = chunk.subspan(done, std::min(chunk.size() - done, swapped_block_bytes));
    const std::size_t got = in_.read(byte + static_cast<std::int64_t>(done), block);
    swap_bytes(block.first(got), item_);
    done += got;
    if (got < block.size()) break;
  }
  return done;
}

std::int64_t file_source::end_of_stream(std::int64_t first, std::size_t bytes_read) {
  const auto bytes = static_cast<std::int64_t>(bytes_read);
  const std::int64_t end = data_byte_ + first * item_ + bytes;
  const std::string type(multifold::name(layout_.type));
  if (bytes % item_ != 0) {
    throw format_error(at(in_.label(), end) + "the data end " + bytes_text(bytes % item_) +
                       " into an element; expected a multiple of " + std::to_string(item_) + ", for " + type);
  }
  count_ = first + bytes / item_;
  layout_.extents[0] = count_;
  if (count_ == 0) throw format_error(at(in_.label(), end) + "found no data; expected elements of " + type);
  return bytes / item_;
}

// A file's size was compared before; only a pipe can still have more to say.
void file_source::expect_end() {
  if (in_.random_access() || !in_.has_end()) return;
  const std::int64_t end = data_byte_ + count_ * item_;
  std::byte more{};
  if (in_.read(end, std::span(&more, 1)) != 0) {
    throw format_error(at(in_.label(), end) + "the data go on; expected their end after " + describe(layout_));
  }
}

void file_source::ended_early(std::int64_t byte) const {
  const std::string expected = std::to_string(data_byte_ + count_ * item_) + " bytes, for " + describe(layout_);
  if (in_.size()) {
    throw format_error(at(in_.label(), byte) + "the file has shrunk since it was opened; expected " + expected);
  }
  throw format_error(at(in_.label(), byte) + "the data end; expected " + expected);
}

}  // namespace multifold::inline v0_1::io
