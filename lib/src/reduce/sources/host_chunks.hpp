// Arrays in host memory, as a GPU gets them in chunks: as they lie there, or gathered into dense ones on the way.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "multifold/array.hpp"
#include "multifold/source.hpp"
#include "reduce/request.hpp"
#include "stream/inputs.hpp"

namespace multifold::inline v0_1::detail {

/// Whether the elements of `view` fill a contiguous range of memory that starts with the first one, in any order of the
/// axes.
bool is_dense(const array_view& view);

/// The axes of `view`, slowest first, in the order in which chunks bring its elements; empty for the order of memory,
/// if chunks can be cut out of it as they are. Otherwise it is an order in which rows, or columns of which a slice
/// takes no more than `memory_bytes` of accumulators, are complete one after the other.
std::vector<std::int64_t> order_of_chunks(const array_view& view, const std::vector<std::int64_t>& axes,
                                          const reduction& what, std::int64_t memory_bytes);

/// `view` as if its elements were dense, with its axes in `order`.
array_view dense_in(const array_view& view, const std::vector<std::int64_t>& order);

/// The arrays of a request. The form of `r` becomes that of the chunks.
class host_chunks {
 public:
  /// `y` is null for operations that take one array; it has the strides of `x`.
  /// Throws: unsupported_error for a transfer out of pinned memory where elements have to be gathered.
  host_chunks(request& r, const array_view& x, const array_view* y, const reduce_options& options);

  stream::inputs input() const;

 private:
  std::unique_ptr<source> x_, y_;
  operands memory_ = nullptr;
};

/// The form that host_chunks gives a request.
batches form_of_chunks(const request& r, const array_view& view, const reduce_options& options);

}  // namespace multifold::inline v0_1::detail
