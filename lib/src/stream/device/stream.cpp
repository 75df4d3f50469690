// The threads of the pipeline: each owns slots, claims a chunk, reads it into one of them, and goes on with the next.
// Chunks are sent to the GPU by one that read one, with others that are there already, so that no thread is woken up
// for every chunk, which would cost more than a small one travels. Where batches end within the array, or order shows
// in the bits, they are sent in their order; else as they come, so that a thread that is held up holds up no other.
#include "stream/device/stream.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "device/capture_mode.hpp"
#include "host/engine.hpp"
#include "host/threads/crew.hpp"
#include "multifold/cuda/error.hpp"
#include "multifold/error.hpp"
#include "plan/no_value.hpp"
#include "stream/consumed.hpp"
#include "stream/device/boxes.hpp"
#include "stream/device/memory.hpp"
#include "stream/device/results/sink.hpp"
#include "stream/host/reader.hpp"
#include "stream/worker_trace.hpp"

namespace multifold::inline v0_1::stream {
namespace {

class pipeline final : public device_part {
 public:
  pipeline(const plan& p, const inputs& input, void* results, const host_options& options, shared_array* shared)
      : plan_(p),
        input_(input),
        options_(options),
        endless_(has_unknown_length(input.x.layout())),
        shared_(shared),
        array_(endless_            ? endless_slice()
               : shared != nullptr ? shared->array
                                   : slices_of(p.form)),
        elements_(endless_ ? -1 : p.form.elements()),
        item_(item_bytes(p.what.input)),
        threads_(options.threads > 0 ? options.threads : host::usable_threads()),
        how_(way_of(input, elements_ * item_, options.way)),
        to_{array_.nest, result_bytes(p.what), static_cast<std::byte*>(results), threads_, false, nullptr} {
    cuda::check(cudaGetDevice(&device_));
    if (how_ == transfer::mapped) mapped_ = mapped_address(input);
    to_.direct = array_.nest.in_order && is_pinned(results, array_.nest.results * to_.item);
    if (options.trace) to_.tracer = &tracer_.emplace(options.trace);
    build();
    unit_claims units;
    if (shared != nullptr) {
      const std::int64_t chunks = std::max<std::int64_t>(unit_elements(item_) / ring_.chunk_elements, 1);
      units = {&shared->units, shared_by::device, chunks * ring_.chunk_elements};
    }
    reader_.emplace(input, elements_, ring_.chunk_elements, ring_.chunk_bytes, options.stop, units);
  }

  streamed run(void* results) {
    host::run_crew(ring_.workers, [this](int worker) {
      try {
        work(worker, worker);
      } catch (...) {
        abandon();
        throw;
      }
    });
    const std::int64_t count = reader_->elements();
    check_consumed(sink_->consumed(), count, input_.x);
    if (endless_ && count == 0 && !has_identity(plan_.what.op) && !plan_.what.initial.given) {
      detail::throw_no_value(plan_.what.op);
    }
    sink_->finish(endless_ ? count : array_.nest.length, *slots_.front(), results);
    if (options_.progress) options_.progress(count * item_);
    return {count, how_, count, memory(), note_};
  }

  int workers() const override { return ring_.workers; }
  transfer way() const override { return how_; }
  const std::string& note() const override { return note_; }
  transfer_memory memory() const override {
    transfer_memory all{ring_.slots, memory_->bytes_a_slot, memory_->pinned.size(), memory_->device.size()};
    for (const auto& slot : slots_) slot->results.add_to(all);
    sink_->add_to(all);
    return all;
  }
  std::int64_t consumed() const override { return sink_->consumed(); }

  void finish(std::byte* accumulators) override {
    if (accumulators != nullptr) sink_->finish_open(accumulators);
    else sink_->finish(0, *slots_.front(), nullptr);
  }

  void work(int worker, int thread) override {
    const cuda::relaxed_capture_mode mode;
    cuda::check(cudaSetDevice(device_));  // every thread starts on device 0
    const worker_trace trace(options_.trace, thread);
    const auto mine = static_cast<std::size_t>(worker), step = static_cast<std::size_t>(ring_.workers);
    for (std::size_t next = mine; std::optional<chunk> c = reader_->claim();) {
      device_slot& slot = *slots_[next];
      next = next + step < slots_.size() ? next + step : mine;
      if (!wait_until_sent(slot)) return;
      const std::int64_t got = fill(slot, *c, trace);
      sink_->settle(slot);
      send(c->number, {&slot, c->first, got});
    }
    for (std::size_t i = mine; i < slots_.size(); i += step) {
      if (!wait_until_sent(*slots_[i])) return;
      sink_->settle(*slots_[i]);
    }
  }

  void abandon() override {
    reader_->stop();
    const std::lock_guard lock(mutex_);
    abandoned_ = true;
    sent_.notify_all();
  }

 private:
  // Read, and on its way once its number is up.
  struct ready_chunk {
    device_slot* slot;
    std::int64_t first, count;
  };

  // Where others use the device's memory, with as much of it as there is.
  void build() {
    const std::int64_t memory = options_.memory_bytes > 0 ? options_.memory_bytes : default_memory_bytes;
    const ring_request wanted{array_, plan_.what, elements_, input_.count(),
                              memory, threads_,   how_,      shared_ != nullptr};
    ring_ = ring_of(wanted);
    const ring first = ring_;
    while (!try_to_build()) ring_ = ring_of(wanted, ring_.chunk_bytes / 2);
    if (ring_.chunk_bytes < first.chunk_bytes || ring_.slots < first.slots) {
      note_ = "memory was short: " + std::to_string(ring_.slots) + " slots of " + std::to_string(ring_.chunk_bytes) +
              " bytes instead of " + std::to_string(first.slots) + " of " + std::to_string(first.chunk_bytes);
    }
  }

