// The chunk pipeline of the CPU engine: reduces a source of any size in bounded memory.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "host/engine.hpp"
#include "multifold/plan.hpp"
#include "multifold/source.hpp"
#include "multifold/stop_signal.hpp"
#include "multifold/trace.hpp"
#include "multifold/transfer.hpp"
#include "stream/inputs.hpp"
#include "stream/shared_array.hpp"

namespace multifold::inline v0_1::stream {

inline constexpr std::int64_t default_memory_bytes = INT64_C(256) << 20;

struct host_options {
  int threads = 0;                // 0: as many as the process may use
  std::int64_t memory_bytes = 0;  // of chunk buffers; 0: default_memory_bytes
  stop_signal stop;
  std::function<void(std::int64_t bytes)> progress;  // bytes read so far; called from one thread at a time
  trace_sink trace = {};
  transfer way = transfer::automatic;  // of the GPU engine alone
};

/// Runs the reduction of `p` over `input`, whose layout is the dense array that p.form was made from (with the strides
/// of its order in memory). A stream of unknown length has a full reduction only, and its form does not matter; two
/// sources have a length.
/// Shapes:   `results` holds form.results() * result_bytes(what).
/// Memory:   at most memory_bytes of buffers and partial results, where the source may be read anywhere. What is read
///           from front to back has partial results open of one slice, the elements behind the slowest axes that are
///           kept: those have to fit memory_bytes, too, or 32 MiB more.
///           Of input.memory nothing is copied, and it takes no buffers.
/// Numerics: the same bits for any number of threads, and for any memory_bytes of 256 KiB and more.
/// Throws:   what the source throws, overflow_error, shape_error, cancelled_error, out_of_memory; `results` is then
///           unspecified.
/// Returns:  the number of elements read, of each source.
/// Cost:     reads each element once.
std::int64_t run_host(const plan& p, const inputs& input, void* results, const host_options& options = {});

/// The same for each of `jobs`, from one read. Partial results of all have to fit.
std::int64_t run_host(std::span<const host::job> jobs, const inputs& input, const host_options& options = {});

/// The CPU's part of a reduction that it shares with a GPU. Its threads are the caller's.
class host_part {
 public:
  virtual ~host_part() = default;

  /// Workers that there are buffers for, numbered from 0 on; fewer may come, and again when there are new units.
  virtual int threads() const = 0;
  /// Reduces chunks until there are no more, or `leave` says so between two of them.
  virtual void work(int worker, const std::function<bool()>& leave) = 0;
  /// Ends all work soon: somebody failed. Any thread.
  virtual void abandon() = 0;
  /// Elements that were reduced.
  virtual std::int64_t consumed() const = 0;

  /// Of an array that stays open, when no thread works any more: adds the accumulators that the GPU has gathered.
  virtual void merge_whole(const std::byte* accumulators) = 0;
  /// Makes the results that are still open, over `length` elements each. Throws: what went wrong with a result.
  virtual void finish(std::int64_t length) = 0;
};

/// As run_host, for reductions that are same_in_any_order; the arguments live as long as the part.
std::unique_ptr<host_part> share_host(const plan& p, const inputs& input, void* results, const host_options& options,
                                      shared_array& shared);

}  // namespace multifold::inline v0_1::stream
