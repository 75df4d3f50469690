// Short rows of contiguous elements: a group of 1 to 32 neighbouring threads a row, and no shared memory.
//
// Where rows keep 16-byte alignment the threads of a group read neighbouring vectors, and neighbouring groups
// neighbouring rows, so a warp reads 512 contiguous bytes; otherwise they read neighbouring elements. On an H200
// (2^26, 16) floats make groups of 4: 2^20 blocks of 256 threads, 64 rows a block.
#pragma once

#include <cstdint>

#include "multifold/cuda/kernels/absorb_packed.cuh"
#include "multifold/cuda/kernels/arguments.cuh"
#include "multifold/cuda/kernels/exchange.cuh"

namespace multifold::cuda::kernels {

template <class Op>
__device__ typename Op::accumulator read_row(const Op& op, const typename Op::value_type* row, std::int64_t length,
                                             std::int64_t first_index, int member, int group, bool aligned) {
  using T = typename Op::value_type;
  constexpr int width = vector_elements<T>;
  thread_value<Op> mine(op);
  if (aligned) {
#pragma unroll 4
    for (std::int64_t i = member; i < length / width; i += group) {
      mine.make_room(op, width);
      absorb_vector(op, mine, load_vector(reinterpret_cast<const vector_word*>(row) + i), first_index + i * width);
    }
  } else {
#pragma unroll 4
    for (std::int64_t i = member; i < length; i += group) {
      mine.make_room(op, 1);
      mine.absorb(op, row[i], first_index + i);
    }
  }
  return mine.value(op);
}

/// `group` is a power of two up to 32, and blockDim.x a multiple of 32. parts == 1.
template <class Op, class Output>
__global__ void __launch_bounds__(256, 4)
    group_rows(const typename Op::value_type* data, std::int64_t row_stride, int group,
               const __grid_constant__ pass_arguments<Op, Output> args) {
  using T = typename Op::value_type;
  const int member = static_cast<int>(threadIdx.x) % group;
  const std::int64_t rows_a_block = blockDim.x / static_cast<unsigned>(group);
  const bool aligned = reinterpret_cast<std::uintptr_t>(data) % 16 == 0 && row_stride % vector_elements<T> == 0 &&
                       args.length % vector_elements<T> == 0;
  for (std::int64_t first = blockIdx.x * rows_a_block; first < args.batches; first += gridDim.x * rows_a_block) {
    // Every lane takes part in the shuffles, also those beyond the last row.
    const std::int64_t batch = first + threadIdx.x / static_cast<unsigned>(group);
    auto value = args.op.identity();
    if (batch < args.batches) {
      value = read_row(args.op, data + batch * row_stride, args.length, args.first_index, member, group, aligned);
    }
    for (int mask = group / 2; mask > 0; mask /= 2) value = args.op.combine(value, shuffle_xor(value, mask));
    if (member == 0 && batch < args.batches) args.output(args.op, batch, value);
  }
}

}  // namespace multifold::cuda::kernels
