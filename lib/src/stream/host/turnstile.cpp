// Boxes of a chunk, intersected with the boxes of each block.
#include "stream/host/turnstile.hpp"

#include <algorithm>

#include "host/reduce_box.hpp"

namespace multifold::inline v0_1::stream {
namespace {

constexpr std::int64_t most_blocks = 32;
constexpr std::int64_t least_block = 1024;

}  // namespace

std::int64_t turnstile_block(std::int64_t results) {
  const std::int64_t count = std::clamp<std::int64_t>(results / least_block, 1, most_blocks);
  return results / count + (results % count != 0 ? 1 : 0);
}

host_turnstile::host_turnstile(const host::fold& f, const slices& s, result_sink& sink, std::ptrdiff_t other)
    : fold_(f), slices_(s), sink_(sink), other_(other), open_(host::allocate_accumulators(s.results, f.acc_bytes())) {
  fold_.clear(open_.get(), s.results);
  const std::int64_t each = turnstile_block(s.results);
  for (std::int64_t first = 0; first < s.results; first += each) {
    block next{{first, std::min(first + each, s.results)}, {}};
    host::cut(s.nest, s.kept, next.results, host::whole(s.nest), [&](const host::box& b) { next.boxes.push_back(b); });
    blocks_.push_back(std::move(next));
  }
  turns_ = std::make_unique<std::atomic<std::uint32_t>[]>(blocks_.size());
}

bool host_turnstile::wait_for(std::atomic<std::uint32_t>& turn, std::uint32_t chunk) const {
  for (std::uint32_t now = turn.load(); now != chunk; now = turn.load()) {
    if (abandoned_) return false;
    turn.wait(now);
  }
  return !abandoned_;
}

void host_turnstile::pass(std::int64_t chunk, const std::vector<slice_range>& parts, const std::byte* data,
                          std::int64_t origin) {
  std::vector<std::vector<slice_box>> boxes(parts.size());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    host::cut(slices_.nest, slices_.nest.all, parts[i].elements, host::whole(slices_.nest), [&](const host::box& b) {
      boxes[i].push_back({b, parts[i].slice});
    });
  }
  const auto number = static_cast<std::uint32_t>(chunk);
  for (std::size_t s = 0; s < blocks_.size(); ++s) {
    if (!wait_for(turns_[s], number)) return;
    const host::interval range = blocks_[s].results;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      for (const slice_box& p : boxes[i]) add(blocks_[s], p, data, origin);
      if (!parts[i].ends) continue;
      std::byte* const acc = open_.get() + range.begin * fold_.acc_bytes();
      const std::int64_t first = parts[i].slice * slices_.results;
      sink_.lower(fold_, slices_.nest, acc, {first + range.begin, first + range.end}, slices_.nest.length);
      fold_.clear(acc, range.end - range.begin);
    }
    turns_[s].store(number + 1);
    turns_[s].notify_all();
  }
}

void host_turnstile::add(const block& s, const slice_box& p, const std::byte* data, std::int64_t origin) {
  for (const host::box& kept : s.boxes) {
    host::box both = p.box;
    if (!host::intersect(slices_.kept, kept, both)) continue;
    host::reduce_box(fold_, slices_.nest, both, {data, origin, open_.get(), p.slice * slices_.results, other_});
  }
}

// The value of a turn has to change for its waiters to wake.
void host_turnstile::abandon() {
  abandoned_ = true;
  for (std::size_t s = 0; s < blocks_.size(); ++s) {
    turns_[s].fetch_add(1u << 31);
    turns_[s].notify_all();
  }
}

}  // namespace multifold::inline v0_1::stream
