// Short rows of contiguous elements: a group of 1 to 32 neighbouring threads a row, and no shared memory.
//
// Where rows keep 16-byte alignment the threads of a group read neighbouring vectors, and neighbouring groups
// neighbouring rows, so a warp reads 512 contiguous bytes; otherwise they read neighbouring elements. Every thread has
// four loads in flight: of its row, or of four rows where each is one vector a thread. On an H200 (2^26, 16) floats
// make groups of 4: 1056 blocks of 256 threads, 64 rows a block, 249 rounds of four times that.
#pragma once

#include <cstdint>

#include "multifold/cuda/kernels/absorb_packed.cuh"
#include "multifold/cuda/kernels/arguments.cuh"
#include "multifold/cuda/kernels/exchange.cuh"

namespace multifold::cuda::kernels {

constexpr int loads_in_flight = 4;

/// Rows as a group sees them.
struct row_layout {
  std::int64_t stride;  // elements
  int group;            // threads a row: a power of two up to 32
};

/// The value of a row, from the values of the threads of its group. All lanes of the warp must call.
template <class Op>
__device__ typename Op::accumulator group_reduce(const Op& op, int group, typename Op::accumulator value) {
  for (int mask = group / 2; mask > 0; mask /= 2) value = op.combine(value, shuffle_xor(value, mask));
  return value;
}

/// This thread's share of one row of `vectors` vectors.
template <class Op>
__device__ typename Op::accumulator read_row_vectors(const Op& op, const vector_word* row, int vectors, int member,
                                                     int group, std::int64_t first_index) {
  constexpr int width = vector_elements<typename Op::value_type>;
  thread_value<Op> mine(op);
  for (int i = member; i < vectors; i += loads_in_flight * group) {
    vector_word loaded[loads_in_flight];
#pragma unroll
    for (int k = 0; k < loads_in_flight; ++k) {
      if (i + k * group < vectors) loaded[k] = load_vector(row + i + k * group);
    }
    mine.make_room(op, loads_in_flight * width);
#pragma unroll
    for (int k = 0; k < loads_in_flight; ++k) {
      if (i + k * group < vectors) absorb_vector(op, mine, loaded[k], first_index + (i + k * group) * width);
    }
  }
  return mine.value(op);
}

template <class Op>
__device__ typename Op::accumulator read_row_elements(const Op& op, const typename Op::value_type* row,
                                                      std::int64_t length, int member, int group,
                                                      std::int64_t first_index) {
  thread_value<Op> mine(op);
#pragma unroll 4
  for (std::int64_t i = member; i < length; i += group) {
    mine.make_room(op, 1);
    mine.absorb(op, row[i], first_index + i);
  }
  return mine.value(op);
}

/// Rows of any length and alignment. parts == 1; blockDim.x is a multiple of 32.
template <class Op, class Output>
__global__ void __launch_bounds__(256, 4)
    group_rows(const typename Op::value_type* data, row_layout layout, bool aligned,
               const __grid_constant__ pass_arguments<Op, Output> args) {
  using T = typename Op::value_type;
  const int member = static_cast<int>(threadIdx.x) & (layout.group - 1);
  const std::int64_t rows_a_block = blockDim.x / static_cast<unsigned>(layout.group);
  const std::int64_t length = args.length;
  const auto vectors = static_cast<int>(length / vector_elements<T>);
  for (std::int64_t first = blockIdx.x * rows_a_block; first < args.batches; first += gridDim.x * rows_a_block) {
    // Every lane takes part in the shuffles, also those beyond the last row.
    const std::int64_t batch = first + threadIdx.x / static_cast<unsigned>(layout.group);
    auto value = args.op.identity();
    if (batch < args.batches) {
      const T* row = data + batch * layout.stride;
      value = aligned ? read_row_vectors(args.op, reinterpret_cast<const vector_word*>(row), vectors, member,
                                         layout.group, args.first_index)
                      : read_row_elements(args.op, row, length, member, layout.group, args.first_index);
    }
    value = group_reduce(args.op, layout.group, value);
    if (member == 0 && batch < args.batches) args.output(args.op, batch, value);
  }
}

/// The values of `loads_in_flight` rows, each spread over the threads of a group: afterwards `mine[0]` to `mine[n - 1]`
/// are those of rows first to first + n - 1, in the threads that return an n above 0. Threads give away the rows that
/// others finish, so four rows take hardly more exchanges than one. All lanes of the warp must call.
struct rows_kept {
  int first, count;
};
template <class Op>
__device__ rows_kept reduce_four_rows(const Op& op, int group, int member,
                                      typename Op::accumulator (&mine)[loads_in_flight]) {
  static_assert(loads_in_flight == 4);
  rows_kept rows{0, 4};
  int mask = group / 2;
  if (mask > 0) {
    const bool upper = (member & mask) != 0;
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const auto given = upper ? mine[i] : mine[i + 2];
      const auto kept = upper ? mine[i + 2] : mine[i];
      mine[i] = op.combine(kept, shuffle_xor(given, mask));
    }
    rows = {upper ? 2 : 0, 2};
    mask /= 2;
  }
  if (mask > 0) {
    const bool upper = (member & mask) != 0;
    const auto given = upper ? mine[0] : mine[1];
    const auto kept = upper ? mine[1] : mine[0];
    mine[0] = op.combine(kept, shuffle_xor(given, mask));
    rows = {rows.first + (upper ? 1 : 0), 1};
    mask /= 2;
  }
  const int rest = 2 * mask - 1;  // bits of `member` whose threads hold the same rows
  for (; mask > 0; mask /= 2) mine[0] = op.combine(mine[0], shuffle_xor(mine[0], mask));
  if (rest > 0 && (member & rest) != 0) rows.count = 0;
  return rows;
}

/// Aligned rows of at most `group` vectors: a thread has one vector of each of four rows.
template <class Op, class Output>
__global__ void __launch_bounds__(256, 4) vector_rows(const typename Op::value_type* data, row_layout layout,
                                                      const __grid_constant__ pass_arguments<Op, Output> args) {
  constexpr int width = vector_elements<typename Op::value_type>;
  const int member = static_cast<int>(threadIdx.x) & (layout.group - 1);
  const std::int64_t rows_a_block = blockDim.x / static_cast<unsigned>(layout.group);
  const std::int64_t step = gridDim.x * rows_a_block;
  const bool reads = member < args.length.most / width;
  for (std::int64_t first = blockIdx.x * rows_a_block; first < args.batches; first += loads_in_flight * step) {
    const std::int64_t batch = first + threadIdx.x / static_cast<unsigned>(layout.group);
    vector_word loaded[loads_in_flight];
#pragma unroll
    for (int k = 0; k < loads_in_flight; ++k) {
      const bool here = reads && batch + k * step < args.batches;
      if (here) loaded[k] = load_vector(data + (batch + k * step) * layout.stride + member * width);
    }
    typename Op::accumulator values[loads_in_flight];
#pragma unroll
    for (int k = 0; k < loads_in_flight; ++k) {
      thread_value<Op> mine(args.op);
      if (reads && batch + k * step < args.batches) {
        absorb_vector(args.op, mine, loaded[k], args.first_index + member * width);
      }
      values[k] = mine.value(args.op);
    }
    const rows_kept rows = reduce_four_rows(args.op, layout.group, member, values);
#pragma unroll
    for (int k = 0; k < loads_in_flight; ++k) {
      const std::int64_t row = batch + (rows.first + k) * step;
      if (k < rows.count && row < args.batches) args.output(args.op, row, values[k]);
    }
  }
}

}  // namespace multifold::cuda::kernels
