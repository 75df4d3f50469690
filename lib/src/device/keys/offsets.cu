// What keys say: which are no groups, whether they ascend, and where groups begin if they do.
#include "device/keys/call.hpp"
#include "multifold/cuda/kernels/exchange.cuh"

namespace multifold::inline v0_1::cuda::keys {
namespace {

constexpr int key_threads = 256, vectors_a_thread = 4, vector_keys = 4;
constexpr int keys_a_thread = vectors_a_thread * vector_keys, tile_keys = key_threads * keys_a_thread;
constexpr int key_blocks_of_sm = 4;

template <class Key>
__device__ bool is_group(Key key, std::int64_t groups) {
  return key >= 0 && key < groups;
}

__device__ void note_bad(key_report* report, std::int64_t count, std::int64_t first_bad) {
  if (first_bad < count) atomicMax(&report->bad, static_cast<unsigned long long>(count - first_bad));
}

// Four neighbours: one thread's, or of the array where it ends.
template <class Key>
struct alignas(16) key_vector {
  Key key[vector_keys];
};

// What a thread has of a tile: vector k is the one at (k * threads + thread) of the tile. Behind the last key there are
// more of it. `aligned`: to 16 bytes.
template <class Key>
struct thread_keys {
  key_vector<Key> vector[vectors_a_thread];
  std::uint32_t before;  // the key in front of the tile, of thread 0
  unsigned stop;

  __device__ static int place(int k) { return (k * key_threads + static_cast<int>(threadIdx.x)) * vector_keys; }

