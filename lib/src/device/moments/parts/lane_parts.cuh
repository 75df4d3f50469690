// Batches of any strides as lanes go through them, an element a load: which elements a lane has, and how it asks for them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "device/moments/arguments.cuh"
#include "device/moments/parts/gathered.cuh"
#include "plan/layouts/lane_walk.hpp"

namespace multifold::inline v0_1::cuda::moments {

using kernels::vector_word;
using multifold::detail::lane_walk;

/// What a kernel of lanes is told.
template <storage_type T, moment_set Set, class Output = output_of_parts<T, Set>>
struct lane_arguments {
  const T *x, *y;
  std::int64_t length;  // of a batch
  lane_walk walk;
  typename gathered<T, Set>::terms terms;
  typename gathered<T, Set>::part* meet;  // of each share of each batch, if there are several
  unsigned* arrivals;                     // of each box, zero before the kernel
  Output output;
  typename gathered<T, Set>::fold fold;
};

/// Outputs of another kind are of exact sums, which are `absolute` but for signs.
template <storage_type T, moment_set Set, class Output = output_of_parts<T, Set>>
struct lane_parts {
  static constexpr bool real = floating_storage<T>, is_signed = !std::is_same_v<Output, output_of_parts<T, Set>>;
  using arguments = lane_arguments<T, Set, Output>;
  using lane_type = typename gathered<T, Set, is_signed>::lane;
  using part_type = typename gathered<T, Set>::part;
  using slots_type = raw_memory<part_type, part_threads>;
  static constexpr bool two = lane_type::two, describes = lane_type::describes;
  /// Whether most results are certain with little ado, for which no elements that are on their way have to wait.
  static constexpr bool quick = real && !describes && !lane_type::joint;
  static constexpr int width = lane_type::width, in_flight = lane_type::vectors, step = in_flight * width;

  /// A lane's next elements.
  struct cursor {
    const std::byte* at = nullptr;
    int left = 0;
  };
  /// What a lane has of a part, and the number of its first element in the batch.
  struct lane_part : cursor {
    std::int64_t first = 0;
  };
  /// Elements as they are loaded: narrow ones become words where they are used, for which they have to be there.
  struct loaded {
    kernels::elements_of<T> x[in_flight], y[two ? in_flight : 1];

    __device__ __forceinline__ static T load(const std::byte* at) {
      std::make_unsigned_t<key_of<T>> bits;
      if constexpr (sizeof(T) == 1) {
        std::uint16_t byte;
        asm volatile("ld.global.u8 %0, [%1];" : "=h"(byte) : "l"(at));
        bits = static_cast<std::uint8_t>(byte);
      } else if constexpr (sizeof(T) == 2) {
        asm volatile("ld.global.u16 %0, [%1];" : "=h"(bits) : "l"(at));
      } else if constexpr (sizeof(T) == 4) {
        asm volatile("ld.global.u32 %0, [%1];" : "=r"(bits) : "l"(at));
      } else {
        asm volatile("ld.global.u64 %0, [%1];" : "=l"(bits) : "l"(at));
      }
      return bit_copy<T>(bits);
    }
    // Neutral: -0 of the first array, and 0 of the second one, whose product is -0; integers are 0.
    __device__ __forceinline__ static T neutral() {
      if constexpr (real) return bit_copy<T>(multifold::detail::float_layout<T>::sign);
      else return T{};
    }
    __device__ __forceinline__ void load(int k, const cursor& c, std::int64_t stride, std::int64_t to_partner) {
      const std::byte* at = c.at + k * width * stride;
      const int left = c.left - k * width;
      const auto some = [&]<bool All>() {
#pragma unroll
        for (int i = 0; i < width; ++i, at += stride) {
          if (All || i < left) {
            x[k].values[i] = load(at);
            if constexpr (two) y[k].values[i] = load(at + to_partner);
          } else {
            x[k].values[i] = neutral();
            if constexpr (two) y[k].values[i] = T{};
          }
        }
      };
      if (left >= width) some.template operator()<true>();
      else some.template operator()<false>();
    }
  };

  const arguments& args;
  const lane_walk& walk;
  int items;                // shares of boxes
  int column, phase;        // of those of a block, which this thread has
  int steps;                // that a lane takes for a part
  std::int64_t stride;      // bytes from one of its elements to the next
  std::int64_t to_partner;  // and to that of the second array

  __device__ explicit lane_parts(const arguments& args)
      : args(args),
        walk(args.walk),
        items(walk.boxes * walk.shares),
        steps((walk.lane_rows + step - 1) / step),
        stride(walk.walk_stride * walk.walk_phases * static_cast<std::int64_t>(sizeof(T))),
        to_partner(reinterpret_cast<std::intptr_t>(args.y) - reinterpret_cast<std::intptr_t>(args.x)) {
    const int thread = static_cast<int>(threadIdx.x), side = walk.beside ? walk.phases : walk.width;
    const int outer = thread / side, inner = thread - outer * side;
    column = walk.beside ? outer : inner;
    phase = walk.beside ? inner : outer;
  }
  /// What sums of lanes are off by, which two trees of lanes and the shares that a lane merges add to.
  static typename gathered<T, Set>::terms terms_of(const lane_walk& walk) {
    constexpr std::int64_t trees = 24;
    return typename gathered<T, Set>::terms(std::int64_t{walk.lane_rows + step} * walk.share,
                                            trees + (walk.shares + walk.phases - 1) / walk.phases);
  }
  /// Shares are numbered with boxes fastest.
  __device__ int share_of(int item) const { return walk.shares == 1 ? 0 : item / walk.boxes; }
  __device__ int end_of(int share) const { return min((share + 1) * walk.share, walk.parts); }
  /// A lane's batch; -1 if there is none.
  __device__ int batch_of(int box) const {
    const std::int64_t batch = std::int64_t{box} * walk.width + column;
    return batch < walk.batches && column < walk.width && phase < walk.phases ? static_cast<int>(batch) : -1;
  }

  __device__ lane_part part_of(int box, int part) const {
    lane_part of;
    const int batch = batch_of(box);
    if (box >= walk.boxes || batch < 0) return of;
    const auto found = multifold::detail::lane_part_of(walk, batch, phase, part);
    of.at = reinterpret_cast<const std::byte*>(args.x + found.offset);
    of.left = found.left;
    of.first = found.index;
    return of;
  }
  /// The first part of an item.
  __device__ lane_part first_of(int item) const {
    if (item >= items) return {};
    const int share = share_of(item);
    return part_of(item - share * walk.boxes, share * walk.share);
  }

  __device__ __forceinline__ void load(loaded& v, const cursor& c) const {
#pragma unroll
    for (int k = 0; k < in_flight; ++k) v.load(k, c, stride, to_partner);
  }
};

}  // namespace multifold::inline v0_1::cuda::moments
