// A counting sort, copies of a few elements each, and results that are put in their places.
#include "host/segments/rows.hpp"

#include <algorithm>
#include <cstring>

namespace multifold::inline v0_1::host {
namespace {

template <class Word>
void scatter_words(const std::byte* from, std::span<const std::uint32_t> places, std::byte* out, std::int64_t step) {
  for (const std::uint32_t place : places) {
    std::memcpy(out + place * step, from, sizeof(Word));
    from += sizeof(Word);
  }
}

void scatter(std::int64_t item, const std::byte* from, std::span<const std::uint32_t> places, std::byte* out,
             std::int64_t step) {
  if (item == 4) return scatter_words<std::uint32_t>(from, places, out, step);
  if (item == 8) return scatter_words<std::uint64_t>(from, places, out, step);
  for (const std::uint32_t place : places) {
    std::memcpy(out + place * step, from, static_cast<std::size_t>(item));
    from += item;
  }
}

// Copies are whole blocks as long as there is something to read behind an element.
constexpr std::int64_t block_bytes = 16;

}  // namespace

segment_rows::segment_rows(const fold& f, const reduction& what, const batches& form, std::int64_t most)
    : fold_(f),
      what_(what),
      extent_(form.length),
      offset_(form.offset),
      item_(f.item),
      result_(result_bytes(what)),
      order_(static_cast<std::size_t>(most)),
      counts_(static_cast<std::size_t>(most)),
      acc_(allocate_accumulators(most, f.acc_bytes())),
      results_(allocate_accumulators(most, result_)),
      tile_(allocate_accumulators(2 * tile_elements + block_bytes, item_)) {}

void segment_rows::take(std::span<const interval> segments) {
  taken_ = segments;
  const auto kind_of = [](const interval& s) { return std::min(s.end - s.begin, longest + 1); };
  std::fill(std::begin(first_), std::end(first_), 0);
  for (const interval& s : segments) ++first_[kind_of(s) + 1];
  for (std::int64_t kind = 1; kind < longest + 3; ++kind) first_[kind] += first_[kind - 1];
  std::int64_t next[longest + 2];
  std::copy_n(first_, longest + 2, next);
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const auto place = static_cast<std::size_t>(next[kind_of(segments[i])]++);
    order_[place] = static_cast<std::uint32_t>(i);
    counts_[place] = segments[i].end - segments[i].begin;
  }
  fold_.clear(acc_at(first_[1]), static_cast<std::int64_t>(segments.size()) - first_[1]);
}

void segment_rows::gather_short(const std::byte* data, std::ptrdiff_t other) {
  for (std::int64_t length = 1; length <= longest; ++length) {
    const std::int64_t most = tile_elements / length;
    for (std::int64_t i = first_[length]; i < first_[length + 1]; i += most) {
      gather_rows(data, other, length, {i, std::min(first_[length + 1], i + most)});
    }
  }
}

void segment_rows::gather_rows(const std::byte* data, std::ptrdiff_t other, std::int64_t length, interval rows) {
  std::byte* const second = lay_out(data, length, rows, tile_.get());
  if (other != 0) lay_out(data + other, length, rows, second);
  fold_.rows({tile_.get(), length, rows.end - rows.begin, length, acc_at(rows.begin), 1, 0, 0, 1,
              other != 0 ? second - tile_.get() : 0});
}

std::byte* segment_rows::lay_out(const std::byte* data, std::int64_t length, interval rows, std::byte* into) const {
  const std::int64_t bytes = length * item_, blocks = (bytes - 1) / block_bytes + 1;
  const std::int64_t last = extent_ * item_ - blocks * block_bytes;  // the last place where so many can be read
  for (std::int64_t i = rows.begin; i < rows.end; ++i, into += bytes) {
    const std::int64_t place = (taken_[order(i)].begin + offset_) * item_;
    if (place <= last) {
      for (std::int64_t k = 0; k < blocks * block_bytes; k += block_bytes) {
        std::memcpy(into + k, data + place + k, block_bytes);
      }
    } else {
      std::memcpy(into, data + place, static_cast<std::size_t>(bytes));
    }
  }
  return into;
}

status segment_rows::lower(std::byte* out, std::int64_t out_step) {
  const std::int64_t first = first_[1], count = static_cast<std::int64_t>(taken_.size()) - first;
  const std::int64_t* const counts = counts_.data() + first;
  const outcome all = fold_.lower({&what_, acc_at(first), count, 0, results_.get(), result_, counts});
  const auto places = std::span(order_).subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count));
  scatter(result_, results_.get(), places, out, out_step);
  return all.worst;
}

}  // namespace multifold::inline v0_1::host
