// The threads of the pipeline: each owns slots, claims a chunk, reads it, and waits for its turn to send it to the GPU.
#include "stream/device_stream.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/crew.hpp"
#include "host/engine.hpp"
#include "multifold/cuda/error.hpp"
#include "multifold/error.hpp"
#include "stream/consumed.hpp"
#include "stream/device_boxes.hpp"
#include "stream/device_memory.hpp"
#include "stream/device_sink.hpp"
#include "stream/host_reader.hpp"
#include "stream/worker_trace.hpp"

namespace multifold::stream {
namespace {

class pipeline {
 public:
  pipeline(const plan& p, const inputs& input, void* results, const host_options& options)
      : plan_(p),
        input_(input),
        options_(options),
        endless_(has_unknown_length(input.x.layout())),
        array_(endless_ ? endless_slab() : slabs_of(p.form)),
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
    reader_.emplace(input, elements_, ring_.chunk_elements, ring_.chunk_bytes, options.stop);
  }

  streamed run(void* results) {
    host::run_crew(ring_.workers, [this](int worker) {
      try {
        work(worker);
      } catch (...) {
        reader_->stop();
        turn_ = abandoned;
        turn_.notify_all();
        throw;
      }
    });
    const std::int64_t count = reader_->elements();
    check_consumed(sink_->consumed(), count, input_.x);
    if (endless_ && count == 0 && !has_identity(plan_.what.op) && !plan_.what.initial.given) {
      throw shape_error(std::string(name(plan_.what.op)) + " of no elements has no value: give an initial value");
    }
    sink_->finish(count, *slots_.front(), results);
    if (options_.progress) options_.progress(count * item_);
    return {count, how_, note_};
  }

 private:
  static constexpr std::int64_t abandoned = -1;

  // Where others use the device's memory, with as much of it as there is.
  void build() {
    const std::int64_t memory = options_.memory_bytes > 0 ? options_.memory_bytes : default_memory_bytes;
    const ring_request wanted{array_, plan_.what, elements_, input_.count(), memory, threads_, how_};
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
      sink_.emplace(plan_, array_, one_sum(), ring_, how_, to_, streams_);
      add_slots();
      return true;
    } catch (const out_of_memory&) {
      slots_.clear();
      sink_.reset();
      if (!can_shrink(ring_)) throw;
      return false;
    }
  }

  void add_slots() {
    try {
      for (int i = 0; i < ring_.slots; ++i) {
        slots_.push_back(std::make_unique<device_slot>(ring_, input_.count(), how_, to_));
      }
    } catch (const out_of_memory&) {
      if (slots_.size() < 2) throw;
      if (slots_.size() > 2) slots_.pop_back();  // something is left for a workspace that has to grow
    }
    ring_.slots = static_cast<int>(slots_.size());
    ring_.workers = std::min(ring_.workers, ring_.slots);
  }

  void work(int worker) {
    cuda::check(cudaSetDevice(device_));  // every thread starts on device 0
    const worker_trace trace(options_.trace, worker);
    auto next = static_cast<std::size_t>(worker);
    while (std::optional<chunk> c = reader_->claim()) {
      device_slot& slot = *slots_[next];
      next += static_cast<std::size_t>(ring_.workers);
      if (next >= slots_.size()) next = static_cast<std::size_t>(worker);
      const std::int64_t got = fill(slot, *c, trace);
      sink_->settle(slot);
      if (!wait_for(c->number)) return;
      if (got > 0) sink_->consume(slot, c->number, {c->first, c->first + got}, source_of(slot, c->first));
      if (options_.progress) options_.progress((c->first + got) * item_);
      turn_ = c->number + 1;
      turn_.notify_all();
    }
    for (auto i = static_cast<std::size_t>(worker); i < slots_.size(); i += static_cast<std::size_t>(ring_.workers)) {
      sink_->settle(*slots_[i]);
    }
  }

  // Pinned memory needs no filling; there, no more chunks are on their way than there are slots.
  std::int64_t fill(device_slot& slot, chunk& c, const worker_trace& trace) {
    if (how_ != transfer::staged) {
      slot.reduced.synchronise();
      return c.count;
    }
    slot.copied.synchronise();
    const auto start = trace.now();
    const std::int64_t got = reader_->read(c, 0, slot.pinned.data(), c.count);
    trace.tell(trace_kind::read, c.number, got * item_ * input_.count(), start);
    return got;
  }

  operands source_of(const device_slot& slot, std::int64_t first) const {
    const bool two = input_.count() == 2;
    if (how_ == transfer::mapped) return mapped_;
    if (how_ == transfer::staged) return {slot.pinned.data(), two ? slot.pinned.data() + slot.bytes : nullptr};
    const auto at = [&](const void* array) { return static_cast<const std::byte*>(array) + first * item_; };
    return {at(input_.memory.x), two ? at(input_.memory.y) : nullptr};
  }

  // False if somebody failed, and the chunk before this one may never come.
  bool wait_for(std::int64_t number) {
    for (std::int64_t seen = turn_.load(); seen != number; seen = turn_.load()) {
      if (seen == abandoned) return false;
      turn_.wait(seen);
    }
    return true;
  }

  bool one_sum() const { return endless_ || plan_.what.as_state; }

  const plan& plan_;
  const inputs& input_;
  const host_options& options_;
  const bool endless_;
  const slabs array_;
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
  device_streams streams_;
  std::optional<device_sink> sink_;
  std::vector<std::unique_ptr<device_slot>> slots_;
  std::optional<host_reader> reader_;
  std::atomic<std::int64_t> turn_{0};
};

}  // namespace

streamed run_device(const plan& p, const inputs& input, void* results, const host_options& options) {
  const bool endless = has_unknown_length(input.x.layout());
  if (!endless && p.form.elements() == 0) {
    host::run(p, nullptr, results);
    return {};
  }
  if (!endless && !streams_to_device(p.form)) {
    throw unsupported_error(input.x.name() + ": these axes leave no rows or columns to send to the GPU in chunks: " +
                            "use the host engine");
  }
  return pipeline(p, input, results, options).run(results);
}

}  // namespace multifold::stream