  bool try_to_build() {
    try {
      in_any_order_ = goes_in_any_order();
      sink_.emplace(plan_, array_, one_sum(), ring_, how_, to_, streams_);
      add_slots();
      return true;
    } catch (const out_of_memory&) {
      forget_slots();
      sink_.reset();
      if (!can_shrink(ring_)) throw;
      return false;
    }
  }

  void add_slots() {
    const std::int64_t bytes = ring_.chunk_bytes * input_.count();
    cuda::device_buffer left;  // for a workspace that has to grow, where memory is short
    while (!memory_) {
      try {
        memory_.emplace(ring_.slots, bytes, how_);
        for (int i = 0; i < ring_.slots; ++i) {
          slots_.push_back(std::make_unique<device_slot>(*memory_, i, ring_, how_, to_));
        }
      } catch (const out_of_memory&) {
        forget_slots();
        if (ring_.slots <= 2) throw;
        ring_.slots = std::max(2, ring_.slots * 3 / 4);
        if (left.size() == 0) left = cuda::device_buffer(bytes);
      }
    }
    ring_.workers = std::min(ring_.workers, ring_.slots);
  }

  void forget_slots() {
    slots_.clear();
    memory_.reset();
  }

  // False if somebody failed, and what is in front of the slot's chunk may never come.
  bool wait_until_sent(const device_slot& slot) {
    std::unique_lock lock(mutex_);
    sent_.wait(lock, [&] { return abandoned_ || !slot.waits; });
    return !abandoned_;
  }

  void send(std::int64_t number, const ready_chunk& made) {
    std::unique_lock lock(mutex_);
    made.slot->waits = true;
    ready_.emplace(number, made);
    if (sending_) return;  // the thread that is at it will find it
    sending_ = true;
    while (!abandoned_ && !ready_.empty() && (in_any_order_ || ready_.begin()->first == turn_)) {
      const auto [next, c] = *ready_.begin();
      ready_.erase(ready_.begin());
      lock.unlock();
      if (c.count > 0) sink_->consume(*c.slot, next, {c.first, c.first + c.count}, source_of(*c.slot, c.first));
      if (options_.progress) options_.progress(sink_->consumed() * item_);
      lock.lock();
      c.slot->waits = false;
      ++turn_;
      sent_.notify_all();
    }
    sending_ = false;
  }

  // Pinned memory needs no filling; there, no more chunks are on their way than there are slots.
  std::int64_t fill(device_slot& slot, chunk& c, const worker_trace& trace) {
    if (how_ != transfer::staged) {
      slot.reduced.synchronise();
      return c.count;
    }
    slot.copied.synchronise();
    const auto start = trace.now();
    const std::int64_t got = reader_->read(c, 0, slot.pinned, c.count);
    trace.tell(trace_kind::read, c.number, got * item_ * input_.count(), start);
    return got;
  }

  operands source_of(const device_slot& slot, std::int64_t first) const {
    const bool two = input_.count() == 2;
    if (how_ == transfer::mapped) return mapped_;
    if (how_ == transfer::staged) return {slot.pinned, two ? slot.pinned + slot.bytes : nullptr};
    const auto at = [&](const void* array) { return static_cast<const std::byte*>(array) + first * item_; };
    return {at(input_.memory.x), two ? at(input_.memory.y) : nullptr};
  }

  // More than one chunk of a single slice, of a sum that is the same whatever comes first.
  bool goes_in_any_order() const {
    const bool several = endless_ || elements_ > ring_.chunk_elements;
    return how_ == transfer::staged && array_.count == 1 && several && merges_in_any_order(plan_.what);
  }

  bool one_sum() const {
    return endless_ || in_any_order_ || plan_.what.as_state || (shared_ != nullptr && shared_->open);
  }

  const plan& plan_;
  const inputs& input_;
  const host_options& options_;
  const bool endless_;
  shared_array* const shared_;
  const slices array_;
  const std::int64_t elements_;
  const std::int64_t item_;
  const int threads_;
  const transfer how_;
  std::optional<device_tracer> tracer_;
  result_target to_;
  operands mapped_ = nullptr;
  int device_ = 0;
  ring ring_{};
  std::string note_;
  std::optional<device_sink> sink_;
  std::optional<slot_memory> memory_;
  std::vector<std::unique_ptr<device_slot>> slots_;
  std::optional<host_reader> reader_;
  std::mutex mutex_;
  std::condition_variable sent_;
  std::map<std::int64_t, ready_chunk> ready_;
  std::int64_t turn_ = 0;  // of the next chunk to be sent, in order; changed by the one who is sending
  bool in_any_order_ = false, sending_ = false, abandoned_ = false;
  device_streams streams_;  // the last one, so that its destructor waits before any memory goes
};

}  // namespace

streamed run_device(const plan& p, const inputs& input, void* results, const host_options& options) {
  const bool endless = has_unknown_length(input.x.layout());
  if (!endless && p.form.elements() == 0) {
    host::run(p, nullptr, results);
    return {};
  }
  if (!endless) check_streams_to_device(p.form, input.x.name());
  return pipeline(p, input, results, options, nullptr).run(results);
}

std::unique_ptr<device_part> share_device(const plan& p, const inputs& input, void* results,
                                          const host_options& options, shared_array& shared) {
  return std::make_unique<pipeline>(p, input, results, options, &shared);
}

}  // namespace multifold::inline v0_1::stream
