// Ragged arrays: a list of segments, and the value of an operation for each of them.
#pragma once

#include <cstdint>

#include "multifold/array.hpp"
#include "multifold/export.hpp"
#include "multifold/reduce.hpp"
#include "multifold/source.hpp"

namespace multifold::inline v0_1 {

/// Where segments begin and end along an axis: segment i is [begins[i], ends[i]), in elements from the beginning of the
/// array. A list that somebody else owns, like array_view.
struct MULTIFOLD_EXPORT segments {
  const void* begins = nullptr;
  const void* ends = nullptr;
  dtype type = dtype::i64;  // of begins and ends: i32 or i64, at any address
  std::int64_t count = 0;
  place where = place::host;

  /// Segments that follow each other without gaps, as in a CSR matrix: segment i is [offsets[i], offsets[i + 1]).
  /// Shapes: one axis of neighbours, one more than there are segments. The first need not be 0, nor the last the end of
  ///         the array.
  /// Throws: shape_error for other shapes, and for no offset at all; unsupported_error for other dtypes.
  static segments from_offsets(const array_view& offsets);

  /// Segments in any order, with gaps between them, or overlapping.
  /// Shapes: one axis of neighbours each, of one length, dtype and place.
  /// Throws: as above.
  static segments from_ranges(const array_view& begins, const array_view& ends);

  /// Whether they follow each other.
  bool are_adjacent() const noexcept;
};

/// Reduces every segment of `array`.
/// Shapes:   options.axes names the axis that segments cut, and may be left out for arrays of one axis. The result has
///           of.count in place of its extent; the other axes are kept: with rows of 64 features, say, and segments of
///           rows, axis 0 gives 64 results a segment. Positions (argmin, argmax, describe) count from the beginning of
///           the segment. What is in no segment is not read.
/// Memory:   accumulators only; of segments that are long, some more a thread. Nothing depends on how long they are.
/// Numerics: as reduce of each segment: correctly rounded, the same bits for any number of threads. Sums of
///           accuracy::fast, and products of floating point, do not depend on threads or on other segments either. A
///           segment without elements has the value of an empty array: 0 for sums, NaN for means.
/// Engines:  arrays in host memory are reduced on the CPU, unless the device engine is asked for, and those in device
///           memory on the GPU: there they have one axis of neighbours, and segments are given by offsets.
/// States:   options.keep_state leaves one (state.hpp) with a record for each result, which counts its own elements: of
///           arrays in host memory, by the host engine, and of operations that keep no indices.
/// Throws:   as reduce; and shape_error for a segment that begins before element 0, ends before it begins, or ends past
///           the axis, for one without elements where that has no value (min, max, argmin and argmax without an initial
///           value), and for axes that are not one; all of that before anything is computed. unsupported_error for what
///           has no meaning here (keepdims, checkpoint, forced), for states of argmin, argmax and describe, and for a
///           list in device memory of an array in host memory. While it runs, others must not write to the list: what
///           is checked is read again.
/// Cost:     reads each element of each segment once, and the list twice. Threads share elements and segments alike, so
///           that it does not matter how long which are: about 40 ns a segment, and its elements.
MULTIFOLD_EXPORT reduce_result reduce(op_kind op, const array_view& array, const segments& of,
                                      const reduce_options& options = {});

/// dot and cov of the same segments of two arrays, which have to be alike as for reduce of two arrays, with the same
/// strides but along axes of extent 0 and 1.
MULTIFOLD_EXPORT reduce_result reduce(op_kind op, const array_view& x, const array_view& y, const segments& of,
                                      const reduce_options& options = {});

/// Reduces segments of a source, or of two, on the CPU: otherwise as above.
/// Shapes:   the length is known. Without random access segments have to ascend, as offsets do.
/// Memory:   options.memory_bytes, the list, and the results, where the axis is the slowest in the source: then
///           neighbours of the list are read together as far as they fit, and a longer segment in chunks. Else the
///           whole array has to fit.
/// Numerics: as above; but a sum of accuracy::fast of a segment that does not fit is added up along another tree.
/// Throws:   as above, and io_error or format_error from the source; out_of_memory.
/// Cost:     reads each element of each segment once where segments follow each other, and with ranges what lies
///           between those that are read together.
MULTIFOLD_EXPORT reduce_result reduce(op_kind op, source& input, const segments& of,
                                      const reduce_options& options = {});
MULTIFOLD_EXPORT reduce_result reduce(op_kind op, source& x, source& y, const segments& of,
                                      const reduce_options& options = {});

}  // namespace multifold::inline v0_1
