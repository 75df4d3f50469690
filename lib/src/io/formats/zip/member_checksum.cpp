// Ranges with their CRC-32s, which grow together.
#include "io/formats/zip/member_checksum.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#include "io/formats/zip/crc32.hpp"
#include "io/message.hpp"
#include "multifold/error.hpp"

namespace multifold::inline v0_1::io {
namespace {

std::string text(std::uint32_t crc) {
  std::array<std::byte, 4> bytes;
  for (std::size_t i = 0; i < 4; ++i) bytes[i] = static_cast<std::byte>(crc >> (24 - 8 * i));
  return hex(bytes);
}

}  // namespace

void member_checksum::add(std::int64_t first, std::span<const std::byte> bytes, const std::string& label) {
  const auto length = [](interval part) { return static_cast<std::size_t>(part.second - part.first); };
  while (verdict_ == verdict::open) {
    const interval gap = first_gap(first, first + static_cast<std::int64_t>(bytes.size()));
    if (length(gap) == 0) break;
    fill(gap, crc32(bytes.subspan(length({first, gap.first}), length(gap))));
  }
  if (verdict_ == verdict::wrong) refuse(label);
}

// Of [first, end), what has not been read before; empty if all has.
member_checksum::interval member_checksum::first_gap(std::int64_t first, std::int64_t end) {
  const std::lock_guard lock(changing_);
  auto next = ranges_.upper_bound(first);
  if (next != ranges_.begin()) first = std::max(first, std::prev(next)->second.end);
  if (next != ranges_.end()) end = std::min(end, next->first);
  return {first, std::max(first, end)};
}

void member_checksum::fill(interval gap, std::uint32_t crc) {
  const std::lock_guard lock(changing_);
  auto next = ranges_.lower_bound(gap.first);
  // Another thread may have read the same meanwhile.
  if (next != ranges_.end() && next->first < gap.second) return;
  if (next != ranges_.begin() && std::prev(next)->second.end > gap.first) return;
  if (next != ranges_.end() && next->first == gap.second) {
    crc = joined_crc32(crc, next->second.crc, static_cast<std::uint64_t>(next->second.end - next->first));
    gap.second = next->second.end;
    next = ranges_.erase(next);
  }
  if (next != ranges_.begin() && std::prev(next)->second.end == gap.first) {
    range& before = std::prev(next)->second;
    before.crc = joined_crc32(before.crc, crc, static_cast<std::uint64_t>(gap.second - gap.first));
    before.end = gap.second;
  } else {
    next = ranges_.emplace_hint(next, gap.first, range{gap.second, crc});
  }
  const auto& [first, whole] = *ranges_.begin();
  if (first != 0 || whole.end != bytes_) return;
  found_ = whole.crc;
  verdict_ = found_ == expected_ ? verdict::right : verdict::wrong;
}

void member_checksum::refuse(const std::string& label) const {
  throw format_error(label + ": found the CRC-32 " + text(found_) + " of " + what_ + "; expected " + text(expected_) +
                     ", as the archive says: it is damaged");
}

}  // namespace multifold::inline v0_1::io
