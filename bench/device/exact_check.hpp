// Whether exact sums and means are exact: their bits, and not how close they are.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <string>
#include <vector>

#include "device/cases.hpp"

namespace bench {

/// Checks what `timed`, the plan of `who`, made of `view`, which is the input of `c`.
///
/// The first 64 MiB of the input, as an array of their own, are summed by the CPU, too, and the whole by another chain
/// of kernels: the bits must be the same. Returns what is wrong, or nothing. Synchronises `stream`.
std::string check_exact(const bench_case& c, const contender& who, const multifold::array_view& view,
                        const multifold::plan& timed, const void* results, cudaStream_t stream);

/// The same for norms, dot products, variances and descriptions: the beginning of the input by the interpreter, and the
/// whole in other parts. `view` is that of the first array.
std::string check_moments(const bench_case& c, const contender& who, const multifold::array_view& view,
                          const multifold::plan& timed, const void* results, cudaStream_t stream);

/// The input of `c` whose first array is at `first`.
multifold::operands operands_of(const bench_case& c, const multifold::array_view& view, const void* first);

/// Compares the first results of a rounded contender with exact ones of the same case, where a bound is known: elements
/// that are normal or uniform. Returns what is wrong with the first that is out of bounds, or nothing.
std::string check_rounded(const bench_case& c, const multifold::plan& exact, const void* exact_results,
                          multifold::dtype type, const void* results, tolerance allowed, cudaStream_t stream);

}  // namespace bench
