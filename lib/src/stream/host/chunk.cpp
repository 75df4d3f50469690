// Pieces of a chunk, cut at the ends of slabs.
#include "stream/host/chunk.hpp"

#include <algorithm>
#include <utility>

#include "host/reduce_box.hpp"

namespace multifold::inline v0_1::stream {

host_chunk::host_chunk(const host::fold& f, const slabs& s, result_sink& sink, std::int64_t piece, std::ptrdiff_t other)
    : fold_(f), slabs_(s), sink_(sink), piece_(piece), other_(other) {}

void host_chunk::add(host::interval range, const std::byte* data) {
  const std::int64_t origin = range.begin;
  while (range.begin < range.end) {
    const std::int64_t end = std::min(range.end, (range.begin / piece_ + 1) * piece_);
    add_piece({range.begin, end}, data, origin);
    range.begin = end;
  }
}

void host_chunk::add_piece(host::interval piece, const std::byte* data, std::int64_t origin) {
  stretches_of(slabs_, piece, [&](const stretch& s) {
    if (s.whole) finish_whole(s, data, origin);
    else add_part(s, data, origin);
  });
}

// As many slabs at a time as have few results together, so that their accumulators stay in the cache.
void host_chunk::finish_whole(const stretch& whole, const std::byte* data, std::int64_t origin) {
  constexpr std::int64_t most_bytes = 128 << 10;
  const std::int64_t slab_bytes = slabs_.results * fold_.acc_bytes();
  const std::int64_t together = std::max<std::int64_t>(most_bytes / slab_bytes, 1);
  const std::int64_t end = whole.slab + (whole.elements.end - whole.elements.begin) / slabs_.elements;
  for (std::int64_t slab = whole.slab; slab < end; slab += together) {
    finish_slabs({slab, std::min(slab + together, end)}, data, origin);
  }
}

void host_chunk::finish_slabs(host::interval some, const std::byte* data, std::int64_t origin) {
  const std::int64_t count = some.end - some.begin;
  const host::interval results{some.begin * slabs_.results, some.end * slabs_.results};
  if (count > whole_slabs_) {
    whole_ = host::allocate_accumulators(count * slabs_.results, fold_.acc_bytes());
    whole_slabs_ = count;
  }
  fold_.clear(whole_.get(), count * slabs_.results);
  const host::interval elements{some.begin * slabs_.elements, some.end * slabs_.elements};
  host::cut(slabs_.nest, slabs_.nest.all, elements, host::whole(slabs_.nest), [&](const host::box& b) {
    host::reduce_box(fold_, slabs_.nest, b, {data, origin, whole_.get(), results.begin, other_});
  });
  sink_.lower(fold_, slabs_.nest, whole_.get(), results, slabs_.nest.length);
}

void host_chunk::add_part(const stretch& part, const std::byte* data, std::int64_t origin) {
  if (!open_) {
    open_ = host::allocate_accumulators(slabs_.results, fold_.acc_bytes());
    fold_.clear(open_.get(), slabs_.results);
    opened_here_ = part.elements.begin % slabs_.elements == 0;
    if (!opened_here_) left_.slab = part.slab;
  }
  const std::int64_t first = part.slab * slabs_.results;
  host::cut(slabs_.nest, slabs_.nest.all, part.elements, host::whole(slabs_.nest), [&](const host::box& b) {
    host::reduce_box(fold_, slabs_.nest, b, {data, origin, open_.get(), first, other_});
  });
  if (!part.ends) return;
  if (opened_here_) {
    sink_.lower(fold_, slabs_.nest, open_.get(), {first, first + slabs_.results}, slabs_.nest.length);
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
