// Columns: neighbouring elements belong to different batches.
//
// A thread owns `Width` neighbouring columns and reads them with one load a row. Where there are fewer columns than
// threads, several rows are read at once: thread t reads element t of a run of whole rows, so a warp always reads
// contiguous memory; the rows meet in shared memory at the end. On an H200 (2^24, 64) floats: 16 threads a row, 32
// rows a step, 4 steps in flight, 528 parts of 31776 rows.
#pragma once

#include <cstdint>
#include <cstring>

#include "multifold/cuda/kernels/absorb.cuh"
#include "multifold/cuda/kernels/finish.cuh"
#include "multifold/ops/gathered_sum.hpp"

namespace multifold::cuda::kernels {

/// How columns lie in memory, in elements.
struct column_layout {
  std::int64_t outer_stride;
  std::int64_t row_stride;
  std::int64_t inner;
  std::int64_t tile;  // columns a block covers; a multiple of Width
};

template <class T, int Width>
struct column_load {
  T values[Width];
  __device__ static column_load from(const T* p) {
    if constexpr (Width == 1) return {{*p}};
    else return bit_copy<column_load>(load_vector(p));
  }
};

/// A thread's running value of one of its columns: a lane, because registers are too few for an accumulator beside it.
template <class Op>
struct column_value {
  using lane = lane_of<Op>;
  static_assert(lane::capacity == INT64_MAX, "the lane has to take a whole part");
  typename lane::type current;
  __device__ void clear(const Op& op) { current = lane::identity(op); }
  __device__ void absorb(const Op& op, typename Op::value_type x, std::int64_t index) {
    current = lane::absorb(op, current, x, index);
  }
  __device__ typename Op::accumulator value(const Op& op) const { return lane::widen(op, current); }
};

/// Plans cut columns into parts of at most 2^31 rows, so 64 bits hold any sum of narrow integers.
template <class T>
requires(sizeof(T) < 8) struct column_value<integer_sum<T>> {
  std::conditional_t<integer_sum<T>::no_sign, std::uint64_t, std::int64_t> current;
  __device__ void clear(const integer_sum<T>&) { current = 0; }
  __device__ void absorb(const integer_sum<T>&, T x, std::int64_t) { current += integer_sum<T>::value_of(x); }
  __device__ int128_t value(const integer_sum<T>&) const { return current; }
};

/// A lane of a range takes 2^10 elements: here it is the pair.
template <class T>
requires(pair_sum<T>::narrow) struct column_value<pair_sum<T>> {
  exact_pair current;
  __device__ void clear(const pair_sum<T>&) { current = {}; }
  __device__ void absorb(const pair_sum<T>&, T x, std::int64_t) { current = current + to_double(x); }
  __device__ exact_pair value(const pair_sum<T>&) const { return current; }
};

/// A lane of binary16 takes 2^12 elements whatever they are, and more as long as its sum is small.
template <>
struct column_value<half_sum> {
  exact_pair full;
  double current;
  __device__ void clear(const half_sum& op) {
    full = {};
    current = op.lane_identity();
  }
  __device__ void absorb(const half_sum& op, f16 x, std::int64_t index) {
    current = op.absorb(current, x, index);
    if (fabs(current) < 0x1p28) return;
    full = full + current;
    current = op.lane_identity();
  }
  __device__ half_sum::accumulator value(const half_sum& op) const { return op.widen(full + current); }
};

/// Merges the values of threads that share columns (same `column`, rows 0 to rows - 1); valid where row == 0.
template <class Op>
__device__ typename Op::accumulator merge_rows(const Op& op, typename Op::accumulator value, int column, int row,
                                               int columns, int rows, block_storage<Op>& storage) {
  int half = 1;
  while (half < rows) half *= 2;
  const bool active = row < rows;
  __syncthreads();
  if (active) storage.slots[row * columns + column] = value;
  for (half /= 2; half > 0; half /= 2) {
    __syncthreads();
    if (active && row < half && row + half < rows) {
      auto& slot = storage.slots[row * columns + column];
      slot = op.combine(slot, storage.slots[(row + half) * columns + column]);
    }
  }
  __syncthreads();
  return active && row == 0 ? storage.slots[column] : value;
}

/// What the last block does for its `count` columns from batch `first` on: a warp a column.
template <class Op, class Output>
__device__ void merge_columns(const pass_arguments<Op, Output>& args, std::int64_t first, std::int64_t count) {
  const int lane = static_cast<int>(threadIdx.x % 32);
  for (std::int64_t c = threadIdx.x / 32; c < count; c += blockDim.x / 32) {
    const auto* row = args.partials.data + (first + c) * args.parts;
    auto value = args.op.identity();
    for (std::int64_t part = lane; part < args.parts; part += 32) value = args.op.combine(value, row[part]);
    value = warp_reduce(args.op, value);
    if (lane == 0) args.output(args.op, first + c, value);
  }
}

/// Hands on the value of one column of one part.
template <class Op, class Output>
__device__ void leave_column(const pass_arguments<Op, Output>& args, std::int64_t batch, std::int64_t part,
                             typename Op::accumulator value) {
  if (args.parts == 1) {
    args.output(args.op, batch, value);
    return;
  }
  if constexpr (order_free<Op>) {
    if (args.partials.how == finish::atomic) {
      atomic_merge(args.op, args.partials.data + batch, value);
      return;
    }
  }
  args.partials.data[batch * args.parts + part] = value;
}

/// After all columns of a tile were left: the last block of the tile finishes them.
template <class Op, class Output>
__device__ void finish_tile(const pass_arguments<Op, Output>& args, std::int64_t tile_number, std::int64_t first,
                            std::int64_t count) {
  if (args.parts == 1 || args.partials.how == finish::next_pass) return;
  __threadfence();
  if (!last_to_arrive(args.partials.arrivals + tile_number, args.parts)) return;
  if constexpr (order_free<Op>) {
    if (args.partials.how == finish::atomic) {
      for (std::int64_t c = threadIdx.x; c < count; c += blockDim.x) {
        args.output(args.op, first + c, args.partials.data[first + c]);
      }
      return;
    }
  }
  merge_columns(args, first, count);
}

/// Rows `first`, first + step, ... up to `end` of `Width` neighbouring columns at `p`: four loads, then their use.
template <int Width, class Op, class Output>
__device__ void read_column(const pass_arguments<Op, Output>& args, column_value<Op> (&mine)[Width],
                            const typename Op::value_type* p, std::int64_t row_stride, std::int64_t first,
                            std::int64_t end, int step) {
  constexpr int loads = 4;
  using loaded_type = column_load<typename Op::value_type, Width>;
  const auto absorb = [&](const loaded_type& loaded, std::int64_t row) {
#pragma unroll
    for (int k = 0; k < Width; ++k) mine[k].absorb(args.op, loaded.values[k], args.first_index + row);
  };
  std::int64_t r = first;
  for (; r + (loads - 1) * step < end; r += loads * step) {
    loaded_type loaded[loads];
#pragma unroll
    for (int i = 0; i < loads; ++i) loaded[i] = loaded_type::from(p + (r + i * step) * row_stride);
#pragma unroll
    for (int i = 0; i < loads; ++i) absorb(loaded[i], r + i * step);
  }
  for (; r < end; r += step) absorb(loaded_type::from(p + r * row_stride), r);
}

/// One part of the columns `first` to `first + count` of one outer batch, `Width * threads` columns at a time.
template <int Width, class Op, class Output>
__device__ void reduce_tile(const typename Op::value_type* data, const column_layout& layout,
                            const pass_arguments<Op, Output>& args, std::int64_t outer, std::int64_t part,
                            std::int64_t first, std::int64_t count, block_storage<Op>& storage) {
  using T = typename Op::value_type;
  const int threads = static_cast<int>(blockDim.x);
  const int columns = count / Width < threads ? static_cast<int>(count / Width) : threads;
  const int rows = threads / columns;
  const int column = static_cast<int>(threadIdx.x) % columns;
  const int row = static_cast<int>(threadIdx.x) / columns;
  const std::int64_t begin = part * args.part_length;
  const std::int64_t length = args.length.most;
  const std::int64_t end = length - begin < args.part_length ? length : begin + args.part_length;
  for (std::int64_t c = column; c - column < count / Width; c += columns) {
    column_value<Op> mine[Width];
#pragma unroll
    for (int k = 0; k < Width; ++k) mine[k].clear(args.op);
    if (row < rows && c < count / Width) {
      const T* p = data + outer * layout.outer_stride + first + c * Width;
      read_column<Width>(args, mine, p, layout.row_stride, begin + row, end, rows);
    }
#pragma unroll
    for (int k = 0; k < Width; ++k) {
      auto value = mine[k].value(args.op);
      if (rows > 1) value = merge_rows(args.op, value, column, row, columns, rows, storage);
      if (row == 0 && c < count / Width) {
        leave_column(args, outer * layout.inner + first + c * Width + k, part, value);
      }
    }
  }
}

/// Blocks on a multiprocessor: two where the lanes of `Width` columns leave registers for the loads.
template <class Op, int Width>
inline constexpr int column_blocks = Width * sizeof(column_value<Op>) <= 64 ? 2 : 1;

/// Grid: outer x tiles x parts blocks, or fewer that take several each.
template <int Width, class Op, class Output>
__global__ void __launch_bounds__(most_threads, (column_blocks<Op, Width>))
    columns(const typename Op::value_type* data, const __grid_constant__ column_layout layout,
            const __grid_constant__ pass_arguments<Op, Output> args) {
  __shared__ block_storage<Op> storage;
  const std::int64_t tiles = (layout.inner + layout.tile - 1) / layout.tile;
  const std::int64_t items = args.batches / layout.inner * tiles * args.parts;
  for (std::int64_t item = blockIdx.x; item < items; item += gridDim.x) {
    const std::int64_t part = item % args.parts;
    const std::int64_t tile = item / args.parts % tiles;
    const std::int64_t outer = item / args.parts / tiles;
    const std::int64_t first = tile * layout.tile;
    const std::int64_t count = layout.inner - first < layout.tile ? layout.inner - first : layout.tile;
    reduce_tile<Width>(data, layout, args, outer, part, first, count, storage);
    finish_tile(args, outer * tiles + tile, outer * layout.inner + first, count);
    __syncthreads();
  }
}

}  // namespace multifold::cuda::kernels
