// Several GPUs of one machine: an array, or a file, goes to all of them in parts, or lies on them in parts already.
//
//   const std::vector<int> all = devices();
//   const reduce_result total = reduce_on_devices(all, op_kind::sum, *open_npy("x.npy"));
//   const array_view parts[] = {on_first, on_second};  // each in the memory of a GPU of its own
//   const reduce_result mean = reduce_parts(op_kind::mean, parts);
#pragma once

#include <span>
#include <vector>

#include "multifold/export.hpp"
#include "multifold/reduce.hpp"
#include "multifold/source.hpp"

namespace multifold::inline v0_1 {

/// CUDA's numbers of the GPUs that kernels of this build run on; none in builds without CUDA. No device is opened.
MULTIFOLD_EXPORT std::vector<int> devices();

/// Reduces an array in host memory by several GPUs, each of which takes an equal share from a thread of its own. A
/// device that is named twice takes two shares.
/// Shapes:   as reduce. Where the first axis is kept, devices take rows of it, and any operation will do. Over all
///           axes: the operations of reduce_parts.
/// Memory:   options.memory_bytes for all of them together. Pinned arrays are read where they lie.
/// Numerics: the bits of reduce on one engine, on any number of devices.
/// Throws:   as reduce; engine_error for a number that is no device, and for none at all; unsupported_error for other
///           axes and operations than these, for options that are for one engine (into, keep_state, a stream, where,
///           checkpoint, a forced plan), and for arrays in device memory, which reduce_parts takes.
/// Cost:     each element is read once. Results of `n` devices meet on the host, in microseconds.
MULTIFOLD_EXPORT reduce_result reduce_on_devices(std::span<const int> devices, op_kind op, const array_view& array,
                                                 const reduce_options& options = {});

/// The same of a source. Throws: also unsupported_error for sources without random access.
MULTIFOLD_EXPORT reduce_result reduce_on_devices(std::span<const int> devices, op_kind op, source& input,
                                                 const reduce_options& options = {});

/// Reduces all elements of `parts` to one value, as if they were one array: parts in device memory where they are, each
/// by the GPU that has it, those of different GPUs at the same time; parts in host memory by the host engine.
/// Shapes:   any, of one dtype; options.axes has to be all, and keepdims does nothing.
/// Operations: sums of any dtype, means of floating point, min, max, any, all and count_nonzero. A sum of integers has
///           to fit its dtype in each part; min and max with nan_policy::omit are refused.
/// Numerics: the bits of reduce over the whole: exact sums meet as states.
/// Stream:   begins after what is on the default stream of each device.
/// Throws:   as reduce_on_devices; shape_error for no parts, and for parts of several dtypes.
MULTIFOLD_EXPORT reduce_result reduce_parts(op_kind op, std::span<const array_view> parts,
                                            const reduce_options& options = {});

}  // namespace multifold::inline v0_1
