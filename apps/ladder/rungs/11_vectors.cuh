// Rung 11: 128-bit loads, several under way, and a grid that stays.
//
// A thread can load 16 bytes at once: four floats with one instruction, where there were four. It asks for four such
// vectors before it adds the first, and so has 64 bytes under way. The more bytes are under way, the nearer the memory
// comes to its full rate, since the time until a load is answered stays the same.
// The grid has as many blocks as the GPU can hold, and they stay to the end: thread i takes the vectors i, i + threads
// of the grid, and so on. Such a grid-stride loop is right for any length and any grid, and at any time the whole GPU
// reads neighbouring memory.
// An address has to be a multiple of 16 for such a load. The elements in front of the first such address and behind the
// last whole vector are read one by one. If two arrays begin differently, all elements are.
// Defect: what is under way is kept in registers, and all threads compute addresses and wait for what they asked for.
// Next: a copy engine brings the data (12_bulk_copies.cuh).
#pragma once

#include "10a_two_passes.cuh"

namespace multifold::ladder::gpu {

/// The elements of 16 bytes.
template <class T>
struct vector {
  static constexpr int width = 16 / sizeof(T);
  T values[width];
};

template <class T>
__device__ vector<T> load_vector(const T* from) {
  return bit_copy<vector<T>>(*reinterpret_cast<const int4*>(from));
}

/// Elements in front of the first that is aligned to 16 bytes, in both arrays if there are two; `n` if there is none.
template <class Op>
__device__ std::int64_t misaligned_head(const elements<Op>& in, std::int64_t n) {
  constexpr int item = sizeof(typename Op::value_type);
  const auto misaligned = [](const void* p) { return static_cast<int>(reinterpret_cast<std::uintptr_t>(p) % 16); };
  const int by = misaligned(in.x);
  if (Op::two_arrays && misaligned(in.y) != by) return n;
  const std::int64_t head = (16 - by) % 16 / item;
  return head < n ? head : n;
}

/// What the calling thread makes of the elements that no vector or tile of `in` has: those in front of `head`, and
/// those from `tail` on.
template <class Op>
__device__ typename Op::acc fold_ends(const elements<Op>& in, std::int64_t n, std::int64_t head, std::int64_t tail) {
  const std::int64_t first = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x;
  typename Op::acc mine = Op::identity();
  for (std::int64_t i = first; i < head; i += step) mine = Op::combine(mine, in[i]);
  for (std::int64_t i = tail + first; i < n; i += step) mine = Op::combine(mine, in[i]);
  return mine;
}

template <class Op>
__device__ typename Op::acc fold_vector(typename Op::acc mine, const vector<typename Op::value_type>& x,
                                        const vector<typename Op::value_type>& y) {
#pragma unroll
  for (int k = 0; k < x.width; ++k) mine = Op::combine(mine, Op::lift(x.values[k], y.values[k]));
  return mine;
}

template <class Op>
__global__ void __launch_bounds__(most_threads) vectors(elements<Op> in, std::int64_t n, typename Op::acc* out) {
  using value = typename Op::value_type;
  constexpr int width = vector<value>::width, under_way = 4;
  const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x;
  const std::int64_t head = misaligned_head(in, n), count = (n - head) / width;
  const value* const x = in.x + head;
  const value* const y = Op::two_arrays ? in.y + head : x;
  typename Op::acc mine = Op::identity();
  std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  for (; i + (under_way - 1) * step < count; i += under_way * step) {
    vector<value> of_x[under_way], of_y[under_way];
#pragma unroll
    for (int k = 0; k < under_way; ++k) {
      of_x[k] = load_vector(x + (i + k * step) * width);
      of_y[k] = Op::two_arrays ? load_vector(y + (i + k * step) * width) : of_x[k];
    }
#pragma unroll
    for (int k = 0; k < under_way; ++k) mine = fold_vector<Op>(mine, of_x[k], of_y[k]);
  }
  for (; i < count; i += step) {
    const vector<value> of_x = load_vector(x + i * width);
    mine = fold_vector<Op>(mine, of_x, Op::two_arrays ? load_vector(y + i * width) : of_x);
  }
  mine = reduce_block<Op>(Op::combine(mine, fold_ends(in, n, head, head + count * width)));
  if (threadIdx.x == 0) out[blockIdx.x] = mine;
}

template <class Op>
void launch_vectors(const run<Op>& r) {
  constexpr int width = vector<typename Op::value_type>::width;
  const std::int64_t most = resident_blocks(vectors<Op>, r.threads, 0, r.multiprocessors);
  const std::int64_t blocks = std::min(most, ceil_div(r.count, std::int64_t{r.threads} * width));
  vectors<Op><<<static_cast<unsigned>(blocks), r.threads, 0, r.stream>>>(r.all(), r.count, r.space[0]);
  check_launch();
  launch_last_pass(r, 0, blocks);
}

}  // namespace multifold::ladder::gpu
