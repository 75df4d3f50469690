// Rows in device memory that warps read by themselves, with what comes next on its way: a group of lanes has a row, and a
// warp as many rows at once as it has groups.
#pragma once

#include <cstddef>
#include <cstdint>

#include "multifold/cuda/kernels/group_slots.cuh"
#include "multifold/cuda/kernels/rows/masked_rows.cuh"
#include "multifold/cuda/kernels/tiles/ring.cuh"

namespace multifold::inline v0_1::cuda::kernels {

/// x, of which the compiler knows nothing before: what follows from it is worked out anew behind a call, not kept.
__device__ inline int asked_again(int x) {
  int same;
  asm volatile("mov.u32 %0, %1;" : "=r"(same) : "r"(x));
  return same;
}

template <floating_storage T, class F>
__device__ __forceinline__ void each_of_vector(const vector_word& v, const F& f) {
  const auto loaded = bit_copy<elements_of<T>>(v);
#pragma unroll
  for (int k = 0; k < vector_elements<T>; ++k) f(loaded.values[k], k);
}

/// The rows of a warp, a set at once. Lanes go through a row by vectors, a chunk of some for each, and the first and the
/// last vector may hold what is not the row's, if that lies in the array.
template <floating_storage T>
struct row_walk {
  static constexpr int width = vector_elements<T>, in_flight = 4;
  array_range array;
  const std::byte* next;     // a lane's row of the set whose vectors are asked for next
  std::int64_t step;         // bytes from there to the one after it
  int rows, group, lane;     // elements of a row, lanes of a group, and a lane's number in it
  int set, sets;             // the next one, and how many the warp has
  int chunks, whole_chunks;  // of a row, at most, and those that are whole for all lanes, but for the first at `ends`
  bool ends;                 // whether there are vectors that are not the row's alone
  bool there_at_last;        // whether a lane has a row in the last set

  /// From a set on. Made again rather than kept where a function is called, since what is alive then takes memory in place
  /// of registers wherever it is used; nothing that follows from `rows` is known to the compiler before.
  __device__ row_walk(const T* data, const array_range& array, std::int64_t row_stride, std::int64_t batches,
                      int length, int set)
      : array(array),
        rows(asked_again(length)),
        group(lanes_of_row(bytes())),
        lane(detail::thread_again() & (group - 1)),
        set(set) {
    const std::int64_t row_bytes = row_stride * static_cast<std::int64_t>(sizeof(T)), apart = batch_of(1) - batch_of(0);
    const std::int64_t first = batch_of(0) - own(), all = batches - first + apart - 1;
    sets = first >= batches
               ? 0
               : static_cast<int>(all >> 32 == 0 ? static_cast<unsigned>(all) / static_cast<unsigned>(apart)
                                                 : all / apart);
    there_at_last = batch_of(sets - 1) < batches;
    next = reinterpret_cast<const std::byte*>(data) + batch_of(set) * row_bytes;
    step = apart * row_bytes;
    ends =
        ((static_cast<int>(reinterpret_cast<std::uintptr_t>(data)) | static_cast<int>(row_bytes) | bytes()) & 15) != 0;
    const int chunk = group * in_flight;
    const int most_vectors = (bytes() + (ends ? 30 : 0)) / 16, least_vectors = ends ? (bytes() - 1) / 16 : bytes() / 16;
    chunks = (most_vectors + chunk - 1) / chunk;
    whole_chunks = least_vectors / chunk;
  }
  __device__ int bytes() const { return rows * static_cast<int>(sizeof(T)); }
  __device__ int own() const { return (static_cast<int>(threadIdx.x) & 31) >> log_of_group(); }
  /// A lane's row of a set, which may be behind the last one.
  __device__ std::int64_t batch_of(int number) const {
    const unsigned warp = blockIdx.x * (tile_threads / 32) + threadIdx.x / 32, warps = gridDim.x * (tile_threads / 32);
    return ((number * std::int64_t{warps} + warp) << (5 - log_of_group())) + own();
  }
  __device__ bool there(int number) const { return number + 1 < sets || (number < sets && there_at_last); }

