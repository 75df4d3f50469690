// Whole batches are reduced as arrays of their own; parts of batches are merged.
#include "stream/device/reducer.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>

#include "multifold/cuda/error.hpp"
#include "multifold/cuda/reduce_async.hpp"
#include "multifold/error.hpp"
#include "stream/device/state.hpp"

namespace multifold::inline v0_1::stream {
namespace {

constexpr std::int64_t word_bytes = sizeof(std::uint32_t);
constexpr std::int64_t no_chunk = -1;
constexpr std::size_t boxes_beside = 2;  // one is emptied while the other is filled

// Parts of batches are merged where their accumulators are: no results wait.
plan plan_of_part(const reduction& what, const batches& form, const engine_traits& traits) {
  plan p = make_plan(what, form, {}, traits);
  p.waiting_bytes = 0;
  return p;
}

// The workspace that steps would take.
struct measured {
  const reduction& what;
  const engine_traits& traits;
  std::int64_t workspace_bytes = 0;

  void whole(const device_box& box) { see(make_plan(what, box.form, {}, traits)); }
  void part(const device_box& box) { see(plan_of_part(what, box.form, traits)); }
  void see(const plan& p) { workspace_bytes = std::max(workspace_bytes, p.workspace_bytes()); }
  void close(host::interval) {}
};

}  // namespace

struct device_reducer::steps {
  device_reducer& to;
  const chunk_place& from;
  device_outbox& out;
  std::int64_t chunk, length;

  plan placed(plan p) const {
    p.form.offset -= from.origin;
    to.reserve(p.workspace_bytes());
    return p;
  }

  void whole(const device_box& box) const {
    const plan p = placed(make_plan(to.what_, box.form, {}, to.traits_));
    const host::interval which{box.first_result, box.first_result + box.form.results()};
    device_outbox& into = to.box_for(which, out);
    cuda::reduce_async(p, from.data, into.place(which), to.workspace_.bytes(), to.on_.kernels.get());
    // Exact sums of floats always have a result.
    if (!gathers_exactly(to.what_)) into.note_status(to.workspace_.data(), to.on_.kernels.get());
    sent(into);
  }

  void part(const device_box& box) const {
    const plan p = placed(plan_of_part(to.what_, box.form, to.traits_));
    cuda::accumulate_async(p, from.data, {to.accumulators_.data(), box.first_result, box.first_index},
                           to.workspace_.bytes(), to.on_.kernels.get());
  }

  void close(host::interval which) const {
    const cudaStream_t kernels = to.on_.kernels.get();
    const std::int64_t first = which.begin;
    for (host::interval some = which; some.begin < which.end; some.begin = some.end) {
      some.end = some.begin + std::min(to.cut_.most_results, which.end - some.begin);
      device_outbox& into = to.box_for(some, out);
      const std::byte* const open = to.accumulators_.data() + (some.begin - first) * accumulator_bytes(to.what_);
      cuda::lower_async(to.what_, open, some.end - some.begin, length, into.place(some),
                        reinterpret_cast<std::uint32_t*>(to.status_.data()), kernels);
      sent(into);
    }
    cuda::fill_identity_async(to.what_, to.accumulators_.data(), which.end - first, kernels);
  }

  // The caller sends its own box when it has all of the chunk.
  void sent(device_outbox& box) const {
    if (&box != &out) box.send(chunk, to.on_.kernels.get(), to.on_.back.get());
  }
};

device_reducer::device_reducer(const reduction& what, const engine_traits& traits, const slices& array, bool one_sum,
                               const ring& r, result_target& to, const device_streams& on)
    : what_(what),
      traits_(traits),
      cut_{array, r.step_results, merges_in_any_order(what) ? 0 : r.cut_elements, one_sum},
      room_(r.room),
      to_(to),
      on_(on),
      accumulators_(array.results * accumulator_bytes(what)),
      status_(word_bytes) {
  cuda::check(cudaMemsetAsync(status_.data(), 0, word_bytes, on_.kernels.get()));
  cuda::fill_identity_async(what, accumulators_.data(), array.results, on_.kernels.get());
  while (r.beside && beside_.size() < boxes_beside) beside_.emplace_back(to_, room_);
  reserve_for_chunks(r);
}

// Slots take what memory there is, so that the first chunks of either kind have to be served before.
void device_reducer::reserve_for_chunks(const ring& r) {
  const host::nest& nest = cut_.array.nest;
  const std::int64_t all = nest.results > INT64_MAX / nest.length ? INT64_MAX : nest.results * nest.length;
  measured most{what_, traits_};
  for (std::int64_t first : {std::int64_t{0}, r.chunk_elements}) {
    if (first < all) steps_of(cut_, {first, std::min(all - first, r.chunk_elements) + first}, most);
  }
  reserve(most.workspace_bytes);
}

void device_reducer::reserve(std::int64_t workspace_bytes) {
  if (workspace_bytes <= workspace_.size()) return;
  on_.kernels.synchronise();
  workspace_ = cuda::device_buffer();
  try {
    workspace_ = cuda::device_buffer(std::max<std::int64_t>(2 * workspace_bytes, 1 << 20));
  } catch (const out_of_memory&) {
    workspace_ = cuda::device_buffer(workspace_bytes);
  }
}

device_outbox& device_reducer::box_for(host::interval which, device_outbox& wanted) {
  if (wanted.has_room(which)) return wanted;
  if (beside_.size() < boxes_beside) return beside_.emplace_back(to_, room_);
  device_outbox& next = beside_[next_beside_++ % boxes_beside];
  next.deliver();
  return next;
}

void device_reducer::reduce(std::int64_t chunk, host::interval range, const chunk_place& from, device_outbox& out) {
  steps_of(cut_, range, steps{*this, from, out, chunk, cut_.array.nest.length});
}

void device_reducer::close(std::int64_t length, device_outbox& out) {
  steps{*this, {nullptr, 0}, out, no_chunk, length}.close({0, cut_.array.results});
}

void device_reducer::save_state(void* state) const {
  save_device_state(what_, accumulators_.data(), state, on_.kernels.get());
}

void device_reducer::copy_accumulators(std::byte* to) const {
  const auto bytes = static_cast<std::size_t>(cut_.array.results * accumulator_bytes(what_));
  cuda::check(cudaMemcpyAsync(to, accumulators_.data(), bytes, cudaMemcpyDeviceToHost, on_.kernels.get()));
  on_.kernels.synchronise();
}

void device_reducer::add_to(transfer_memory& all) const {
  all.device_bytes += accumulators_.size() + status_.size() + workspace_.size();
  for (const device_outbox& box : beside_) box.add_to(all);
}

void device_reducer::finish() {
  for (device_outbox& box : beside_) box.deliver();
  to_.note(cuda::status_of(status_.bytes(), on_.kernels.get()));
}

}  // namespace multifold::inline v0_1::stream
