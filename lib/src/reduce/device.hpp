// The GPU engine as the API sees it, whether or not this build and this machine have it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "multifold/plan.hpp"
#include "multifold/reduce.hpp"
#include "multifold/reduction.hpp"
#include "reduce/segments/request.hpp"
#include "stream/host/stream.hpp"
#include "stream/inputs.hpp"

namespace multifold::inline v0_1 {

namespace cuda {
struct environment;
}

namespace detail {

/// Whether there may be a GPU to run on; if not, `reason` says why. None is opened.
bool has_device(std::string& reason);

/// Whether the current device, which is opened, runs the kernels of this build; if not, `reason` says why.
bool opens_device(std::string& reason);

/// The devices that kernels of this build run on, by CUDA's numbers. None is opened.
std::vector<int> devices_with_kernels();

/// Makes `device` the current one of this thread.
void use_device(int device);

/// The current device of this thread.
int device_in_use();

/// The device whose memory `at` is in. Throws: unsupported_error if it is no device memory.
int device_of(const void* at);

/// Traits of the current device.
engine_traits current_device();

/// Reduces an array in device memory, or two, into `results` on the host: values, or the state of an exact sum if that
/// is asked for. Begins after what is on `after` now; null is the default stream.
/// Throws: unsupported_error if that is being captured.
void run_on_device(const plan& p, const operands& data, void* results, CUstream_st* after);

/// The same on the stream of `env` and in its memory, and env.status says how it went. Throws: what that memory throws,
/// too; shape_error for a status word that is misaligned.
void run_in_environment(const plan& p, const operands& data, void* results, const cuda::environment& env);

/// The same in two steps, so that other devices start in between: enqueues what there is to do on the current device, and
/// does not wait. Throws as run_on_device.
class device_work {
 public:
  device_work(const plan& p, const operands& data, CUstream_st* after);
  device_work(device_work&&) noexcept;
  ~device_work();

  /// Waits; once.
  void finish(void* results);

 private:
  class running;
  std::unique_ptr<running> running_;
};

/// Reduces segments of an array, or of two, into `results` on the host, and returns their elements; begins as
/// run_on_device does. The list is in host memory and checked, or in device memory and not.
std::int64_t run_segments_on_device(const segment_request& request, void* results, CUstream_st* after);

/// The same of groups, request.of.count of them, by a list of keys. Throws: shape_error for a key that is no group, and
/// for a group that is empty and has no value.
void run_groups_on_device(const segment_request& request, const array_view& keys, void* results, CUstream_st* after);

/// The calling thread waits for what is on `stream` now. Throws: unsupported_error if that is being captured.
void wait_for(CUstream_st* stream);

/// Reduces a source, or two, that is read in chunks.
stream::streamed stream_to_device(const plan& p, const stream::inputs& input, void* results,
                                  const stream::host_options& options);

/// The same by the device and the CPU together; see stream/device/sharing.hpp.
stream::streamed share_with_device(const plan& p, const stream::inputs& input, void* results,
                                   const stream::host_options& options);

/// Whether the two can share arrays of this form, and little of it twice.
bool device_shares(const reduction& what, const batches& form);

/// Whether chunks of a dense array of this form can be sent to the device as they are.
bool device_takes_chunks(const batches& form);

}  // namespace detail
}  // namespace multifold::inline v0_1
