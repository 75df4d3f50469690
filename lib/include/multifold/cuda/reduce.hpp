// reduce of device memory in an environment: on its stream, with its memory, and a status word if it has one.
#pragma once

#include "multifold/cuda/environment.hpp"
#include "multifold/export.hpp"
#include "multifold/reduce.hpp"

namespace multifold::inline v0_1::cuda {

/// reduce of an array in device memory, in an environment: cuda::reduce(op_kind::sum, x, {.stream = s, .memory = pool}).
/// Shapes:   as reduce.
/// Memory:   the workspace, and room for the results, of env.memory; the library keeps none of it for the next call, and
///           no graph of it.
/// Stream:   all is on env.stream, which is synchronised; options.stream is not looked at.
/// Errors:   env.status, where there is one, says how it went: what an exception says here, for a kernel of yours.
/// Throws:   as reduce, and what env.memory throws; shape_error for a status word that is misaligned.
/// Cost:     small arrays take longer than by reduce, which launches a graph that it has kept. Arrays in host memory are
///           reduced as by reduce, behind env.stream, and take nothing of env.memory.
MULTIFOLD_EXPORT reduce_result reduce(op_kind op, const array_view& array, const environment& env,
                                      const reduce_options& options = {});

/// The same of dot and cov of two arrays.
MULTIFOLD_EXPORT reduce_result reduce(op_kind op, const array_view& x, const array_view& y, const environment& env,
                                      const reduce_options& options = {});

}  // namespace multifold::inline v0_1::cuda
