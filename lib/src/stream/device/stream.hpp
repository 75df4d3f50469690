// The chunk pipeline of the GPU engine: reduces an array of any size in bounded pinned and device memory.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "multifold/plan.hpp"
#include "multifold/source.hpp"
#include "stream/host/stream.hpp"

namespace multifold::inline v0_1::stream {

/// Runs the reduction of `p` over `input`, like run_host, on the current CUDA device.
/// Shapes:   p.form is of a dense array, and streams_to_device.
/// Memory:   at most memory_bytes of pinned slots and results, and as much on the device; there also an accumulator a
///           result of one slice, and a workspace. Where the device has less, there are fewer and smaller slots. Arrays
///           that lie in pinned memory are copied from there, or read from there, and take no pinned slots.
/// Numerics: the same bits for any number of threads, any memory, and any way of transfer. But sums that are rounded on
///           the way depend on where a mapped array starts, modulo 128 bytes.
/// Throws:   as run_host, and cuda_error; unsupported_error for other forms, and for a transfer out of pinned memory
///           if the array is elsewhere; out_of_memory if there is no room for two slots of 512 KiB.
/// Cost:     reads each element once, copies it once; reading, copying, reducing and copying results back overlap.
streamed run_device(const plan& p, const inputs& input, void* results, const host_options& options = {});

/// The GPU's part of a reduction that it shares with the CPU. Its threads are the caller's.
class device_part {
 public:
  virtual ~device_part() = default;

  /// Threads that are worth while; numbered from 0 on, they may come late, and fewer.
  virtual int workers() const = 0;
  virtual transfer way() const = 0;
  virtual const std::string& note() const = 0;
  /// What it has taken so far.
  virtual transfer_memory memory() const = 0;
  /// Sends chunks to the GPU until there are no more; `thread` is told to the trace.
  virtual void work(int worker, int thread) = 0;
  /// Ends all work soon: somebody failed. Any thread.
  virtual void abandon() = 0;
  /// Elements that were reduced.
  virtual std::int64_t consumed() const = 0;
  /// When no thread works any more: waits for the results, or for the accumulators of an array that stays open, which go
  /// to `accumulators`. Throws: what went wrong with a result.
  virtual void finish(std::byte* accumulators) = 0;
};

/// As run_device, on the current device, for reductions that are same_in_any_order; the arguments live as long as the
/// part, which waits in its destructor for what uses their memory. In options.memory_bytes, and with as many threads
/// that fill slots as options.threads says.
std::unique_ptr<device_part> share_device(const plan& p, const inputs& input, void* results,
                                          const host_options& options, shared_array& shared);

}  // namespace multifold::inline v0_1::stream
