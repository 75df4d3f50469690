// The tiles that a block takes, one after the other, while the next ones are on their way.
#pragma once

#include <cstddef>
#include <cstdint>

#include "multifold/cuda/kernels/tiles/orders.cuh"
#include "multifold/cuda/kernels/tiles/ring.cuh"

namespace multifold::inline v0_1::cuda::kernels {

/// Shared memory that all threads of a block know its tiles by: what it has asked for, and which stages of the ring are
/// there. `Width` columns of T are one run, of one array or two side by side. Tiles go by their number: some are still
/// read, or on their way, while the next one is worked out.
template <int Width, class T, int Arrays>
struct tile_stream {
  static constexpr std::int64_t array_bytes = tile_stage_bytes / Arrays / tile_line_bytes * tile_line_bytes;
  static constexpr unsigned orders = 2 * tile_stages;
  static constexpr int warps = tile_threads / 32;

  std::uint64_t full[tile_stages], empty[tile_stages];  // whether a stage has come, and all threads have read it
  tile_order order_of[orders];
  tile_cursor cursor;

  /// The arrays, and which tiles of them: what a thread keeps of them is asked for again.
  template <class Arguments>
  struct source {
    const T* data[Arrays];
    const tile_map* map;
    const Arguments* args;
    __device__ bool pieces() const { return map->pitch != 0; }  // a tile is many, for which all warps ask
  };

  /// The first tiles. All threads must call.
  template <class Arguments>
  __device__ void start(std::byte* ring, const source<Arguments>& from) {
    if (threadIdx.x == 0) {
      cursor.start(*from.map, *from.args);
      prepare_tile<Width, T, Arrays>(order_of[0], from.data, *from.map, cursor);
      for (std::uint64_t& barrier : full) detail::start_barrier(&barrier, from.pieces() ? tile_threads : 32);
      for (std::uint64_t& barrier : empty) detail::start_barrier(&barrier, tile_threads);
      detail::show_barriers();
    }
#pragma unroll 1
    for (unsigned number = 0; number < tile_stages; ++number) {
      __syncthreads();
      if (from.pieces() || threadIdx.x < 32) fetch(number, ring, from);
    }
    __syncthreads();
  }

  /// Waits for a tile: none is there if it has -1 runs.
  __device__ const tile_view& wait_for(unsigned number) {
    detail::wait_for(&full[number % tile_stages], number / tile_stages % 2);
    return view_of(number);
  }
  __device__ const tile_view& view_of(unsigned number) const { return order_of[number % orders].view; }
  /// Where its elements of the first array begin, and those of the second one, from there.
  __device__ static const std::byte* place_of(std::byte* ring, unsigned number, const tile_view& view) {
    return ring + number % tile_stages * tile_stage_bytes + view.shift[0];
  }
  __device__ static int beyond(const tile_view& view) {
    return Arrays == 1 ? 0 : static_cast<int>(array_bytes + view.shift[1]) - static_cast<int>(view.shift[0]);
  }

  /// A thread has read what it wants of a tile: one that comes later takes its stage. All ask for the pieces that come
  /// here next: one warp takes longer for them than all do for a tile. Else warps go on as they are done, and take turns
  /// in waiting for the others and asking.
  template <class Arguments>
  __device__ void release(unsigned number, std::byte* ring, const source<Arguments>& from) {
    if (from.pieces()) {
      __syncthreads();
      fetch(number + tile_stages, ring, from);
      return;
    }
    std::uint64_t* const read = &empty[number % tile_stages];
    detail::arrive(read);
    if (threadIdx.x / 32 == number % warps) {
      detail::wait_for(read, number / tile_stages % 2);
      fetch(number + tile_stages, ring, from);
    }
  }

 private:
  template <class Arguments>
  __device__ void fetch(unsigned number, std::byte* ring, const source<Arguments>& from) {
    const tile_order& order = order_of[number % orders];
    std::uint64_t* const barrier = &full[number % tile_stages];
    if (order.view.runs >= 0) {
      std::byte* const stage = ring + number % tile_stages * tile_stage_bytes;
      fetch_tile<T>(stage, order, *from.map, barrier, 0);
      if constexpr (Arrays == 2) fetch_tile<T>(stage + array_bytes, order, *from.map, barrier, 1);
    }
    detail::arrive(barrier);
    if (from.pieces() ? threadIdx.x == 0 : threadIdx.x % 32 == 0) {
      if (!cursor.done()) cursor.advance(*from.map, *from.args);
      prepare_tile<Width, T, Arrays>(order_of[(number + 1) % orders], from.data, *from.map, cursor);
    }
    __syncwarp();
  }
};

}  // namespace multifold::inline v0_1::cuda::kernels
