// The API: reduce an array in memory, or a source that is read in chunks, and get the value back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "multifold/array.hpp"
#include "multifold/axes.hpp"
#include "multifold/correction.hpp"
#include "multifold/error.hpp"
#include "multifold/export.hpp"
#include "multifold/ops.hpp"
#include "multifold/plan.hpp"
#include "multifold/source.hpp"
#include "multifold/stop_signal.hpp"
#include "multifold/summary.hpp"
#include "multifold/transfer.hpp"
#include "multifold/view.hpp"

struct CUstream_st;  // what CUDA's cudaStream_t points to

namespace multifold::inline v0_1 {

/// `both`: CPU threads and the GPU share the array.
enum class engine_choice : std::uint8_t { automatic, host, device, both };

struct trace_event;  // trace.hpp
using trace_sink = std::function<void(const trace_event&)>;

MULTIFOLD_EXPORT std::string_view name(engine_choice choice) noexcept;
/// Names as `name` writes them, and cpu, gpu and cuda.
MULTIFOLD_EXPORT std::optional<engine_choice> parse_engine(std::string_view text) noexcept;

struct reduce_options {
  multifold::axes axes = {};  // all of them, unless others are named
  bool keepdims = false;
  // Boolean, in host memory, of the array's shape or broadcast to it as NumPy does: elements beside false take no part.
  std::optional<array_view> where = {};
  std::optional<dtype> result = {};  // default_result_dtype otherwise
  nan_policy nan = nan_policy::propagate;
  initial_value initial = {};
  // Of var, std, cov and describe: comes off the count. An integer, or any real number; NumPy's var takes 0, its cov 1.
  multifold::correction correction = 0;
  std::optional<accuracy> wanted = {};  // empty: the best there is for this operation and dtype
  bool keep_state = false;              // of what is exact, for merges (state.hpp); the host engine keeps all of them
  bool only_state = false;              // with keep_state: no value, which a part need not have, or one that fits
  engine_choice engine = engine_choice::automatic;  // automatic also asks the environment: MULTIFOLD_ENGINE
  int threads = 0;                                  // of the host engine, and that stage for a GPU; 0: all there are
  std::int64_t memory_bytes = 0;                    // for buffers of sources; 0: the default of 256 MiB
  std::string checkpoint = {};                      // of exact sums and means of a source: see reduce(op, source)
  double checkpoint_seconds = 10;                   // between two of them
  transfer way = transfer::automatic;               // of host arrays to the device engine
  // A cudaStream_t: nothing is read, or written to `into`, before the work that is on it now is done. Null: for arrays
  // in device memory that of the default stream, for all others none. See the table below.
  CUstream_st* stream = nullptr;
  // Host memory for the results, as many bytes as they take, instead of reduce_result::data, which stays empty then.
  // A GPU writes to pinned memory by itself. After an error, its contents are unspecified.
  std::span<std::byte> into = {};
  plan_options forced = {};  // for an array where its engine is; refused for what is read in chunks
  stop_signal stop = {};     // throws cancelled_error soon after a request
  std::function<void(std::int64_t bytes_read)> progress = {};  // called now and then, from one thread at a time
  trace_sink trace = {};                                       // of whatever is read in chunks: told of each
};

/// A result and what was done for it. `data` holds the elements in row-major order.
struct MULTIFOLD_EXPORT reduce_result {
  dtype type = dtype::f32;
  std::vector<std::int64_t> extents;  // empty for a single value
  std::vector<std::byte> data;   // of describe: struct summary, whose reals are of `type`; see reduce_options::into
  std::vector<std::byte> state;  // empty unless it was to be kept
  std::string engine;            // "host", "device" or "both"
  std::string device;            // the processor, or both, for people
  accuracy achieved = accuracy::fast;
  plan used;                      // what ran; without passes where the array came in chunks
  std::int64_t count = 0;         // input elements, of each array
  std::int64_t resumed = 0;       // as many of them as a checkpoint had already
  std::int64_t bytes = 0;         // input bytes that were read
  std::int64_t device_bytes = 0;  // as many of them as the GPU has reduced
  double seconds = 0;
  transfer way = transfer::automatic;  // how the array came to the device engine, if it was in host memory or a source
  transfer_memory memory;              // that this took
  std::string note;                    // what was done otherwise than the options have it, where memory was short, say

  /// The only element. Throws shape_error if there are more, or if T is not its dtype.
  template <storage_type T>
  T value() const {
    T x;
    copy_value(dtype_of<T>, &x);
    return x;
  }

