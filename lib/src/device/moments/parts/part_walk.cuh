// A long row of moments, or some steps of one, as the threads of a team go through it.
#pragma once

#include <climits>
#include <cstddef>
#include <cstdint>

#include "device/exact/rows/row_tiles.cuh"
#include "device/moments/parts/gathered.cuh"

namespace multifold::inline v0_1::cuda::moments {

using kernels::load_vector;
using kernels::vector_word;

/// What a kernel of parts is told.
template <storage_type T, moment_set Set>
struct part_arguments {
  const T *x, *y;
  std::int64_t row_stride;
  std::int64_t rows;
  kernels::device_length length;
  int team;                               // threads that take a row together; all of a block, where blocks share rows
  typename gathered<T, Set>::part* meet;  // two of each block, of the first row and the last one that it shares
  unsigned* arrivals;                     // a row, zero before the kernel
  output_of_parts<T, Set> output;
  typename gathered<T, Set>::fold fold;
};

template <storage_type T, moment_set Set>
struct part_walk {
  using arguments = part_arguments<T, Set>;
  using lane_type = typename gathered<T, Set>::lane;
  static constexpr bool two = lane_type::two;
  /// Vectors of each array that a thread has in flight.
  static constexpr int in_flight = two ? 2 : 4, step_terms = in_flight * lane_type::width;

  /// Steps of a team that rows consist of, and blocks take.
  struct steps_type {
    int row, block, all;

    __device__ steps_type(const arguments& args, std::int64_t n) {
      const std::int64_t step = in_flight * lane_type::width * args.team;
      row = max(static_cast<int>((n + step - 1) / step), 1);
      all = static_cast<int>(args.rows) * row;
      block = args.team < part_threads ? row : (all + static_cast<int>(gridDim.x) - 1) / static_cast<int>(gridDim.x);
    }
    __device__ int last_row(int of_block) const { return (min((of_block + 1) * block, all) - 1) / row; }
    /// What a lane has of a row, at most.
    __device__ auto terms() const { return typename gathered<T, Set>::terms((min(row, block) + 1) * step_terms + 128); }
  };

  /// A thread's vectors of a step.
  struct cursor {
    const vector_word* at = nullptr;
    int left = 0;   // until the end of the row, if it ends in this step
    int apart = 0;  // from one of them to the next
    std::int64_t to_partner = 0;
    bool aligned = true;  // the partners
  };
  /// Some steps of a row, and a thread's vectors of them.
  struct row_range {
    exact::row_vectors<T> in;
    const T* partner;
    int apart, thread;
    int steps, whole, rest;  // the last one may be of fewer vectors, or none
    bool last;               // of the row
    const vector_word* first;

    __device__ row_range(const arguments& args, std::int64_t n, const steps_type& of, int row, int begin, int end)
        : in(args.x + row * args.row_stride, n),
          partner(args.y + row * args.row_stride),
          apart(args.team),
          thread(static_cast<int>(threadIdx.x) & (args.team - 1)),
          steps(end - begin),
          last(end == of.row),
          first(in.vectors + std::int64_t{begin} * step() + thread) {
      const std::int64_t left = in.count - std::int64_t{begin} * step();
      whole = left >= std::int64_t{steps} * step() ? steps : static_cast<int>(left) / step();
      rest = whole < steps ? static_cast<int>(left) - whole * step() : 0;
    }
    __device__ int step() const { return in_flight * apart; }
    /// The place of an element that is in no vector.
    __device__ std::int64_t end(int i) const { return i < in.head ? i : in.tail_first + (i - in.head); }
    __device__ cursor start() const {
      cursor c{first, left_of(0), apart};
      if constexpr (two) {
        c.to_partner = reinterpret_cast<std::intptr_t>(partner) - reinterpret_cast<std::intptr_t>(in.row);
        c.aligned = c.to_partner % 16 == 0;
      }
      return c;
    }
    __device__ int left_of(int number) const { return number < whole ? INT_MAX : number == whole ? rest - thread : 0; }
  };
  struct loaded {
    vector_word x[in_flight], y[two ? in_flight : 1];
    unsigned there = 0;  // a bit for each of those that are not neutral

    // Neutral words: -0 of the first array, and 0 of the second one, whose product is -0; integers are 0.
    __device__ __forceinline__ void load(int k, const cursor& c) {
      constexpr unsigned neutral = !floating_storage<T> ? 0 : sizeof(T) == 2 ? 0x80008000u : 0x80000000u;
      const bool is_there = k * c.apart < c.left;
      if constexpr (lane_type::describes) there = (there & ~(1u << k)) | (is_there ? 1u : 0u) << k;
      if (is_there) {
        const vector_word* const at = c.at + k * c.apart;
        x[k] = load_vector(at);
        if constexpr (two) {
          y[k] = load_elements(reinterpret_cast<const T*>(reinterpret_cast<const std::byte*>(at) + c.to_partner),
                               c.aligned);
        }
        return;
      }
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        x[k].words[i] = sizeof(T) == 8 && i % 2 == 0 ? 0 : neutral;
        if constexpr (two) y[k].words[i] = 0;
      }
    }
    __device__ __forceinline__ void load(const cursor& c) {
#pragma unroll
      for (int k = 0; k < in_flight; ++k) load(k, c);
    }
  };
  /// Sixteen bytes from any address of an element.
  __device__ static vector_word load_elements(const T* from, bool aligned) {
    if (aligned) return load_vector(from);
    kernels::elements_of<T> v;
#pragma unroll
    for (int i = 0; i < lane_type::width; ++i) v.values[i] = from[i];
    return bit_copy<vector_word>(v);
  }
};

}  // namespace multifold::inline v0_1::cuda::moments
