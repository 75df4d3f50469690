// Groups of an array: every element has a key, and an operation has a value for each key.
#pragma once

#include <cstdint>

#include "multifold/array.hpp"
#include "multifold/export.hpp"
#include "multifold/reduce.hpp"
#include "multifold/source.hpp"

namespace multifold::inline v0_1 {

/// Reduces the elements of each of `groups` groups: those of group g are the ones whose key is g.
/// Shapes:   keys have one axis of neighbours, i32 or i64 from 0 to groups - 1 in any order, as many as the axis of the
///           array that options.axes names, which may be left out for arrays of one axis. The result has `groups` in
///           place of its extent; the other axes are kept. Positions (argmin, argmax, describe) count along the axis,
///           and are -1 in the summary of a group without elements.
/// Memory:   8 bytes a group; where keys do not ascend a copy of the array, too, and for positions 8 bytes an element.
///           On the GPU that of cuda::by_key_workspace_bytes, and copies of what is in host memory.
/// Numerics: as segments (multifold/segments.hpp): what is exact has the same bits in whatever order keys come. Groups
///           without elements have the value of an empty array.
/// Engines:  arrays in host memory are reduced on the CPU, unless the device engine is asked for, and those in device
///           memory on the GPU: there they have one axis of neighbours, and keys are in either memory.
/// States:   as segments, for groups in place of them: those of parts of the rows merge, whatever keys they have.
/// Throws:   as reduce of segments, which names the group; and shape_error, before anything is computed, for a key that
///           is no group, for more or fewer keys than elements, and for a negative number of groups. unsupported_error
///           for keys in device memory of an array that the CPU reduces, and, on the GPU, for more than 2^31 groups.
/// Cost:     reads each key two times, and each element once where keys ascend, else three times. On the GPU keys that
///           do not ascend are found out by a read of them, and sorted.
MULTIFOLD_EXPORT reduce_result reduce_by_key(op_kind op, const array_view& array, const array_view& keys,
                                             std::int64_t groups, const reduce_options& options = {});

/// dot and cov of the same groups of two arrays, which have to be alike as for reduce of two arrays, with the same
/// strides but along axes of extent 0 and 1.
MULTIFOLD_EXPORT reduce_result reduce_by_key(op_kind op, const array_view& x, const array_view& y,
                                             const array_view& keys, std::int64_t groups,
                                             const reduce_options& options = {});

/// The same of sources, which are read into memory as a whole, and whose lengths are known.
/// Throws: as above, and io_error or format_error from the source; out_of_memory.
MULTIFOLD_EXPORT reduce_result reduce_by_key(op_kind op, source& input, const array_view& keys, std::int64_t groups,
                                             const reduce_options& options = {});
MULTIFOLD_EXPORT reduce_result reduce_by_key(op_kind op, source& x, source& y, const array_view& keys,
                                             std::int64_t groups, const reduce_options& options = {});

}  // namespace multifold::inline v0_1
