// A block per part of a row of contiguous elements.
//
// Loads are coalesced: consecutive threads read consecutive 16-byte vectors, four of them each, and the next four are
// asked for before the last four are used: a block of 512 has up to 64 KiB in flight. Tiles are dealt to the parts in
// turn, so all blocks read neighbouring memory together. Elements before the first and after the last 16-byte boundary
// are read one by one. On an H200 a row of 2^32 floats has 528 parts, 4 blocks for each of 132 SMs: 993 rounds of 8192
// elements a block.
#pragma once

#include <cstdint>

#include "multifold/cuda/kernels/absorb/packed.cuh"
#include "multifold/cuda/kernels/dependent.cuh"
#include "multifold/cuda/kernels/finish.cuh"
#include "multifold/cuda/kernels/rows/short_row.cuh"
#include "multifold/cuda/kernels/with_fold.cuh"

namespace multifold::inline v0_1::cuda::kernels {

constexpr int vectors_in_flight = 4;

/// The vectors that one thread reads: number `first`, and threads behind it, then `step` further on.
struct vector_share {
  std::int64_t first, step;
  bool head, tail;  // whether the elements before and after the vectors are this block's
};

/// `count` vectors at `v` as far as they are in `share`; `index` is that of the first element of the first.
template <class Op>
__device__ void read_vectors(const Op& op, thread_value<Op>& mine, const vector_word* v, std::int64_t count,
                             const vector_share& share, std::int64_t index) {
  constexpr int width = vector_elements<typename Op::value_type>;
  const auto threads = static_cast<std::int64_t>(blockDim.x);
  const std::int64_t reach = (vectors_in_flight - 1) * threads;
  std::int64_t i = share.first;
  vector_word loaded[vectors_in_flight], next[vectors_in_flight];
  bool full = i + reach < count;
  load_vectors(loaded, v, i, threads, count);
  while (full) {
    const std::int64_t following = i + share.step;
    full = following + reach < count;
    load_vectors(next, v, following, threads, count);
    mine.make_room(op, vectors_in_flight * width);
#pragma unroll
    for (int k = 0; k < vectors_in_flight; ++k) absorb_vector(op, mine, loaded[k], index + (i + k * threads) * width);
#pragma unroll
    for (int k = 0; k < vectors_in_flight; ++k) loaded[k] = next[k];
    i = following;
  }
  // The last tile may end anywhere.
  each_loaded(loaded, i, threads, count, [&](const vector_word& w, std::int64_t number) {
    mine.make_room(op, width);
    absorb_vector(op, mine, w, index + number * width);
  });
}

/// What this thread's share of `count` contiguous elements comes to. `index` is that of p[0].
template <class Op>
__device__ typename Op::accumulator read_contiguous(const Op& op, const typename Op::value_type* p, std::int64_t count,
                                                    const vector_share& share, std::int64_t index) {
  using T = typename Op::value_type;
  constexpr int width = vector_elements<T>;
  const std::int64_t thread = threadIdx.x;
  thread_value<Op> mine(op);

  // Warps read 512 bytes at a time: from a line boundary on they touch four lines, else five.
  constexpr std::int64_t line = 128 / static_cast<std::int64_t>(sizeof(T));
  const auto misaligned = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(p) % 128 / sizeof(T));
  std::int64_t head = misaligned == 0 ? 0 : line - misaligned;
  if (head > count) head = count;
  const std::int64_t vectors = (count - head) / width, tail = head + vectors * width + thread;
  // Asked for before the vectors, and used behind them.
  const bool has_head = share.head && thread < head, has_tail = share.tail && tail < count;
  const T in_head = has_head ? p[thread] : T{}, in_tail = has_tail ? p[tail] : T{};
  read_vectors(op, mine, reinterpret_cast<const vector_word*>(p + head), vectors, share, index + head);

  mine.make_room(op, 2);
  if (has_head) {
    mine.absorb(op, in_head, index + thread);
#pragma unroll 1
    for (std::int64_t i = thread + blockDim.x; i < head; i += blockDim.x) {
      mine.make_room(op, 2);
      mine.absorb(op, p[i], index + i);
    }
  }
  if (has_tail) mine.absorb(op, in_tail, index + tail);
  return mine.value(op);
}

/// Grid: batches x parts blocks, or fewer in a grid-stride loop. `only`: the row, if it is the only one and
/// short.
template <class Op, class Output>
__global__ void __launch_bounds__(most_threads, 2)
    block_rows(const void* data, const short_row<Op> only, std::int64_t row_stride,
               const __grid_constant__ pass_arguments<Op, Output> args) {
  __shared__ block_storage<Op> storage;
  let_next_start();
  if (only.part_vectors > 0) {
    typename Op::accumulator mine;
    with_fold(only.op, [&]<class Fold>(const Fold& fold) {
      mine = read_short_row(fold, static_cast<const typename Fold::value_type*>(data), only, args.first_index);
    });
    const auto value = shuffle_reduce(only.op, mine, storage);
    if (threadIdx.x != 0) return;
    if (only.partials != nullptr) only.partials[blockIdx.x] = value;
    else args.output(only.op, 0, value);
    return;
  }
  const std::int64_t tile = static_cast<std::int64_t>(vectors_in_flight) * blockDim.x;  // vectors
  const std::int64_t length = args.length;
  for (std::int64_t number = blockIdx.x; number < args.batches * args.parts; number += gridDim.x) {
    work_item item = item_of(args, number, length);
    vector_share share{threadIdx.x, tile, true, true};
    if (args.tile != args.part_length) {  // tiles are dealt in turn
      item.first = 0;
      item.end = length;
      share = {item.part * tile + threadIdx.x, args.parts * tile, item.part == 0, item.part == args.parts - 1};
    }
    const std::int64_t start = item.batch * row_stride + item.first;
    typename Op::accumulator mine;
    with_fold(args.op, [&]<class Fold>(const Fold& fold) {
      const auto* const from = static_cast<const typename Fold::value_type*>(data) + start;
      with_known_order(fold, [&](const Fold& known) {
        mine = read_contiguous(known, from, item.end - item.first, share, args.first_index + item.first);
      });
    });
    finish_part(args, item.batch, item.part, block_reduce(args.op, args.form, mine, storage), storage);
    __syncthreads();
  }
}

}  // namespace multifold::inline v0_1::cuda::kernels
