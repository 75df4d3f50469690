// The filler threads: each owns a slot, claims a chunk, reads it, and waits for its turn to send it to the GPU.
#include "stream/device_stream.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "host/crew.hpp"
#include "host/engine.hpp"
#include "multifold/cuda/error.hpp"
#include "multifold/error.hpp"
#include "stream/device_boxes.hpp"
#include "stream/device_sink.hpp"
#include "stream/host_reader.hpp"
#include "stream/host_slabs.hpp"

namespace multifold::stream {
namespace {

// 16 MiB chunks reach 99 % of a PCIe 5 link, 1 MiB chunks 88 %.
constexpr std::int64_t chunk_bytes = INT64_C(16) << 20;
constexpr std::int64_t least_chunk_bytes = INT64_C(1) << 20;
constexpr int most_fillers = 12;

class pipeline {
 public:
  pipeline(const plan& p, const inputs& input, const host_options& options, bool endless)
      : options_(options),
        nest_(endless ? endless_slab().nest : host::nest_of(p.form)),
        item_(item_bytes(p.what.input)),
        sink_(p.what, nest_, p.engine) {
    cuda::check(cudaGetDevice(&device_));
    const std::int64_t elements = endless ? -1 : p.form.elements();
    const std::int64_t allowed = options.memory_bytes > 0 ? options.memory_bytes : default_memory_bytes;
    const std::int64_t limit = allowed / input.count();  // for chunks of each array
    if (limit < least_chunk_bytes) {
      throw out_of_memory("reading for the GPU takes a pinned slot of " +
                          std::to_string(least_chunk_bytes * input.count()) + " bytes at least, but " +
                          std::to_string(allowed) + " are allowed: allow more");
    }
    // At least two slots, so that one is filled while the other travels.
    std::int64_t chunk = std::clamp(limit / 2, least_chunk_bytes, chunk_bytes);
    if (elements >= 0) chunk = std::clamp(elements * item_ / 2, least_chunk_bytes, chunk);
    const int threads = options.threads > 0 ? options.threads : host::usable_threads();
    std::int64_t slots = std::min<std::int64_t>({limit / chunk, std::max(threads, 2), most_fillers});
    if (elements >= 0) slots = std::clamp<std::int64_t>(elements * item_ / chunk + 1, 1, slots);
    for (std::int64_t i = 0; i < slots; ++i) slots_.push_back(std::make_unique<device_slot>(chunk, input.count()));
    reader_.emplace(input, elements, chunk / item_, chunk, options.stop);
  }

  std::int64_t run(const plan& p, void* results) {
    host::run_crew(static_cast<int>(slots_.size()), [this](int worker) {
      try {
        fill(*slots_[static_cast<std::size_t>(worker)]);
      } catch (...) {
        reader_->stop();
        turn_ = abandoned;
        turn_.notify_all();
        throw;
      }
    });
    const std::int64_t count = reader_->elements();
    const bool endless = nest_.length == INT64_MAX;
    if (endless && count == 0 && !has_identity(p.what.op) && !p.what.initial.given) {
      throw shape_error(std::string(name(p.what.op)) + " of no elements has no value: give an initial value");
    }
    sink_.finish(endless ? count : nest_.length, results);
    if (options_.progress) options_.progress(count * item_);
    return count;
  }

 private:
  static constexpr std::int64_t abandoned = -1;

  void fill(device_slot& slot) {
    cuda::check(cudaSetDevice(device_));  // every thread starts on device 0
    while (std::optional<chunk> c = reader_->claim()) {
      slot.copied.synchronise();
      const std::int64_t got = reader_->read(*c, 0, slot.pinned.data(), c->count);
      if (!wait_for(c->number)) return;
      if (got > 0) sink_.consume(slot, {c->first, c->first + got});
      if (options_.progress) options_.progress((c->first + got) * item_);
      turn_ = c->number + 1;
      turn_.notify_all();
    }
  }

  // False if somebody failed, and the chunk before this one may never come.
  bool wait_for(std::int64_t number) {
    for (std::int64_t seen = turn_.load(); seen != number; seen = turn_.load()) {
      if (seen == abandoned) return false;
      turn_.wait(seen);
    }
    return true;
  }

  const host_options& options_;
  const host::nest nest_;
  const std::int64_t item_;
  int device_ = 0;
  device_sink sink_;
  std::vector<std::unique_ptr<device_slot>> slots_;
  std::optional<host_reader> reader_;
  std::atomic<std::int64_t> turn_{0};
};

}  // namespace

std::int64_t run_device(const plan& p, const inputs& input, void* results, const host_options& options) {
  const bool endless = has_unknown_length(input.x.layout());
  if (!endless && p.form.elements() == 0) {
    host::run(p, nullptr, results);
    return 0;
  }
  if (!endless && !streams_to_device(p.form)) {
    throw unsupported_error(input.x.name() + ": these axes leave no rows or columns to send to the GPU in chunks: " +
                            "use the host engine");
  }
  return pipeline(p, input, options, endless).run(p, results);
}

}  // namespace multifold::stream
