// Few results: a chunk has its own accumulators. Many: chunks add to the same ones, one after the other.
#include "stream/host/consumer.hpp"

#include <utility>
#include <vector>

#include "plan/no_value.hpp"
#include "stream/open_accumulators.hpp"
#include "stream/shared_array.hpp"

namespace multifold::inline v0_1::stream {
namespace {

// Short columns cost much: those of a mebibyte are gathered for themselves.
constexpr std::int64_t most_at_once_bytes = 1 << 20;
// A thread keeps as much to itself, which fits its cache, if it hands it over once.
constexpr std::int64_t most_kept_bytes = INT64_C(2) << 20;

}  // namespace

host_consumer::host_consumer(const plan& p, void* results, slices array, slice_end end)
    : what_(p.what),
      fold_(host::make_fold(p.what)),
      slices_(std::move(array)),
      end_(end),
      copies_(slices_.results * fold_.acc_bytes() <= (end == slice_end::whole ? most_kept_bytes : most_copied_bytes)),
      sink_{p.what, static_cast<std::byte*>(results), {}} {}

void host_consumer::begin(std::ptrdiff_t other) {
  other_ = other;
  if (copies_) merge_ = std::make_unique<host_merge>(fold_, slices_, sink_);
  else turnstile_ = std::make_unique<host_turnstile>(fold_, slices_, sink_, other_);
}

host_chunk host_consumer::make_chunk() {
  const std::int64_t at_once = (same_in_any_order(what_) ? most_at_once_bytes : tile_bytes) / fold_.item;
  return {fold_, slices_, sink_, at_once, other_};
}

void host_consumer::add(host_chunk& state, std::int64_t chunk, host::interval range, const std::byte* data) {
  if (copies_) return state.add(range, data);
  std::vector<slice_range> parts;
  slice_ranges_of(slices_, range, [&](const slice_range& s) {
    if (s.whole) state.finish_whole(s, data, range.begin);
    else parts.push_back(s);
  });
  turnstile_->pass(chunk, parts, data, range.begin);
}

void host_consumer::submit(host_chunk& state, std::int64_t chunk) {
  if (copies_ && end_ != slice_end::whole) merge_->submit(chunk, state.take());
}

void host_consumer::leave(host_chunk& state) {
  if (copies_ && end_ == slice_end::whole) merge_->add(state.take());
}

void host_consumer::abandon() {
  if (merge_) merge_->abandon();
  if (turnstile_) turnstile_->abandon();
}

void host_consumer::merge_whole(const std::byte* accumulators, int threads) {
  const open_accumulators open{fold_, slices_, merge_ ? merge_->accumulators() : turnstile_->accumulators(), threads};
  open.merge_whole(what_, accumulators);
}

void host_consumer::finish(std::int64_t length, int threads) {
  const bool needs_elements = !has_identity(what_.op) && !what_.initial.given && !what_.as_records;
  if (length == 0 && needs_elements) detail::throw_no_value(what_.op);
  if (is_open()) {
    const open_accumulators open{fold_, slices_, merge_ ? merge_->accumulators() : turnstile_->accumulators(), threads};
    open.lower(sink_, length);
  }
  sink_.check();
}

}  // namespace multifold::inline v0_1::stream
