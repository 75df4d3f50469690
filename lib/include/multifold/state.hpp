// Reductions that are not finished: accumulators as bytes that other processes and machines add to, and that become
// values at the end. Every exact operation has a state, over any axes; docs/states.md has the format.
//
//   state so_far(op_kind::argmax, dtype::f32, {1000});              // of no elements, for 1000 columns
//   state rows = reduce_to_state(op_kind::argmax, part, {.axes = {0}});
//   rows.move(first_row_of_part);                                   // what keeps indices has to know where it begins
//   so_far.merge(rows);                                             // in any order: the bytes of the whole
//   const reduce_result where = so_far.finish(op_kind::argmax);     // the bytes of reduce over the whole
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "multifold/dtype.hpp"
#include "multifold/export.hpp"
#include "multifold/ops.hpp"
#include "multifold/reduce.hpp"

namespace multifold::inline v0_1 {

namespace detail {
struct state_contents;
}

/// What is said at the end, as in reduce_options.
struct finish_options {
  std::optional<dtype> result = {};  // default_result_dtype otherwise
  multifold::correction correction = 0;
  initial_value initial = {};
  // The axes that were reduced, which stay in the extents as 1 (keepdims); negative ones count from the end.
  std::optional<std::vector<std::int64_t>> keep_axes = {};
};

/// The state of a reduction: an accumulator for each result, of some elements of its batch.
///
/// Numerics: equal elements have equal states, byte for byte, however they were cut and in whatever order the states of
///           the parts were merged. What is finished has the bits of reduce over all elements.
///           argmin, argmax and describe keep indices of their elements, counted from 0 in each batch: move() says
///           where a part begins.
/// Memory:   the bytes of its file: 8 (any) to 1116 (cov of f64) for each result.
class MULTIFOLD_EXPORT state {
 public:
  /// Of no elements, for results of these extents (none: one result), without the axes that are reduced.
  /// Throws: unsupported_error for what has no state: products of floating point; shape_error for negative extents.
  state(op_kind op, dtype element, std::vector<std::int64_t> extents = {}, nan_policy nan = nan_policy::propagate);

  /// From what bytes() or reduce_result::state was, now or ever.
  /// Throws: format_error, naming byte, found and expected, unless `bytes` is one whole state.
  explicit state(std::span<const std::byte> bytes);

  state(const state& other);
  state(state&& other) noexcept;
  state& operator=(const state& other);
  state& operator=(state&& other) noexcept;
  ~state();

  std::vector<std::byte> bytes() const;

  /// Whether it finishes as `op`: the states of sum and mean are the same, and so are those of sumsq and norm2, of var
  /// and std, and of any, all and count_nonzero.
  bool has(op_kind op) const noexcept;
  dtype element() const noexcept;
  const std::vector<std::int64_t>& extents() const noexcept;
  /// The elements of each result; 0 where they differ, as those of segments do. Of one sum or mean of floating point:
  /// those that take part.
  std::int64_t count() const noexcept;
  /// Where they differ: of each result, in row-major order. Else empty.
  std::span<const std::int64_t> counts() const noexcept;
  /// Of operations that keep indices: that behind the last element, and 0 for all others.
  std::int64_t end() const noexcept;
  /// "argmax of f32 to (1000,)", for messages.
  std::string name() const;

  /// Lets every batch begin `by` elements earlier: of what keeps no indices nothing changes.
  /// Throws: shape_error if indices leave [0, 2^63 - 1].
  void move(std::int64_t by);

  /// Adds the elements of `other`. After any error nothing has changed.
  /// Throws: format_error, naming both, for a state of another operation, dtype, treatment of NaN or of other extents;
  ///         shape_error where both hold an element of the same index; overflow_error for counts beyond 2^63 - 1.
  void merge(const state& other);

  /// The results, as reduce gives them: `data` has them in row-major order.
  /// Throws: unsupported_error if it has no `op`, or options do not fit it; shape_error where there is no value, as the
  ///         least of no elements; overflow_error for one that does not fit its dtype.
  reduce_result finish(op_kind op, const finish_options& options = {}) const;

 private:
  std::unique_ptr<detail::state_contents> contents_;
};

/// The state that reduce leaves with reduce_options::keep_state, without the value (only_state): a part need not have
/// one, or one that fits its dtype. But for the sum or mean of floating point over all axes, which any engine keeps,
/// the host engine does it.
/// Shapes, Numerics, Cost: as reduce.
/// Memory: as reduce, and the state: docs/states.md has the bytes of each result.
/// Throws: as reduce; unsupported_error for the device engine, for both, and for arrays in device memory.
MULTIFOLD_EXPORT state reduce_to_state(op_kind op, const array_view& array, const reduce_options& options = {});
MULTIFOLD_EXPORT state reduce_to_state(op_kind op, const array_view& x, const array_view& y,
                                       const reduce_options& options = {});
MULTIFOLD_EXPORT state reduce_to_state(op_kind op, source& input, const reduce_options& options = {});
MULTIFOLD_EXPORT state reduce_to_state(op_kind op, source& x, source& y, const reduce_options& options = {});

/// The state of no elements at all of a sum or mean of a floating `element`: where a long run starts.
/// Throws: unsupported_error for integers; class state has theirs.
MULTIFOLD_EXPORT std::vector<std::byte> empty_state(dtype element);

/// The state of the elements of both, of any operation: the same bytes in any order of merges.
/// Throws: format_error, naming byte, found and expected, unless both are whole states, and of the kind of `a`;
///         else as state::merge.
MULTIFOLD_EXPORT std::vector<std::byte> merge_states(std::span<const std::byte> a, std::span<const std::byte> b);

/// The value of `op` of a state that holds one result, rounded once to `result` and written at `out`, which needs no
/// alignment. The sum of no elements is 0, their mean is NaN. A description has state::finish.
/// Throws: as state::finish; format_error as merge_states; shape_error for several results.
MULTIFOLD_EXPORT void round_state(std::span<const std::byte> state, op_kind op, dtype result, void* out);

}  // namespace multifold::inline v0_1
