// Early chunks wait in a map, not in their threads.
#include "stream/host/merge.hpp"

#include <utility>

#include "host/reduce_box.hpp"

namespace multifold::inline v0_1::stream {
namespace {

constexpr std::int64_t most_early = 256;

}  // namespace

void result_sink::lower(const host::fold& f, const host::nest& n, const std::byte* acc, host::interval range,
                        std::int64_t count) {
  outcome.note(host::lower_range(f, n, what, acc, range, {count}, results));
}

host_merge::host_merge(const host::fold& f, const slices& s, result_sink& sink)
    : fold_(f), slices_(s), sink_(sink), open_(host::allocate_accumulators(s.results, f.acc_bytes())) {
  fold_.clear(open_.get(), slices_.results);
}

void host_merge::submit(std::int64_t chunk, remains r) {
  std::unique_lock lock(mutex_);
  moved_.wait(lock, [&] { return abandoned_ || chunk < next_ + most_early; });
  if (abandoned_) return;
  early_.emplace(chunk, std::move(r));
  bool moved = false;
  while (!early_.empty() && early_.begin()->first == next_) {
    merge(early_.begin()->second);
    early_.erase(early_.begin());
    ++next_;
    moved = true;
  }
  if (moved) moved_.notify_all();
}

void host_merge::add(remains r) {
  const std::lock_guard lock(mutex_);
  merge(r);
}

void host_merge::merge(remains& r) {
  const std::int64_t results = slices_.results;
  if (r.head) fold_.merge(open_.get(), r.head.get(), results);
  if (r.head_ends) {
    const host::interval range{r.slice * results, (r.slice + 1) * results};
    sink_.lower(fold_, slices_.nest, open_.get(), range, slices_.nest.length);
    fold_.clear(open_.get(), results);
  }
  if (r.tail) fold_.merge(open_.get(), r.tail.get(), results);
}

void host_merge::abandon() {
  const std::lock_guard lock(mutex_);
  abandoned_ = true;
  moved_.notify_all();
}

}  // namespace multifold::inline v0_1::stream