  /// The only element as a T. Throws: shape_error if there are more; overflow_error if no T is the same number: an f64
  /// is a float only where nothing has to be rounded. reduce_options::result asks for results of another dtype.
  template <storage_type T>
  T as() const {
    T x;
    convert_value(dtype_of<T>, &x);
    return x;
  }

  /// All elements, in row-major order: of a result that goes away, as reduce(...).values<float>(), a copy of them.
  /// Throws shape_error if T is not their dtype.
  template <storage_type T>
  std::span<const T> values() const& {
    return {static_cast<const T*>(checked_values(dtype_of<T>)), data.size() / sizeof(T)};
  }
  template <storage_type T>
  std::vector<T> values() const&& {
    const std::span<const T> all = values<T>();
    return {all.begin(), all.end()};
  }

  /// The summary of batch `index`, in row-major order. Throws shape_error if op_kind::describe made no such one.
  const summary& described(std::int64_t index = 0) const;

  /// The same as numbers, of elements T and results of dtype Real. Throws shape_error, too, if they were others.
  template <storage_type T, storage_type Real = std::conditional_t<is_floating(dtype_of<T>), T, double>>
  auto described_as(std::int64_t index = 0) const {
    using whole = std::conditional_t<is_unsigned(dtype_of<T>), std::uint64_t, std::int64_t>;
    using result = statistics<T, Real, std::conditional_t<is_floating(dtype_of<T>), Real, whole>>;
    check_described(dtype_of<T>, dtype_of<Real>);
    return result(described(index));
  }

