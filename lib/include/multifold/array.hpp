// A reduction of an array in its normal form (outer, length, inner).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "multifold/export.hpp"
#include "multifold/view.hpp"

namespace multifold::inline v0_1 {

/// Where the elements of a reduction lie: one array, or two of the same dtype, extents and strides.
struct operands {
  const void* x = nullptr;
  const void* y = nullptr;

  operands(const void* first) noexcept : x(first) {}  // NOLINT: most reductions read one array
  operands(const void* first, const void* second) noexcept : x(first), y(second) {}
};

/// One run of equally spaced elements.
struct run {
  std::int64_t extent = 1;
  std::int64_t stride = 0;         // elements of the input
  std::int64_t result_stride = 0;  // results; 0 for reduced runs
  bool reduced = false;

  bool operator==(const run&) const = default;
};

/// The way a reduction reads memory.
enum class access : std::uint8_t {
  rows,     // batches of contiguous elements: inner == 1, length stride 1
  columns,  // inner neighbours are contiguous and kept
  strided,  // anything else: an offset is computed for every element
};

/// A reduction in normal form: `outer * inner` results, each over `length` elements.
///
/// `kept` and `reduced` list every run that is left after merging neighbours, slowest first. Batches are numbered in C
/// order of `kept`, and the elements of a batch in C order of `reduced`: this is the only numbering there is, and every
/// kernel, whether it reads `kept` or `outer` and `inner`, goes by it. A batch's number says nothing about the place of
/// its result: that is what result strides are for, because kept axes have their own order in the result, whatever
/// their order in memory. Where `pattern` is not `strided`, the same runs stand in `outer`, `length` and `inner`
/// (unused ones have extent 1).
struct batches {
  std::int64_t outer = 1;
  std::int64_t length = 1;
  std::int64_t inner = 1;
  access pattern = access::rows;
  bool reordered = false;   // elements of a batch are not numbered as in the view, but along memory
  std::int64_t offset = 0;  // elements from `data` to the first element in normal order
  run outer_run, length_run, inner_run;
  std::vector<run> kept;
  std::vector<run> reduced;

  std::int64_t results() const noexcept { return outer * inner; }
  std::int64_t elements() const noexcept { return outer * inner * length; }

  /// Elements from `data` to element `index` of batch `batch`.
  MULTIFOLD_EXPORT std::int64_t offset_of(std::int64_t batch, std::int64_t index) const noexcept;
  /// Where the result of `batch` stands.
  MULTIFOLD_EXPORT std::int64_t result_of(std::int64_t batch) const noexcept;

  bool operator==(const batches&) const = default;
};

/// Whether elements of a batch may be visited in any order (sum) or must keep their index (argmin).
enum class element_order : std::uint8_t { any, indexed };

/// Brings `view`, reduced over `axes` (empty: none; negative axes count from the end), into normal form.
/// Throws shape_error for an axis out of range or named twice, or extents and strides that do not fit.
MULTIFOLD_EXPORT batches normalise(const array_view& view, const std::vector<std::int64_t>& axes, element_order order);

/// Every axis of an array of `rank`.
MULTIFOLD_EXPORT std::vector<std::int64_t> all_axes(std::int64_t rank);

/// The extents of the result; reduced axes are dropped, or stay as 1 with `keepdims`.
MULTIFOLD_EXPORT std::vector<std::int64_t> result_extents(const array_view& view, const std::vector<std::int64_t>& axes,
                                                          bool keepdims);

}  // namespace multifold::inline v0_1
