// A block per part of a row of contiguous elements.
//
// Consecutive threads read consecutive 16-byte vectors, four of them each before the first is used, so a block of 512
// has 32 KiB in flight; elements before the first and after the last 16-byte boundary are read one by one. On an H200
// a row of 2^32 floats is cut into 528 parts of 8134408 elements: 4 blocks on each of 132 multiprocessors, 992 rounds
// of 8192 elements a block.
#pragma once

#include <cstdint>

#include "multifold/cuda/kernels/absorb.cuh"
#include "multifold/cuda/kernels/finish.cuh"

namespace multifold::cuda::kernels {

constexpr int vectors_in_flight = 4;

/// What this thread's share of `count` contiguous elements comes to. `index` is that of p[0].
template <class Op>
__device__ typename Op::accumulator read_contiguous(const Op& op, const typename Op::value_type* p, std::int64_t count,
                                                    std::int64_t index) {
  using T = typename Op::value_type;
  constexpr int width = vector_elements<T>;
  const auto threads = static_cast<std::int64_t>(blockDim.x);
  const std::int64_t thread = threadIdx.x;
  thread_value<Op> mine(op);

  const auto misaligned = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(p) % 16 / sizeof(T));
  std::int64_t head = misaligned == 0 ? 0 : width - misaligned;
  if (head > count) head = count;
  mine.make_room(op, 1);
  if (thread < head) mine.absorb(op, p[thread], index + thread);

  const std::int64_t vectors = (count - head) / width;
  const auto* v = reinterpret_cast<const vector_word*>(p + head);
  std::int64_t i = thread;
  for (; i + (vectors_in_flight - 1) * threads < vectors; i += vectors_in_flight * threads) {
    vector_word loaded[vectors_in_flight];
#pragma unroll
    for (int k = 0; k < vectors_in_flight; ++k) loaded[k] = load_vector(v + i + k * threads);
    mine.make_room(op, vectors_in_flight * width);
#pragma unroll
    for (int k = 0; k < vectors_in_flight; ++k) {
      absorb_vector(op, mine, loaded[k], index + head + (i + k * threads) * width);
    }
  }
#pragma unroll 1
  for (; i < vectors; i += threads) {
    mine.make_room(op, width);
    absorb_vector(op, mine, load_vector(v + i), index + head + i * width);
  }

  const std::int64_t tail = head + vectors * width + thread;
  mine.make_room(op, 1);
  if (tail < count) mine.absorb(op, p[tail], index + tail);
  return mine.value(op);
}

/// Grid: batches x parts blocks, or fewer that take several parts each.
template <class Op, class Output>
__global__ void __launch_bounds__(most_threads, 2)
    block_rows(const typename Op::value_type* data, std::int64_t row_stride, pass_arguments<Op, Output> args) {
  __shared__ block_storage<Op> storage;
  for (std::int64_t item = blockIdx.x; item < args.batches * args.parts; item += gridDim.x) {
    const std::int64_t batch = item / args.parts;
    const std::int64_t part = item % args.parts;
    const std::int64_t first = part * args.part_length;
    const std::int64_t count = args.length - first < args.part_length ? args.length - first : args.part_length;
    const auto mine = read_contiguous(args.op, data + batch * row_stride + first, count, args.first_index + first);
    finish_part(args, batch, part, block_reduce(args.op, args.form, mine, storage), storage);
    __syncthreads();
  }
}

}  // namespace multifold::cuda::kernels
