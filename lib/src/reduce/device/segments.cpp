// Segments on the GPU: the list and the results are copied, arrays in host memory, too.
#include <cuda_runtime_api.h>

#include <cstring>
#include <string>

#include "device/capture_mode.hpp"
#include "multifold/cuda/buffer.hpp"
#include "multifold/cuda/error.hpp"
#include "multifold/cuda/segments.hpp"
#include "multifold/cuda/traits.hpp"
#include "multifold/graphs/capture.hpp"
#include "reduce/device.hpp"
#include "reduce/device/on_device.hpp"
#include "reduce/device/streams.hpp"

namespace multifold::inline v0_1::detail {
namespace {

void check_form(const segment_request& r) {
  if (!cuts_neighbours(r)) {
    throw unsupported_error(
        "on the GPU, segments are those of an array of one axis whose elements are neighbours: copy it densely, reduce "
        "columns one by one, or use the host engine");
  }
  if (!r.of.are_adjacent()) {
    throw unsupported_error(
        "on the GPU, segments follow each other: give them by offsets, or use the host engine for ranges");
  }
}

// The first offset and the last one, once the stream is through.
struct outer_offsets {
  alignas(8) std::byte first[8], last[8];

  outer_offsets(const segment_request& r, cudaStream_t stream) {
    const auto bytes = static_cast<std::size_t>(item_bytes(r.of.type));
    const auto* const from = static_cast<const std::byte*>(r.of.begins);
    const std::size_t to_last = static_cast<std::size_t>(r.of.count) * bytes;
    cuda::check(cudaMemcpyAsync(first, from, bytes, cudaMemcpyDefault, stream));
    cuda::check(cudaMemcpyAsync(last, from + to_last, bytes, cudaMemcpyDefault, stream));
  }
  std::int64_t apart(dtype type) const {
    if (type == dtype::i64) return number<std::int64_t>(last) - number<std::int64_t>(first);
    return std::int64_t{number<std::int32_t>(last)} - number<std::int32_t>(first);
  }

 private:
  template <class T>
  static T number(const std::byte* at) {
    T x;
    std::memcpy(&x, at, sizeof x);
    return x;
  }
};

void check_bounds(const segment_request& r, const cuda::segments_status& how) {
  if (how.bad_offset) {
    throw shape_error("offset " + std::to_string(*how.bad_offset) +
                      " falls, or leaves the array: expected offsets that ascend from 0 to at most " +
                      std::to_string(r.extent));
  }
  check_status(how.worst, r.what);
}

}  // namespace

std::int64_t run_segments_on_device(const segment_request& r, void* results, CUstream_st* after) {
  check_form(r);
  if (r.results == 0) return 0;
  const cuda::relaxed_capture_mode mode;
  if (after == nullptr) after = cudaStreamLegacy;
  graphs::refuse_captured(after);
  const cuda::stream stream = stream_behind(after);
  const std::int64_t list_bytes = (r.of.count + 1) * item_bytes(r.of.type), bytes = r.results * result_bytes(r.what);
  const on_device x(r, r.data.x, stream.get()), y(r, r.data.y, stream.get());
  const on_device list(r.of.begins, r.of.where, list_bytes, stream.get());
  const engine_traits gpu = cuda::device_traits();
  const cuda::device_buffer there(bytes), workspace(cuda::segments_workspace_bytes(r.what, r.extent, r.of.count, gpu));
  cuda::reduce_segments_async(r.what, {x.data(), y.data()}, r.extent, {list.data(), r.of.type, r.of.count},
                              there.data(), workspace.bytes(), gpu, stream.get());
  cuda::check(
      cudaMemcpyAsync(results, there.data(), static_cast<std::size_t>(bytes), cudaMemcpyDeviceToHost, stream.get()));
  const outer_offsets outer(r, stream.get());
  check_bounds(r, cuda::segments_status_of(workspace.bytes(), r.of.count, stream.get()));
  return outer.apart(r.of.type);
}

}  // namespace multifold::inline v0_1::detail