 private:
  void copy_value(dtype wanted, void* out) const;
  void convert_value(dtype wanted, void* out) const;
  const void* checked_values(dtype wanted) const;
  void check_single() const;
  void check_described(dtype element, dtype real) const;
};

// What the functions that take device memory, or memory that a GPU writes to, wait for, and what they leave undone:
//
// clang-format off
// | function                             | begins after                         | when it returns                        |
// |--------------------------------------|--------------------------------------|----------------------------------------|
// | reduce of device memory              | what is on options.stream; if that   | the result is in host memory; nothing  |
// |                                      | is null, on the default stream (*)   | is left to do                          |
// | cuda::reduce of device memory        | what is on its stream, which it uses | the same                               |
// | reduce of host memory, or of a       | what is on options.stream; if that   | the same                               |
// | source                               | is null, at once                     |                                        |
// | reduce_async, reduce_counted_async,  | what is on their stream              | all is left to do: arrays, results,    |
// | accumulate_async,                    |                                      | counts and workspaces are in use until |
// | fill_identity_async, lower_async,    |                                      | their stream is through                |
// | fold_async                           |                                      |                                        |
// | cuda::status_of, status_of of graphs | what is on its stream                | that is done                           |
// | making a pass_graph or batch_graph;  | at once: they touch no array         | launches under way keep what they were |
// | rebind, resize                       |                                      | launched with                          |
// | launch of these                      | what is on its stream, and the last  | as the _async functions                |
// |                                      | launch of the same graph             |                                        |
// | stream_graph::run                    | what is on the stream it is given;   | as reduce                              |
// |                                      | if that is null, at once             |                                        |
// | graph_cache::run                     | as reduce of device memory           | as reduce                              |
// | ~device_buffer                       | what is on any stream of the device  | that is done                           |
// | ~pinned_buffer                       | at once: wait first for what uses it | the memory is gone                     |
// clang-format on
//
// (*) CUDA's legacy default stream, which waits for all streams but those made with cudaStreamNonBlocking (as
// cuda::stream is) and those of threads (cudaStreamPerThread). A copy from pageable memory by cudaMemcpy is work of the
// default stream that may go on when cudaMemcpy has returned: a stream that does not wait for that one has to be waited
// for, or to do the copy itself, by cudaMemcpyAsync. What is captured does not run, so a stream that is being captured
// cannot be waited for: reduce and run refuse it; _async functions become nodes.

/// Reduces `array` (host or device memory, any strides) over the axes in `options`. CUDA is asked where an array lies
/// that does not say place::device: where that is device memory, it stays there.
/// Stream:   see the table. It runs on streams of its own, waits for its results, and can be called while other threads
///           capture, in whatever mode.
/// Memory:   host arrays on the host engine: accumulators only. On the device engine arrays are sent in chunks,
///           straight from where they are if that is pinned memory, else through pinned buffers of memory_bytes at
///           most. There arrays with gaps or repeats become dense ones, chunk by chunk, and those whose indices do not
///           ascend along memory come in another order. Both engines together read pinned and pageable arrays where
///           they are, but for what is staged.
///           options.where takes 8 bytes a result, and the host engine, for arrays in host memory.
/// Numerics: correctly rounded, the same bits on every engine; but products of floating point are accuracy::fast.
///           A var is (n P - S S) / (n (n - correction)) of the exact sums S of x and P of x x: nothing cancels, and
///           nothing of n - correction is rounded. It is NaN for no elements; where nothing is left of n, infinity, or
///           NaN if all elements are the same. Only the host engine takes corrections that are no integers.
/// Throws:   shape_error, unsupported_error, engine_error, overflow_error, out_of_memory, cancelled_error, cuda_error.
///           Of these, shape_error for a null pointer where there are elements, and for `into` of another size than
///           the results', or misaligned for them; and unsupported_error for memory that cannot be used where it is:
///           device memory by the host engine or in `into`, and as place::device what the current device cannot read;
///           for transfer::copy and mapped where the array does not lie in pinned memory, or not as it has to; for
///           engine_choice::both where it lies in device memory, or the result would depend on how it is shared: sums
///           of accuracy::fast, products of floating point; and for a stream that is being captured, or the default
///           stream while one that waits for it is. If the GPU fails then, the CPU does all, and the note says so.
/// Cost:     reads each element once.
MULTIFOLD_EXPORT reduce_result reduce(op_kind op, const array_view& array, const reduce_options& options = {});

/// dot and cov of two arrays, otherwise as above. A weighted sum is the dot of elements and weights (broadcast_to).
/// Shapes:   the same dtype and extents in the same place. Strides may differ in host memory, for the host engine;
///           elsewhere they are the same but along axes of extent 0 and 1.
/// Numerics: with nan_policy::omit, a pair with a NaN takes no part. A cov is
///           (n P - S T) / (n (n - correction)) of the exact sums S of x, T of y and P of x y.
MULTIFOLD_EXPORT reduce_result reduce(op_kind op, const array_view& x, const array_view& y,
                                      const reduce_options& options = {});

/// Reduces a source in bounded memory: options.memory_bytes of buffers and of partial results, and the results. On the
/// host engine a source without random access, such as a pipe, is refused with out_of_memory before it is read if
/// results that are open at once take more.
///
/// If options.checkpoint names a file, an exact sum or mean over all axes leaves there, about every
/// checkpoint_seconds, what it has summed so far, and goes on from there if the file exists: the bits are those of an
/// uninterrupted run. The file is replaced as a whole, and stays when all is summed; remove it when the result is safe.
/// It holds the source's identity and a digest of every element summed. Where the identity is another one, or there is
/// none (a copy, a file that was touched, a callback), what was summed is read again, at the speed of reading, which
/// `progress` tells of, but not `bytes`; and a checkpoint of other elements is refused.
/// Throws: as above, and io_error or format_error from the source, or about the checkpoint; unsupported_error for
///         checkpoints of other operations, of several results, and of sources without random access; for both engines
///         on such sources.
MULTIFOLD_EXPORT reduce_result reduce(op_kind op, source& input, const reduce_options& options = {});

/// dot and cov of two sources, which are read side by side in half of the memory each.
/// Shapes: the same dtype, extents and order of axes, and lengths that are known.
/// Throws: as above; messages name both sources, or the one that is at fault.
MULTIFOLD_EXPORT reduce_result reduce(op_kind op, source& x, source& y, const reduce_options& options = {});

/// The plan that reduce would run for an array of this layout, without reading it.
/// Throws: as reduce does before it reads; engine_error for an engine that is not here.
/// Cost:   about a microsecond; the first call of a process asks what GPU there is.
MULTIFOLD_EXPORT plan plan_for(op_kind op, const array_view& array, const reduce_options& options = {});

/// An engine of this machine.
struct engine_info {
  std::string name;
  std::string description;
  bool supported = false;
  std::string reason;  // why not
  engine_traits traits;
};

/// Every engine, the one that `automatic` prefers first. Throws: nothing; `reason` says why one is not supported.
/// Cost: the first call of a process opens the GPU, if there is one.
MULTIFOLD_EXPORT std::vector<engine_info> engines();

}  // namespace multifold::inline v0_1
