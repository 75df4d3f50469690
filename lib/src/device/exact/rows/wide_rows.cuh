// Exact sums of long rows of f64, second pass: the tiles that the first pass has marked, and the results of their rows.
// Where nothing is marked, it ends at once: on an H200 that makes a graph 1.2 us longer, and 0.9 us as it is started
// early. A conditional node that leaves it out made it 4.5 us longer.
#pragma once

#include <cstdint>

#include "device/exact/bins/wide_bins.cuh"
#include "device/exact/rows/pair_rows.cuh"
#include "multifold/cuda/kernels/dependent.cuh"
#include "multifold/cuda/kernels/finish.cuh"

namespace multifold::inline v0_1::cuda::exact {

inline constexpr int wide_loads = 24;
inline constexpr int wide_step = wide_loads * wide_threads;

/// The tiles of all rows, numbered as in the first pass, and which are marked.
struct tile_marks {
  const unsigned char* marks;
  std::int64_t tiles_a_row;
  std::int64_t tile;  // vectors
};

/// Marked tiles in shared memory, up to one a thread at a time.
struct found_tiles {
  int of_warp[wide_threads / 32];
  const vector_word* vectors[wide_threads];
  std::int64_t batch[wide_threads];
};

/// Finds the marked ones among tiles first + gridDim.x * i, for i below wide_threads: how many. All threads must call.
template <class Output>
__device__ int find_marked(const double* data, const row_arguments<Output>& args, const tile_marks& all,
                           std::int64_t first, found_tiles& found) {
  const std::int64_t number = first + static_cast<std::int64_t>(gridDim.x) * threadIdx.x;
  const std::int64_t batch = number / all.tiles_a_row, t = number % all.tiles_a_row;
  const row_vectors<double> row(data + batch * args.row_stride, args.length);
  const bool mine = batch < args.batches && t < row.count / all.tile && all.marks[number] != 0;
  const unsigned ballot = __ballot_sync(kernels::whole_warp, mine);
  if (threadIdx.x % 32 == 0) found.of_warp[threadIdx.x / 32] = __popc(ballot);
  __syncthreads();
  int before = __popc(ballot & ((1u << threadIdx.x % 32) - 1)), count = 0;
  for (int w = 0; w < wide_threads / 32; ++w) {
    before += w < static_cast<int>(threadIdx.x) / 32 ? found.of_warp[w] : 0;
    count += found.of_warp[w];
  }
  if (mine) {
    found.vectors[before] = row.vectors + t * all.tile;
    found.batch[before] = batch;
  }
  __syncthreads();
  return count;
}

/// Counts what is not finite in a vector. Out of line: it is rarely called, and has no place in a loop.
__device__ __noinline__ inline void count_specials(const vector_word v, std::int64_t* into) {
  const auto two = bit_copy<kernels::elements_of<double>>(v);
  for (int i = 0; i < 2; ++i) {
    const multifold::detail::unpacked parts = multifold::detail::unpack(two.values[i]);
    if (!parts.finite()) add_word(into + mark_of<double>(parts), 1);
  }
}

/// One block an SM; a thread has 24 vectors in flight, and asks for another one as soon as it takes one.
/// `Whole`: tiles are whole numbers of steps.
template <bool Whole, class Output>
__global__ void __launch_bounds__(wide_threads, 1)
    wide_rows(const double* data, const __grid_constant__ row_arguments<Output> args,
              const __grid_constant__ tile_marks all) {
  using at = words<double>;
  constexpr int loads = wide_loads;
  extern __shared__ double bins[];
  __shared__ std::int64_t sums[at::count];
  __shared__ found_tiles found;
  const auto steps = static_cast<int>((all.tile + loads * wide_threads - 1) / (loads * wide_threads));

  kernels::wait_for_previous();
  if (__ldcg(args.marked + args.batches) == 0) return;
  wide_column mine(bins);
  bool used = false;
  std::int64_t batch = 0;  // that the bins belong to
  const auto empty_bins = [&] {
    if (!used) return;
    mine.flush();
    mine.add_to(sums);
    const bool other = __syncthreads_or(mine.other);
    mine.other = false;
    for (int i = static_cast<int>(threadIdx.x); i < at::count; i += wide_threads) {
      add_word(args.words + batch * at::count + i, sums[i]);
      sums[i] = 0;
    }
    if (threadIdx.x == 0) add_word(args.words + batch * at::count + at::not_negative_zero, other);
    mine.forget();
    used = false;
    __syncthreads();
  };
  for (int i = static_cast<int>(threadIdx.x); i < at::count; i += wide_threads) sums[i] = 0;
  __syncthreads();

  const std::int64_t tiles = args.batches * all.tiles_a_row;
  for (std::int64_t first = blockIdx.x; first < tiles; first += std::int64_t{gridDim.x} * wide_threads) {
    const int turns = find_marked(data, args, all, first, found) * steps;
    constexpr vector_word nothing{{0, 0x80000000u, 0, 0x80000000u}};  // -0, -0
    vector_word loaded[loads];
    const auto load = [&](int k, int turn) {
      const int i = turn % steps * wide_step + k * wide_threads + static_cast<int>(threadIdx.x);
      loaded[k] = Whole || i < all.tile ? load_vector(found.vectors[turn / steps] + i) : nothing;
    };
    if (turns > 0) {
#pragma unroll
      for (int k = 0; k < loads; ++k) load(k, 0);
    }
    for (int turn = 0; turn < turns; ++turn) {
      if (found.batch[turn / steps] != batch) {
        empty_bins();
        batch = found.batch[turn / steps];
      }
      used = true;
      mine.make_room(2 * loads);
      // The last turn's vectors are asked for once more, rather than asking whether it is the last.
      const int following = min(turn + 1, turns - 1);
#pragma unroll
      for (int k = 0; k < loads; ++k) {
        const auto two = bit_copy<kernels::elements_of<double>>(loaded[k]);
        load(k, following);
        mine.add(two.values[0]);
        mine.add(two.values[1]);
      }
      if (mine.take_special()) {
#pragma unroll 1
        for (int k = 0; k < loads; ++k) {
          const int i = turn % steps * wide_step + k * wide_threads + static_cast<int>(threadIdx.x);
          if (i < all.tile) count_specials(load_vector(found.vectors[turn / steps] + i), sums);
        }
      }
    }
    __syncthreads();
  }
  empty_bins();

  __threadfence();
  if (!kernels::last_to_arrive(args.marked + args.batches + 1, gridDim.x)) return;
  for (std::int64_t b = threadIdx.x; b < args.batches; b += wide_threads) {
    if (__ldcg(args.marked + b) == 0) continue;
    std::int64_t whole[at::count];
    for (int i = 0; i < at::count; ++i) {
      whole[i] = __ldcg(reinterpret_cast<const long long*>(args.words) + b * at::count + i);
    }
    args.output.deliver(b, whole, args.length, args.nan);
  }
}

}  // namespace multifold::inline v0_1::cuda::exact
