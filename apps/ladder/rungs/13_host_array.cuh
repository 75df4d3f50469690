// Rung 13, the host's array: it is copied to the GPU in chunks, and reduced on the way.
//
// The GPU's own memory may be too small for the array, or the array may be in the host's memory to begin with. The link
// between the two is far slower than either. Copy engines do the copying, and need no thread of the GPU; they read
// memory that is pinned, which the operating system may not move or swap out.
// Work in one stream goes step by step: copy a chunk, reduce it, copy the next into its place. While one of the two is
// done, the other rests. With two streams, each with a place for a chunk of its own, the copies of one stream go on
// while the chunk of the other is reduced; four streams even out what is left. Events make the streams wait for the
// beginning, and the end wait for the streams.
// Defect: the link is the limit now. Only less to copy would help.
// Next: the sum itself (14_exact.cuh).
#pragma once

#include <memory>
#include <vector>

#include "11_vectors.cuh"
#include "multifold/cuda/buffer.hpp"
#include "multifold/cuda/event.hpp"
#include "multifold/cuda/stream.hpp"

namespace multifold::ladder::gpu {

/// An array in pinned memory, and what is needed to reduce it in chunks. Made of the run's array in device memory.
template <class Op>
class host_array {
  using value = typename Op::value_type;
  using acc = typename Op::acc;
  static constexpr std::int64_t chunk_elements = (16 << 20) / sizeof(value), arrays = Op::two_arrays ? 2 : 1;
  static constexpr std::int64_t place_bytes = chunk_elements * sizeof(value);

 public:
  host_array(const run<Op>& r, int streams)
      : r_(r),
        memory_(arrays * r.count * static_cast<std::int64_t>(sizeof(value))),
        results_(ceil_div(r.count, chunk_elements) * static_cast<std::int64_t>(sizeof(acc))),
        places_(static_cast<std::size_t>(streams)) {
    check(cudaStreamSynchronize(r.stream));
    const auto bytes = static_cast<std::size_t>(r.count) * sizeof(value);
    check(cudaMemcpy(host(0), r.x, bytes, cudaMemcpyDeviceToHost));
    if (Op::two_arrays) check(cudaMemcpy(host(1), r.y, bytes, cudaMemcpyDeviceToHost));
    for (place& each : places_) {
      each.data = cuda::device_buffer(arrays * place_bytes);
      // As many partial results as launch_vectors can leave: no SM has more than 64 blocks.
      each.space = cuda::device_buffer(std::int64_t{64} * r.multiprocessors * static_cast<std::int64_t>(sizeof(acc)));
    }
  }

  void launch() const {
    start_.record(r_.stream);
    for (const place& each : places_) start_.hold_back(each.stream.get());
    const std::int64_t chunks = ceil_div(r_.count, chunk_elements);
    for (std::int64_t c = 0; c < chunks; ++c) reduce_chunk(c, places_[static_cast<std::size_t>(c) % places_.size()]);
    for (const place& each : places_) {
      each.done.record(each.stream.get());
      each.done.hold_back(r_.stream);
    }
    auto* const results = reinterpret_cast<acc*>(results_.data());
    rows_by_shuffle<8, Op><<<1, r_.threads, 0, r_.stream>>>(partials<Op>{results}, chunks, chunks, r_.result);
    check_launch();
  }

 private:
  struct place {
    cuda::stream stream;
    cuda::device_buffer data, space;
    cuda::event done;
  };

  value* host(int array) const { return reinterpret_cast<value*>(memory_.data()) + array * r_.count; }

  void reduce_chunk(std::int64_t c, const place& at) const {
    const std::int64_t first = c * chunk_elements, count = std::min(chunk_elements, r_.count - first);
    run<Op> chunk = r_;
    for (int a = 0; a < arrays; ++a) {
      auto* const to = reinterpret_cast<value*>(at.data.data()) + a * chunk_elements;
      check(cudaMemcpyAsync(to, host(a) + first, static_cast<std::size_t>(count) * sizeof(value),
                            cudaMemcpyHostToDevice, at.stream.get()));
      (a == 0 ? chunk.x : chunk.y) = to;
    }
    chunk.count = count;
    chunk.result = reinterpret_cast<acc*>(results_.data()) + c;
    chunk.space[0] = reinterpret_cast<acc*>(at.space.data());
    chunk.stream = at.stream.get();
    launch_vectors(chunk);
  }

  const run<Op> r_;
  const cuda::pinned_buffer memory_;
  const cuda::device_buffer results_;
  std::vector<place> places_;
  cuda::event start_;
};

}  // namespace multifold::ladder::gpu