  /// A lane's next vectors: the k-th is at from[k * group], if k * group < left.
  struct cursor {
    const vector_word* from;
    int left;
  };
  /// At the beginning of a lane's row of a set, which is the next one. `inside`: whether the vectors of all rows of the set
  /// lie in the array.
  __device__ __forceinline__ cursor start(int number, bool& inside) {
    const bool is_there = there(number);
    const std::byte* from = next;
    int vectors = bytes() / 16;
    if (ends) {
      const int lead = static_cast<int>(reinterpret_cast<std::uintptr_t>(from) % 16);
      vectors = (lead + bytes() + 15) / 16;
      from -= lead;
      inside = __all_sync(whole_warp, !is_there || (from >= array.first && from + 16 * vectors <= array.end));
    }
    next += step;
    return {reinterpret_cast<const vector_word*>(from) + lane, is_there && inside ? vectors - lane : 0};
  }
  __device__ __forceinline__ void load(vector_word& v, const cursor& at, int k) const {
    if (k * group < at.left) v = load_vector(at.from + k * group);
  }
  /// A vector of a chunk that may not be whole, of a row of the set before the next one: -0 stands for what is not its.
  __device__ __forceinline__ void mask(vector_word& v, const cursor& at, int k, bool first_chunk) const {
    constexpr bool wide = sizeof(T) == 8;
    constexpr unsigned neutral = sizeof(T) == 2 ? 0x80008000u : 0x80000000u;
    const bool is_there = k * group < at.left;
#pragma unroll
    for (int i = 0; i < 4; ++i) v.words[i] = is_there ? v.words[i] : wide && i % 2 == 0 ? 0 : neutral;
    if (!ends) return;
    const int lead = static_cast<int>(reinterpret_cast<std::uintptr_t>(next - step) % 16);
    if (first_chunk && k == 0 && lane == 0) v = vector_ends::behind<wide>(v, 8 * lead, neutral);
    if (at.left - k * group == 1) v = vector_ends::before<wide>(v, 8 * ((32 - (lead + bytes()) % 16) % 16), neutral);
  }

  /// Elements that a lane has of a row, at most.
  __device__ static int share_of(int rows) {
    return (rows >> (31 - __clz(lanes_of_row(rows * static_cast<int>(sizeof(T)))))) + 2 * width;
  }

 private:
  __device__ int log_of_group() const { return 31 - __clz(group); }
  // Eight vectors a lane or more, so that what is done once a row is little beside them; of short rows four, since a
  // request for less than half a line of memory takes as long as one for that.
  __device__ static int lanes_of_row(int bytes) {
    const int most = max(bytes < 512 ? bytes / 64 : bytes / 128, 2);
    return min(1 << (31 - __clz(most)), 32);
  }
};

/// Takes rows until `done` ends that; false: until the vectors of a set do not all lie in the array. As soon as a vector
/// has been used, the one that comes next is asked for. `look_of()` begins a look, `done(look, there)` takes what it came
/// to; whether there is a row is the same in all lanes of a group.
template <floating_storage T, class LookOf, class Done>
__device__ __forceinline__ bool take_rows(row_walk<T>& w, const LookOf& look_of, const Done& done) {
  constexpr int in_flight = row_walk<T>::in_flight;
  bool inside = true;
  typename row_walk<T>::cursor here = w.start(w.set, inside);
  vector_word v[in_flight];
#pragma unroll
  for (int k = 0; k < in_flight; ++k) w.load(v[k], here, k);
#pragma unroll 1
  while (w.set < w.sets && inside) {
    auto look = look_of();
#pragma unroll 1
    for (int c = 0; c < w.chunks;) {
      if (c >= w.whole_chunks || here.left <= 0 || (w.ends && c == 0)) {
#pragma unroll
        for (int k = 0; k < in_flight; ++k) w.mask(v[k], here, k, c == 0);
      }
      ++c;
      here.from += in_flight * w.group, here.left -= in_flight * w.group;
      if (c == w.chunks) here = w.start(w.set + 1, inside);
#pragma unroll
      for (int k = 0; k < in_flight; ++k) {
        each_of_vector<T>(v[k], [&](T x, int i) { look.see(x, i); });
        w.load(v[k], here, k);
      }
    }
    const bool goes_on = done(look, w.there(w.set));
    ++w.set;
    if (!goes_on) break;
  }
  w.next -= w.step;  // whose vectors have been asked for, to no use
  return inside;
}

}  // namespace multifold::inline v0_1::cuda::kernels
