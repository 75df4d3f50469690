// Tiles of a chunk, cut at the ends of slices.
#include "stream/host/chunk.hpp"

#include <algorithm>
#include <utility>

#include "host/reduce_box.hpp"

namespace multifold::inline v0_1::stream {

host_chunk::host_chunk(const host::fold& f, const slices& s, result_sink& sink, std::int64_t tile, std::ptrdiff_t other)
    : fold_(f), slices_(s), sink_(sink), tile_(tile), other_(other) {}

void host_chunk::add(host::interval range, const std::byte* data) {
  const std::int64_t origin = range.begin;
  while (range.begin < range.end) {
    const std::int64_t end = std::min(range.end, (range.begin / tile_ + 1) * tile_);
    add_tile({range.begin, end}, data, origin);
    range.begin = end;
  }
}

void host_chunk::add_tile(host::interval tile, const std::byte* data, std::int64_t origin) {
  slice_ranges_of(slices_, tile, [&](const slice_range& s) {
    if (s.whole) finish_whole(s, data, origin);
    else add_part(s, data, origin);
  });
}

// As many slices at a time as have few results together, so that their accumulators stay in the cache.
void host_chunk::finish_whole(const slice_range& whole, const std::byte* data, std::int64_t origin) {
  constexpr std::int64_t most_bytes = 128 << 10;
  const std::int64_t slice_bytes = slices_.results * fold_.acc_bytes();
  const std::int64_t together = std::max<std::int64_t>(most_bytes / slice_bytes, 1);
  const std::int64_t end = whole.slice + (whole.elements.end - whole.elements.begin) / slices_.elements;
  for (std::int64_t slice = whole.slice; slice < end; slice += together) {
    finish_slices({slice, std::min(slice + together, end)}, data, origin);
  }
}

void host_chunk::finish_slices(host::interval some, const std::byte* data, std::int64_t origin) {
  const std::int64_t count = some.end - some.begin;
  const host::interval results{some.begin * slices_.results, some.end * slices_.results};
  if (count > whole_slices_) {
    whole_ = host::allocate_accumulators(count * slices_.results, fold_.acc_bytes());
    whole_slices_ = count;
  }
  fold_.clear(whole_.get(), count * slices_.results);
  const host::interval elements{some.begin * slices_.elements, some.end * slices_.elements};
  host::cut(slices_.nest, slices_.nest.all, elements, host::whole(slices_.nest), [&](const host::box& b) {
    host::reduce_box(fold_, slices_.nest, b, {data, origin, whole_.get(), results.begin, other_});
  });
  sink_.lower(fold_, slices_.nest, whole_.get(), results, slices_.nest.length);
}

void host_chunk::add_part(const slice_range& part, const std::byte* data, std::int64_t origin) {
  if (!open_) {
    open_ = host::allocate_accumulators(slices_.results, fold_.acc_bytes());
    fold_.clear(open_.get(), slices_.results);
    opened_here_ = part.elements.begin % slices_.elements == 0;
    if (!opened_here_) left_.slice = part.slice;
  }
  const std::int64_t first = part.slice * slices_.results;
  host::cut(slices_.nest, slices_.nest.all, part.elements, host::whole(slices_.nest), [&](const host::box& b) {
    host::reduce_box(fold_, slices_.nest, b, {data, origin, open_.get(), first, other_});
  });
  if (!part.ends) return;
  if (opened_here_) {
    sink_.lower(fold_, slices_.nest, open_.get(), {first, first + slices_.results}, slices_.nest.length);
    open_.reset();
  } else {
    left_.head = std::move(open_);
    left_.head_ends = true;
  }
}

remains host_chunk::take() {
  if (open_) (opened_here_ ? left_.tail : left_.head) = std::move(open_);
  opened_here_ = false;
  return std::exchange(left_, {});
}

}  // namespace multifold::inline v0_1::stream
