// What one operation makes of the chunks that a pipeline reads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "host/fold.hpp"
#include "multifold/plan.hpp"
#include "stream/host/chunk.hpp"
#include "stream/host/merge.hpp"
#include "stream/host/slices.hpp"
#include "stream/host/turnstile.hpp"

namespace multifold::inline v0_1::stream {

/// Whether the elements of a slice end somewhere.
enum class slice_end : std::uint8_t {
  known,
  none,   // a stream of unknown length: results are made in the end
  whole,  // an array that is shared: results are made in the end, and what a thread gathers waits until then
};

class host_consumer {
 public:
  host_consumer(const plan& p, void* results, slices array, slice_end end);

  /// Before any chunk. `other`: bytes from the elements of the first array to those of a second one.
  void begin(std::ptrdiff_t other);

  const host::fold& fold() const { return fold_; }
  const slices& array() const { return slices_; }
  /// Whether each chunk has accumulators of its own. Else it is passed on from thread to thread as a whole.
  bool copies() const { return copies_; }
  /// A thread's accumulators.
  host_chunk make_chunk();

  /// The elements `range`, the first of which is at `data`, in order; then, of all that copies, `submit`.
  void add(host_chunk& state, std::int64_t chunk, host::interval range, const std::byte* data);
  void submit(host_chunk& state, std::int64_t chunk);
  /// When a thread is through.
  void leave(host_chunk& state);
  /// A chunk will never come.
  void abandon();

  /// Adds what a GPU has gathered; by so many threads.
  void merge_whole(const std::byte* accumulators, int threads);
  /// After the last chunk. Throws: what went wrong with a result; shape_error if `length` elements have no value.
  void finish(std::int64_t length, int threads);

 private:
  bool is_open() const { return end_ != slice_end::known; }

  const reduction& what_;
  const host::fold fold_;
  const slices slices_;
  const slice_end end_;
  const bool copies_;
  result_sink sink_;
  std::ptrdiff_t other_ = 0;
  std::unique_ptr<host_merge> merge_;
  std::unique_ptr<host_turnstile> turnstile_;
};

}  // namespace multifold::inline v0_1::stream
