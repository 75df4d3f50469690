// A row that is read in a few microseconds: every step counts then, and a kernel takes longer to fetch its instructions
// and arguments than to run. So this is a way of its own through block_rows, without loops and in 32 bits, and what it
// has to know stands in front of all other arguments. Captured sums of f32 on an H200, in microseconds, beside the
// general way: 256 KiB 2.6 (3.2), 1 MiB 3.0 (3.5).
#pragma once

#include <cstdint>

#include "multifold/cuda/kernels/absorb/packed.cuh"
#include "multifold/cuda/kernels/arguments.cuh"

namespace multifold::inline v0_1::cuda::kernels {

/// Vectors of a thread at most.
constexpr int short_row_loads = 8;

/// One row of whole vectors, a part a block, one after the other.
template <class Op>
struct short_row {
  typename Op::accumulator* partials = nullptr;  // one a block; null where the only block has the result
  std::int32_t vectors = 0;                      // of the row
  std::int32_t part_vectors = 0;                 // of a block; 0 where the row is not short
  Op op;
};

/// The row of `args`, whose elements begin at `data`, if it is short for `blocks` blocks of `threads`.
template <class T, class Op, class Output>
short_row<Op> short_row_of(const T* data, const pass_arguments<Op, Output>& args, std::int64_t blocks,
                           std::int64_t threads) {
  constexpr int width = vector_elements<T>;
  const bool contiguous = args.tile == args.part_length && args.length.most > 0 && args.part_length % width == 0 &&
                          args.length.most % width == 0 && reinterpret_cast<std::uintptr_t>(data) % 128 == 0;
  const bool one_way = args.batches == 1 && args.length.said == nullptr && args.form == block_form::shuffle &&
                       blocks == args.parts && (args.parts == 1 || args.partials.how == finish::next_pass);
  const std::int64_t part = args.part_length / width;
  if (!contiguous || !one_way || part > threads * short_row_loads || args.parts > INT32_MAX / part)
    return {nullptr, 0, 0, args.op};
  return {args.parts == 1 ? nullptr : args.partials.data, static_cast<std::int32_t>(args.length.most / width),
          static_cast<std::int32_t>(part), args.op};
}

/// What this thread's share of this block's part comes to: the same elements in the same order as in any other row.
template <class Op, class Row>
__device__ typename Op::accumulator read_short_row(const Op& op, const typename Op::value_type* data, const Row& row,
                                                   std::int64_t first_index) {
  constexpr int width = vector_elements<typename Op::value_type>;
  const int thread = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x);
  const int first = static_cast<int>(blockIdx.x) * row.part_vectors;
  const int count = min(row.part_vectors, row.vectors - first);  // negative behind the end of a resized row
  const auto* const from = reinterpret_cast<const vector_word*>(data) + first;
  const std::int64_t index = first_index + std::int64_t{first} * width;
  thread_value<Op> mine(op);
  mine.make_room(op, short_row_loads * width);
  vector_word loaded[short_row_loads];
#pragma unroll
  for (int k = 0; k < short_row_loads; ++k) {
    if (k * threads >= count) break;  // of all threads: what is not needed is not fetched
    if (thread + k * threads < count) loaded[k] = load_vector(from + thread + k * threads);
  }
#pragma unroll
  for (int k = 0; k < short_row_loads; ++k) {
    if (k * threads >= count) break;
    const int i = thread + k * threads;
    if (i < count) absorb_vector(op, mine, loaded[k], index + i * width);
  }
  return mine.value(op);
}

}  // namespace multifold::inline v0_1::cuda::kernels
