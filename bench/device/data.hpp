// The elements that are reduced, the exact results they must have, and the plain read and copy that nothing can beat.
//
// Unless a case asks for a data set, every element is v * 2^-scale for a random integer v that its dtype holds exactly,
// and never 0. So the exact sum of any number of them is a sum of integers, which the oracle takes in 128 bits whatever
// the dtype.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <string>

#include "multifold/cuda/buffer.hpp"
#include "multifold/dtype.hpp"
#include "multifold/ops.hpp"

namespace bench {

/// Fresh elements into `bytes` (a multiple of 16) at `data`: floats uniform in (-1, 1), i64 below 2^40 in magnitude,
/// other integers over their whole range.
void fill(multifold::dtype type, void* data, std::int64_t bytes, std::uint64_t seed, cudaStream_t stream);

/// What elements are drawn from. What exact sums cost depends on exponents, what others cost does not.
enum class data_set {
  integers,  // as above, with an oracle of their own; the others are for floating dtypes
  normal,
  uniform,  // in (0, 1)
  lognormal_1,
  lognormal_3,
  lognormal_10,
  lognormal_50,  // cut off at the greatest finite number
  any_finite,    // random bits
  adversarial,   // huge numbers and their negatives, tiny ones between them
};

/// The same, out of `set`.
void fill(multifold::dtype type, data_set set, void* data, std::int64_t bytes, std::uint64_t seed, cudaStream_t stream);

/// The normal form of a dense array: batches are numbered outer * inner.
struct shape3 {
  std::int64_t outer = 1, length = 1, inner = 1;
  std::int64_t results() const { return outer * inner; }
};

/// The exact result of one batch: a sum of integers as high * 2^26 + low, or the greatest integer and its first index.
struct exact_value {
  long long high_or_best;
  long long low_or_index;
};

/// Exact results of `op` (sum, mean, max or argmax), by a kernel that shares no code with multifold or its peers.
multifold::cuda::device_buffer exact_results(multifold::op_kind op, multifold::dtype type, const void* data,
                                             const shape3& shape, cudaStream_t stream);

/// How a contender may differ from the exact result.
enum class tolerance {
  exact,      // integers, maxima and indices
  modulo_32,  // integers that wrapped around at 32 bits
  f64,        // a sum of doubles, rounded once to the result
  f32,        // a sum of floats
  unchecked,  // accumulates in 8 or 11 bits: there is no useful bound
};

/// Compares results with `exact`; returns what is wrong with the first that is out of bounds, or nothing.
std::string compare(multifold::op_kind op, multifold::dtype input, const shape3& shape,
                    const multifold::cuda::device_buffer& exact, multifold::dtype type, const void* results,
                    tolerance allowed, cudaStream_t stream);

/// Reads `bytes` with 16-byte loads, and nothing else.
void read_async(const void* data, std::int64_t bytes, void* sink, cudaStream_t stream);

}  // namespace bench
