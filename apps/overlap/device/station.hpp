// What one stream of chunks works with on the GPU: a place for a chunk, and the sum of those that came by.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <optional>

#include "multifold/cuda/buffer.hpp"
#include "multifold/cuda/event.hpp"
#include "multifold/cuda/stream.hpp"
#include "multifold/exact.hpp"
#include "multifold/graphs/graph.hpp"
#include "multifold/plan.hpp"
#include "overlap/device/trace.hpp"

namespace multifold::overlap {

/// A chunk of an array in the host's memory.
struct chunk_of_array {
  const std::byte* data;
  std::int64_t number, bytes;
};

class station {
 public:
  /// `chunk` is the plan of a chunk in device memory. Its reduction is done `times` times, and counts once.
  explicit station(const plan& chunk, int times = 1);

  cudaStream_t stream() const { return stream_.get(); }

  /// The sum of nothing.
  void clear(cudaStream_t on);
  void copy(const chunk_of_array& c, cudaStream_t on, device_trace& trace, bool captured = false);
  void reduce(const chunk_of_array& c, cudaStream_t on, device_trace& trace, bool captured = false);
  /// Brings the sum to the host, where it is when `on` has come so far.
  void fetch(cudaStream_t on, device_trace& trace);
  const exact_sum<float>& sum() const { return *reinterpret_cast<const exact_sum<float>*>(fetched_.data()); }

  /// Seconds that `reduce` of this chunk takes, `count` times one after the other and without copies.
  double reducing_seconds(const chunk_of_array& c, int count);

 private:
  void accumulate(std::byte* into, cudaStream_t on);

  plan chunk_;
  cuda::stream stream_;
  cuda::device_buffer data_, workspace_, accumulator_, other_;
  cuda::pinned_buffer fetched_;
  std::optional<graphs::executable> repeated_;
};

/// The plan for `count` elements of f32 to be summed.
plan sum_plan(std::int64_t count);

}  // namespace multifold::overlap