  __device__ void load(const Key* keys, bool aligned, std::int64_t low, std::int64_t count, std::int64_t groups,
                       const key_report* report) {
    if (low >= count) return;
    if (aligned && low + tile_keys <= count) {
#pragma unroll
      for (int k = 0; k < vectors_a_thread; ++k)
        vector[k] = *reinterpret_cast<const key_vector<Key>*>(keys + low + place(k));
    } else {
#pragma unroll
      for (int k = 0; k < vectors_a_thread; ++k) {
#pragma unroll
        for (int i = 0; i < vector_keys; ++i) vector[k].key[i] = keys[min(low + place(k) + i, count - 1)];
      }
    }
    if (threadIdx.x != 0) return;
    const Key previous = low > 0 ? keys[low - 1] : Key{0};
    before = is_group(previous, groups) ? static_cast<std::uint32_t>(previous) : 0;
    stop = *static_cast<const volatile unsigned*>(&report->stop);
  }
};

// Blocks take tiles of 4096 neighbours in a grid-stride loop; each asks for the next one before it looks at what it
// has. The groups that begin in a tile lie between the key in front of it and its last one: threads look for the
// beginnings of neighbouring groups in shared memory, so that offsets are written once and in order, however many
// groups are empty. The last block of all takes offsets back that mean nothing. Four blocks for each of 132 SMs have 8
// MiB of keys of 32 bits on their way.
template <class Key>
__global__ void __launch_bounds__(key_threads, key_blocks_of_sm)
    offsets_of_keys(const Key* keys, std::int64_t count, std::int64_t groups, std::int64_t* offsets,
                    key_report* report) {
  __shared__ alignas(16) std::uint32_t tile[tile_keys];
  __shared__ std::uint32_t before;
  __shared__ bool stop, is_last;
  const int thread = static_cast<int>(threadIdx.x);
  const bool aligned = reinterpret_cast<std::uintptr_t>(keys) % 16 == 0;
  const std::int64_t tile_step = std::int64_t{gridDim.x} * tile_keys;
  std::int64_t first_bad = count, first_empty = groups;
  bool falls = false;
  thread_keys<Key> mine;
  mine.load(keys, aligned, std::int64_t{blockIdx.x} * tile_keys, count, groups, report);
  for (std::int64_t low = std::int64_t{blockIdx.x} * tile_keys; low < count; low += tile_step) {
    const int here = static_cast<int>(min(std::int64_t{tile_keys}, count - low));
    bool known = true, ascends = true;
#pragma unroll
    for (int k = 0; k < vectors_a_thread; ++k) {
      const Key(&key)[vector_keys] = mine.vector[k].key;
      uint4 words;
      words.x = static_cast<std::uint32_t>(key[0]);
      words.y = static_cast<std::uint32_t>(key[1]);
      words.z = static_cast<std::uint32_t>(key[2]);
      words.w = static_cast<std::uint32_t>(key[3]);
      *reinterpret_cast<uint4*>(tile + thread_keys<Key>::place(k)) = words;
#pragma unroll
      for (int i = 0; i < vector_keys; ++i) {
        known = known && is_group(key[i], groups);
        if (i > 0) ascends = ascends && key[i - 1] <= key[i];
      }
    }
    if (!known) {
      for (int k = vectors_a_thread; k-- > 0;) {
        for (int i = vector_keys; i-- > 0;) {
          if (!is_group(mine.vector[k].key[i], groups))
            first_bad = min(first_bad, low + thread_keys<Key>::place(k) + i);
        }
      }
    }
    if (thread == 0) {
      before = mine.before;
      stop = mine.stop != 0;
    }
    mine.load(keys, aligned, low + tile_step, count, groups, report);
    __syncthreads();
#pragma unroll
    for (int k = 0; k < vectors_a_thread; ++k) {
      const int at = thread_keys<Key>::place(k);
      ascends = ascends && (at == 0 ? before : tile[at - 1]) <= tile[at];
    }
    falls = falls || !ascends;
    const bool ordered = __syncthreads_and(known && ascends) != 0;
    if (!ordered && !stop && thread == 0) report->stop = 1;
    if (ordered && !stop) {
      const std::int64_t last = tile[here - 1];
      for (std::int64_t g = (low > 0 ? std::int64_t{before} + 1 : 0) + thread; g <= last; g += key_threads) {
        int at = 0, end = here;
        while (at < end) {
          const int middle = (at + end) / 2;
          if (tile[middle] < g) at = middle + 1;
          else end = middle;
        }
        offsets[g] = low + at;
        if (tile[at] != g) first_empty = min(first_empty, g);
      }
    }
    __syncthreads();
  }
  // No group begins behind the last key.
  const std::int64_t last = count > 0 ? static_cast<std::int64_t>(keys[count - 1]) : -1;
  const std::int64_t step = std::int64_t{gridDim.x} * key_threads;
  for (std::int64_t g = min(max(last, std::int64_t{-1}), groups - 1) + 1 + blockIdx.x * key_threads + thread;
       g <= groups; g += step) {
    offsets[g] = count;
    first_empty = min(first_empty, g);
  }
  note_bad(report, count, first_bad);
  const unsigned empty = __reduce_max_sync(kernels::whole_warp, static_cast<unsigned>(groups - first_empty));
  if (thread % 32 == 0 && empty > 0) atomicMax(&report->empty, empty);
  if (__syncthreads_or(falls) && thread == 0) report->falls = 1;
  __threadfence();
  __syncthreads();
  if (thread == 0) is_last = atomicAdd(&report->arrivals, 1u) == gridDim.x - 1;
  __syncthreads();
  if (!is_last || *static_cast<volatile unsigned*>(&report->stop) == 0) return;
  for (std::int64_t g = thread; g <= groups; g += key_threads) offsets[g] = 0;
}

template <class Key>
__global__ void __launch_bounds__(key_threads)
    copy_checked(const Key* keys, std::int64_t count, std::int64_t groups, std::uint32_t* narrow,
                 const __grid_constant__ element_numbers numbers, key_report* report, const key_report* only_if_bad) {
  if (only_if_bad != nullptr && only_if_bad->bad == 0) return;
  std::int64_t first_bad = count;
  for (std::int64_t low = std::int64_t{blockIdx.x} * tile_keys; low < count;
       low += std::int64_t{gridDim.x} * tile_keys) {
    Key key[keys_a_thread];
#pragma unroll
    for (int k = 0; k < keys_a_thread; ++k) {
      const std::int64_t i = low + k * key_threads + threadIdx.x;
      key[k] = i < count ? keys[i] : Key{0};
    }
#pragma unroll
    for (int k = 0; k < keys_a_thread; ++k) {
      const std::int64_t i = low + k * key_threads + threadIdx.x;
      if (i >= count) break;
      if (!is_group(key[k], groups)) first_bad = min(first_bad, i);
      if (narrow != nullptr) narrow[i] = static_cast<std::uint32_t>(key[k]);
      if (numbers.at == nullptr) continue;
      if (numbers.wide) static_cast<std::uint64_t*>(numbers.at)[i] = static_cast<std::uint64_t>(i);
      else static_cast<std::uint32_t*>(numbers.at)[i] = static_cast<std::uint32_t>(i);
    }
  }
  note_bad(report, count, first_bad);
}

// f(pointer to the keys).
template <class F>
void with_keys(const key_list& list, const F& f) {
  if (list.wide) f(static_cast<const std::int64_t*>(list.keys));
  else f(static_cast<const std::int32_t*>(list.keys));
}

}  // namespace

void find_offsets(const key_list& list, std::int64_t* offsets, key_report* report, const engine_traits& gpu,
                  work_queue& queue) {
  const unsigned blocks = blocks_for(list.count, tile_keys, gpu);
  with_keys(list, [&]<class Key>(const Key* keys) {
    launch_kernel(queue, offsets_of_keys<Key>, blocks, key_threads, 0, keys, list.count, list.groups, offsets, report);
  });
}

void check_keys(const key_list& list, std::uint32_t* narrow, const element_numbers& numbers, key_report* report,
                const engine_traits& gpu, work_queue& queue, const key_report* only_if_bad) {
  const unsigned blocks = blocks_for(list.count, tile_keys, gpu);
  with_keys(list, [&]<class Key>(const Key* keys) {
    launch_kernel(queue, copy_checked<Key>, blocks, key_threads, 0, keys, list.count, list.groups, narrow, numbers,
                  report, only_if_bad);
  });
}

}  // namespace multifold::inline v0_1::cuda::keys
