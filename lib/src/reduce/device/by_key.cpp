// Groups on the GPU: where it matters, keys are taken to ascend, and sorted if they turn out not to.
#include <cuda_runtime_api.h>

#include <string>

#include "device/capture_mode.hpp"
#include "device/keys/call.hpp"
#include "multifold/cuda/by_key.hpp"
#include "multifold/cuda/traits.hpp"
#include "multifold/graphs/capture.hpp"
#include "reduce/device.hpp"
#include "reduce/device/on_device.hpp"
#include "reduce/device/streams.hpp"
#include "reduce/segments/groups.hpp"

namespace multifold::inline v0_1::detail {
namespace {

std::int64_t key_at(const array_view& keys, std::int64_t i) {
  std::int64_t wide = 0;
  std::int32_t narrow = 0;
  const bool is_wide = keys.type == dtype::i64;
  const auto bytes = static_cast<std::size_t>(item_bytes(keys.type));
  void* const to = is_wide ? static_cast<void*>(&wide) : &narrow;
  cuda::check(
      cudaMemcpy(to, static_cast<const std::byte*>(keys.data) + i * item_bytes(keys.type), bytes, cudaMemcpyDefault));
  return is_wide ? wide : narrow;
}

cuda::by_key_status reduce_there(const segment_request& r, const operands& data, const cuda::device_keys& of,
                                 void* results, cudaStream_t stream) {
  const engine_traits gpu = cuda::device_traits();
  const cuda::device_buffer workspace(cuda::by_key_workspace_bytes(r.what, r.extent, of, gpu));
  cuda::reduce_by_key_async(r.what, data, r.extent, of, results, workspace.bytes(), gpu, stream);
  return cuda::by_key_status_of(workspace.bytes(), r.extent, of, stream);
}

}  // namespace

void run_groups_on_device(const segment_request& r, const array_view& keys, void* results, CUstream_st* after) {
  if (!cuts_neighbours(r)) {
    throw unsupported_error(
        "on the GPU, groups are those of an array of one axis whose elements are neighbours: copy it densely, reduce "
        "columns one by one, or use the host engine");
  }
  const cuda::relaxed_capture_mode mode;
  if (after == nullptr) after = cudaStreamLegacy;
  graphs::refuse_captured(after);
  const cuda::stream stream = stream_behind(after);
  const std::int64_t bytes = r.results * result_bytes(r.what);
  const on_device x(r, r.data.x, stream.get()), y(r, r.data.y, stream.get());
  const on_device list(keys.data, keys.where, r.extent * item_bytes(keys.type), stream.get());
  const operands data(x.data(), y.data());
  const cuda::device_buffer there(bytes);
  cuda::device_keys of{list.data(), keys.type, r.of.count, !cuda::keys::has_windows(r.what, r.of.count)};
  cuda::by_key_status how = reduce_there(r, data, of, there.data(), stream.get());
  if (how.bad_key) throw_bad_key(*how.bad_key, key_at(keys, *how.bad_key), r.of.count);
  of.ascend = false;
  if (!how.ascend) how = reduce_there(r, data, of, there.data(), stream.get());
  check_empty_group(r, how.empty_group.value_or(-1));
  check_status(how.worst, r.what);
  if (bytes == 0) return;
  cuda::check(
      cudaMemcpyAsync(results, there.data(), static_cast<std::size_t>(bytes), cudaMemcpyDeviceToHost, stream.get()));
  cuda::check(cudaStreamSynchronize(stream.get()));
}

}  // namespace multifold::inline v0_1::detail
