// The loops of a fold, and how they are shared out. Private to fold.hpp; the code is compiled once for all operations.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "multifold/array.hpp"
#include "multifold/axes.hpp"
#include "multifold/export.hpp"
#include "multifold/source.hpp"
#include "multifold/stop_signal.hpp"

namespace multifold::inline v0_1 {

struct fold_options {
  multifold::axes axes = {};  // all of them, unless others are named
  bool keepdims = false;
  int threads = 0;                // 0: all there are
  std::int64_t memory_bytes = 0;  // for buffers and partial results of sources; 0: the default of 256 MiB
  stop_signal stop = {};          // throws cancelled_error soon after a request
  std::function<void(std::int64_t bytes_read)> progress = {};  // called now and then, from one thread at a time
};

namespace detail {

inline constexpr std::size_t most_fold_arrays = 8;

/// One loop: `steps` bytes further in each array, and `number_step` in the results, or in the index within the batch.
struct fold_loop {
  std::int64_t extent = 1;
  std::int64_t number_step = 0;
  std::array<std::int64_t, most_fold_arrays> steps{};
};

/// What the planner has to know of an operation.
struct fold_traits {
  std::span<const dtype> types;  // of the arrays
  bool ordered, indexed;
  std::int64_t row_leaf, column_leaf;
  std::int64_t accumulator_bytes;
};

struct fold_interval {
  std::int64_t begin, end;
  std::int64_t size() const { return end - begin; }
};

/// Batches are numbered in C order of `kept`, and elements of a batch in C order of `reduced`; both stand in the order
/// in which they are walked, slowest first. A block is a few neighbouring batches, a range some whole leaves of each.
struct fold_shape {
  std::vector<fold_loop> kept, reduced;
  std::array<std::int64_t, most_fold_arrays> first{};  // bytes from each array's data to its first element
  std::int64_t first_result = 0, first_index = 0;
  std::int64_t results = 1, length = 1;
  bool columns = false;             // neighbours in memory belong to different batches
  std::int64_t run = 1, width = 1;  // batches of the innermost kept loop, or all; of a block, inside of a run
  std::int64_t blocks = 1, range = 1, ranges = 1;
  std::int64_t blocks_a_task = 1;     // above 1 where there are no ranges
  std::int64_t element_bytes = 0;     // of all arrays together
  std::vector<std::int64_t> extents;  // of the result

  MULTIFOLD_EXPORT fold_interval block(std::int64_t number) const;
  MULTIFOLD_EXPORT fold_interval range_at(std::int64_t number) const;
  /// The batches of [begin, end) that a block takes from its front.
  MULTIFOLD_EXPORT fold_interval front(fold_interval batches) const;
  std::int64_t tasks() const { return ranges > 1 ? blocks * ranges : (blocks - 1) / blocks_a_task + 1; }
};

/// Throws: shape_error, unsupported_error; see fold().
MULTIFOLD_EXPORT fold_shape make_fold_shape(std::span<const array_view> views, const fold_traits& traits,
                                            const fold_options& options);

/// The numbers of tasks, one after the other, for the threads that work on them.
class fold_tasks {
 public:
  virtual ~fold_tasks() = default;
  /// -1 where none is left, or some thread failed. Throws: cancelled_error.
  virtual std::int64_t next() = 0;
  /// Throws: cancelled_error. To be called every few thousand elements.
  virtual void check() = 0;
  virtual void tell_read(std::int64_t bytes) = 0;
};

/// Calls `work` on up to `threads` threads at the same time. Throws: what the first of them to fail threw.
MULTIFOLD_EXPORT void run_fold_tasks(int threads, std::int64_t tasks, const fold_options& options,
                                     const std::function<void(fold_tasks&)>& work);

/// Calls `work` on this thread, in the floating-point environment that tasks have.
MULTIFOLD_EXPORT void run_fold_alone(const std::function<void()>& work);

/// Groups that wait for their neighbours, by their place in a tree. Called by several threads at once.
class fold_waiting {
 public:
  virtual ~fold_waiting() = default;
  /// The neighbour of group `number` of a level, which waits no more; null if it is not there yet, and then `mine`
  /// waits.
  virtual std::shared_ptr<void> meet(int level, std::int64_t number, const std::shared_ptr<void>& mine) = 0;
  /// One of the lowest level, the last of the array; null if none waits. For one thread, when no other is left.
  virtual std::shared_ptr<void> take() = 0;
};

MULTIFOLD_EXPORT std::unique_ptr<fold_waiting> make_fold_waiting();

/// As many threads as an array of `elements` is worth, or as were asked for.
MULTIFOLD_EXPORT int fold_threads(const fold_shape& shape, const fold_options& options);

/// The sizes in which a source is read: `unit_elements` at a time, which are several slices or a part of one. A slice
/// is what lies behind the kept axes that are slower than all reduced ones.
struct fold_units {
  std::int64_t slices, slice_batches, slice_elements;
  bool whole_slices;
  std::int64_t unit_slices;  // of a unit, if they are whole
  std::int64_t unit_length;  // elements of each batch, else
  std::int64_t unit_elements;
  int threads;
  bool endless;  // of unknown length: slice_elements and slices mean nothing
};

/// The shape of a source, and its units. Throws: shape_error, unsupported_error, out_of_memory.
MULTIFOLD_EXPORT fold_shape make_fold_shape(const source& input, const fold_traits& traits,
                                            const fold_options& options);
MULTIFOLD_EXPORT fold_units make_fold_units(const source& input, const fold_shape& shape, const fold_traits& traits,
                                            const fold_options& options);

/// `count` elements of unit `number`, at `data`.
using fold_unit_work = std::function<void(std::int64_t number, const std::byte* data, std::int64_t count)>;

/// Reads elements [first, first + units.slice_elements) (all, where `units.whole_slices` or it is endless), unit by
/// unit, on several threads; each of them asks `make_work` for what it does with them.
/// Returns: how many there were. Throws: what the source and the work throw.
MULTIFOLD_EXPORT std::int64_t read_fold_units(source& input, const fold_units& units, std::int64_t first,
                                              const fold_options& options,
                                              const std::function<fold_unit_work()>& make_work);

}  // namespace detail
}  // namespace multifold::inline v0_1
