// What lanes have asked for: elements one by one, or words of two. They are put together where they are used, for which
// they have to be there.
#pragma once

#include <cstddef>
#include <cstdint>

#include "device/moments/arguments.cuh"
#include "device/moments/parts/part_lane.cuh"
#include "plan/layouts/lane_walk.hpp"

namespace multifold::cuda::moments {

using kernels::vector_word;
using multifold::detail::lane_piece, multifold::detail::lane_walk;

/// A lane's next elements, or words: where they are, how many there are, and the number of the first and the kind as of
/// lane_piece.
struct lane_cursor {
  const std::byte* at = nullptr;
  int left = 0;
  int word = lane_piece::whole, odd = 0;
};

/// From one element, or word, of a lane to its next one, and to that of the second array. [bytes]
struct lane_steps {
  std::int64_t stride, to_partner;
};

template <class Bits>
__device__ __forceinline__ Bits loaded_bits(const std::byte* at) {
  Bits bits;
  if constexpr (sizeof(Bits) == 2) asm volatile("ld.global.u16 %0, [%1];" : "=h"(bits) : "l"(at));
  else if constexpr (sizeof(Bits) == 4) asm volatile("ld.global.u32 %0, [%1];" : "=r"(bits) : "l"(at));
  else asm volatile("ld.global.u64 %0, [%1];" : "=l"(bits) : "l"(at));
  return bits;
}

/// `Count` vectors of an array or two. Where a lane has fewer elements they are neutral: -0 of the first array, and 0 of the
/// second one, whose product is -0.
template <floating_storage T, bool Two, int Count>
struct loaded_elements {
  static constexpr int width = kernels::vector_elements<T>, columns = 1;
  kernels::elements_of<T> x[Count], y[Two ? Count : 1];

  __device__ __forceinline__ static T load(const std::byte* at) { return bit_copy<T>(loaded_bits<key_of<T>>(at)); }
  __device__ __forceinline__ void load(int k, const lane_cursor& c, const lane_steps& by, const lane_walk&) {
    const std::byte* at = c.at + k * width * by.stride;
    const int left = c.left - k * width;
    const auto some = [&]<bool All>() {
#pragma unroll
      for (int i = 0; i < width; ++i, at += by.stride) {
        if (All || i < left) {
          x[k].values[i] = load(at);
          if constexpr (Two) y[k].values[i] = load(at + by.to_partner);
        } else {
          x[k].values[i] = bit_copy<T>(multifold::detail::float_layout<T>::sign);
          if constexpr (Two) y[k].values[i] = T{};
        }
      }
    };
    if (left >= width) some.template operator()<true>();
    else some.template operator()<false>();
  }
  __device__ __forceinline__ vector_word first(int k, int) const { return bit_copy<vector_word>(x[k]); }
  __device__ __forceinline__ vector_word second(int k, int) const { return bit_copy<vector_word>(y[Two ? k : 0]); }
};

/// The same of two columns of elements of 2 bytes.
template <floating_storage T, bool Two, int Count>
struct loaded_words {
  static_assert(sizeof(T) == 2);
  static constexpr int width = kernels::vector_elements<T>, columns = 2;
  static constexpr std::uint32_t x_neutral = 0x80008000u, y_neutral = 0;
  std::uint32_t x[Count][width], y[Two ? Count : 1][width];

  __device__ __forceinline__ void load(int k, const lane_cursor& c, const lane_steps& by, const lane_walk& walk) {
    const std::byte* at = c.at + k * width * by.stride;
    const int left = c.left - k * width, first = c.word + k * width * walk.word_step;
    if (left >= width && is_inside(first, c.word, walk)) {
#pragma unroll
      for (int i = 0; i < width; ++i, at += by.stride) {
        x[k][i] = loaded_bits<std::uint32_t>(at);
        if constexpr (Two) y[k][i] = partner(at + by.to_partner, by.to_partner % 4 == 0);
      }
      return;
    }
    if (left >= width && c.word <= lane_piece::low_alone) {
      const bool low = c.word == lane_piece::low_alone;
      const int away = low ? 0 : 2;
      const std::uint32_t times = low ? 1 : 0x10000;
#pragma unroll
      for (int i = 0; i < width; ++i, at += by.stride) {
        const std::byte* const here = at + away;
        x[k][i] = loaded_bits<std::uint16_t>(here) * times + (low ? x_neutral << 16 : x_neutral & 0xffff);
        if constexpr (Two) y[k][i] = loaded_bits<std::uint16_t>(here + by.to_partner) * times;
      }
      return;
    }
    const end_of_line end(first, left, c, walk);
#pragma unroll
    for (int i = 0; i < width; ++i, at += by.stride) {
      const bool ends = end.number < 0 || i == end.number, low = i < left && (!ends || end.low), high = i < left && (!ends || end.high);
      x[k][i] = halves(at, ends ? end.moved : 0, low, high, x_neutral);
      if constexpr (Two) y[k][i] = halves(at + by.to_partner, ends ? end.moved : 0, low, high, y_neutral);
    }
  }
  __device__ __forceinline__ vector_word first(int k, int column) const { return column_of(x[k], column); }
  __device__ __forceinline__ vector_word second(int k, int column) const { return column_of(y[Two ? k : 0], column); }

 private:
  // Whether all words of a vector are elements of a line's, one behind the other.
  __device__ __forceinline__ static bool is_inside(int first, int word, const lane_walk& walk) {
    return word == lane_piece::whole || (walk.word_step > 0 && first > 0 && first + (width - 1) * walk.word_step < walk.line - 1);
  }
  // The word of a vector that is the first or the last of a line, and what there is of it: all of them are, or one of them.
  struct end_of_line {
    int number = -1;
    bool low = true, high = true;
    std::int64_t moved = 0;  // from where the first element would be to where it is [bytes]

    __device__ __forceinline__ end_of_line(int first, int left, const lane_cursor& c, const lane_walk& walk) {
      if (c.word < 0 || left <= 0) {
        low = c.word != lane_piece::high_alone;
        high = c.word != lane_piece::low_alone;
        return;
      }
      int word = first;
      if (walk.word_step > 0) {
        number = first == 0 ? 0 : left - 1;
        word = first + number * walk.word_step;
        if (word != 0 && word != walk.line - 1) return;
      }
      const auto of = multifold::detail::elements_of_word(walk, word, c.odd);
      low = of.low >= 0;
      high = of.high >= 0;
      if (low) moved = 2 * (of.low - (2 * word - c.odd));
    }
  };
  // Of the second array, which may lie otherwise.
  __device__ __forceinline__ static std::uint32_t partner(const std::byte* at, bool aligned) {
    return aligned ? loaded_bits<std::uint32_t>(at) : halves(at, 0, true, true, 0);
  }
  __device__ __forceinline__ static std::uint32_t halves(const std::byte* at, std::int64_t moved, bool low, bool high,
                                                         std::uint32_t neutral) {
    auto lower = static_cast<std::uint16_t>(neutral), upper = lower;
    if (low) lower = loaded_bits<std::uint16_t>(at + moved);
    if (high) upper = loaded_bits<std::uint16_t>(at + 2);
    return static_cast<std::uint32_t>(upper) << 16 | lower;
  }
  __device__ __forceinline__ static vector_word column_of(const std::uint32_t* words, int column) {
    vector_word v;
#pragma unroll
    for (int i = 0; i < 4; ++i) v.words[i] = __byte_perm(words[2 * i], words[2 * i + 1], column == 0 ? 0x5410 : 0x7632);
    return v;
  }
};

}  // namespace multifold::cuda::moments
