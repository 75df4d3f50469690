// The memory that runs need beside their arrays.
#pragma once

#include <algorithm>
#include <cstdint>

#include "multifold/cuda/buffer.hpp"
#include "rungs/10b_three_passes.cuh"
#include "rungs/common.cuh"

namespace multifold::ladder::gpu {

inline int multiprocessors_here() {
  int device = 0, count = 0;
  check(cudaGetDevice(&device));
  check(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device));
  return count;
}

/// Room for the partial results of any rung, and for its result.
template <class Op>
class run_memory {
  using acc = typename Op::acc;

 public:
  /// For runs of up to `count` elements in blocks of `threads` or more.
  explicit run_memory(std::int64_t count, int threads = 256)
      : multiprocessors_(multiprocessors_here()),
        first_(bytes_of(most_partials(count, threads, multiprocessors_))),
        second_(bytes_of(most_partials(most_partials(count, threads, multiprocessors_), threads, multiprocessors_))),
        result_(bytes_of(1)),
        arrivals_(sizeof(unsigned)) {
    check(cudaMemset(arrivals_.data(), 0, sizeof(unsigned)));
    check(cudaDeviceSynchronize());  // the streams of runs do not wait for the default stream
  }

  run<Op> run_of(elements<Op> in, std::int64_t count, cudaStream_t stream, int threads = 256) const {
    run<Op> r;
    r.x = in.x;
    r.y = in.y;
    r.count = count;
    r.result = as_acc(result_);
    r.space[0] = as_acc(first_);
    r.space[1] = as_acc(second_);
    r.arrivals = reinterpret_cast<unsigned*>(arrivals_.data());
    r.threads = threads;
    r.multiprocessors = multiprocessors_;
    r.stream = stream;
    return r;
  }

  /// The result, once all of `stream` is done.
  acc value(cudaStream_t stream) const {
    acc value;
    check(cudaMemcpyAsync(&value, result_.data(), sizeof value, cudaMemcpyDeviceToHost, stream));
    check(cudaStreamSynchronize(stream));
    return value;
  }

  /// So that a result which is not written, or made of partial results that are not, shows.
  void poison(cudaStream_t stream) const {
    for (const cuda::device_buffer* each : {&first_, &second_, &result_}) {
      check(cudaMemsetAsync(each->data(), 0xa5, static_cast<std::size_t>(each->size()), stream));
    }
  }

 private:
  // Rungs of an element a thread need blocks of two; grids that stay have at most 32 blocks an SM.
  static std::int64_t most_partials(std::int64_t count, int threads, int multiprocessors) {
    return std::max({ceil_div(count, std::max(threads, 2)), std::int64_t{64} * multiprocessors, most_first_rows});
  }
  static std::int64_t bytes_of(std::int64_t results) { return results * static_cast<std::int64_t>(sizeof(acc)); }
  static acc* as_acc(const cuda::device_buffer& memory) { return reinterpret_cast<acc*>(memory.data()); }

  int multiprocessors_;
  cuda::device_buffer first_, second_, result_, arrivals_;
};

}  // namespace multifold::ladder::gpu
