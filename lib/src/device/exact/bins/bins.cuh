// Lane-private exponent bins in shared memory: every element is added to the bin of its leading exponent bits, where no
// addition rounds until the bins are flushed. The cost is the same for any data. Bounds: docs/exact-sums.md, 9.
//
// Layout [warp][bin][lane]: a lane has a column of bins to itself, so there are no atomics, and no bank conflicts
// whatever the elements. Exponent-indexed bins: Malcolm 1971; Neal, arXiv 1505.05571.
//   f32:  16 bins of doubles, 16 binades each: 24 + 15 bits, so 2^14 additions are exact.
//   bf16: 32 bins of floats, 8 binades each: 8 + 7 bits, so 2^9 are; times 2^-10, so that the top cannot overflow.
//   f16:  one bin of doubles, a register: all elements are within 41 bits, so 2^12 are.
#pragma once

#include <cstdint>

#include "device/exact/shared.cuh"
#include "device/exact/words.cuh"
#include "multifold/cuda/kernels/absorb.cuh"
#include "multifold/cuda/kernels/exchange.cuh"

namespace multifold::inline v0_1::cuda::exact {

template <floating_storage T>
struct bin_layout;

template <>
struct bin_layout<float> {
  using bin = double;
  static constexpr int count = 16;
  static constexpr int capacity = 1 << 14;
  static constexpr std::uint32_t top = 0x78000000u;  // magnitudes from here on are in the last bin
  static constexpr int scale = 0;
  /// The position of a bin's unit among the limbs.
  __device__ static constexpr int position(int b) { return b == 0 ? 0 : 16 * b - 1; }
};

template <>
struct bin_layout<bf16> {
  using bin = float;
  static constexpr int count = 32;
  static constexpr int capacity = 1 << 9;
  static constexpr std::uint32_t top = 0x7c00u;
  static constexpr int scale = -10;
  __device__ static constexpr int position(int b) { return (b == 0 ? 1 : 8 * b) + 15; }
};

template <>
struct bin_layout<f16> {
  static constexpr int count = 1;
  static constexpr int capacity = 1 << 12;
  static constexpr std::uint32_t top = 0;
  __device__ static constexpr int position(int) { return 0; }
};

inline constexpr int bin_bytes_a_warp = 4096;

/// What a lane takes out of a warp's bins.
struct taken_out {
  std::int64_t sum;  // in units of the bin that is this lane's
  bool special;      // the last bin held NaN or an infinity
  bool other;        // there was something else than -0
};

/// A warp's bins as its lanes see them. `low` and `high` are what flushes have taken out: of bin number `lane`.
template <floating_storage T>
struct bin_column {
  using layout = bin_layout<T>;
  using bin = typename layout::bin;
  static constexpr unsigned item = sizeof(bin), row = 32 * item;

  unsigned base;                   // shared address of this lane's bin 0
  std::int64_t low = 0, high = 0;  // low + high * 2^32
  int room = layout::capacity;
  bool special = false;  // the last bin held NaN or an infinity
  bool other = false;    // there was something else than -0

  __device__ explicit bin_column(std::byte* shared)
      : base(shared_address(shared) + threadIdx.x / 32 * bin_bytes_a_warp + threadIdx.x % 32 * item) {
    clear();
  }

  /// This lane's bins, all of them -0: the true identity of an addition.
  __device__ void clear() {
#pragma unroll
    for (unsigned b = 0; b < layout::count; ++b) store_shared(base + b * row, -bin{0});
  }

  __device__ static float widened(T x) {
    if constexpr (sizeof(T) == 4) return x;
    else return to_float(x);
  }

  __device__ void add(float x) {
    if constexpr (sizeof(bin) == 8) {
      const unsigned at = base + ((__float_as_uint(x) >> 19) & 0xf00u);
      store_shared(at, load_shared_f64(at) + static_cast<double>(x));
    } else {
      const unsigned at = base + ((__float_as_uint(x) >> 19) & 0xf80u);
      store_shared(at, __fmaf_rn(x, 0x1p-10f, load_shared_f32(at)));
    }
  }

  __device__ void add(const kernels::vector_word& v) {
#pragma unroll
    for (const unsigned word : v.words) {
      if constexpr (sizeof(T) == 4) {
        add(__uint_as_float(word));
      } else {
        add(__uint_as_float(word << 16));
        add(__uint_as_float(word & 0xffff0000u));
      }
    }
  }

  /// The whole warp must call, before `elements` more are added to any column.
  __device__ void make_room(int elements) {
    if (room < elements) flush();
    room -= elements;
  }

  /// Empties the bins. The whole warp must call.
  __device__ taken_out take() {
    __syncwarp();
    const unsigned lane = threadIdx.x % 32;
    const unsigned b = lane % layout::count, first = lane / layout::count * layout::count;
    const unsigned column = base - lane * item + b * row + first * item;
    taken_out taken = take_out(column, lane, layout::position(static_cast<int>(b)));
    if constexpr (layout::count == 16) taken.sum += __shfl_xor_sync(kernels::whole_warp, taken.sum, 16);
    room = layout::capacity;
    __syncwarp();
    return taken;
  }
  /// The same, and adds it to the totals.
  __device__ void flush() {
    const taken_out taken = take();
    low += static_cast<std::int64_t>(static_cast<std::uint64_t>(taken.sum) & 0xffffffffu);
    high += taken.sum >> 32;
    special = special || taken.special;
    other = other || taken.other;
  }

  /// Forgets what was taken out of the last bin.
  __device__ void forget_last() {
    if (threadIdx.x % 32 % layout::count == layout::count - 1) low = high = 0;
  }

 private:
  // The sum of layout::count neighbouring bins in units of 2^position; they are -0 then. Lanes start at different ones,
  // so that there is no bank conflict.
  __device__ taken_out take_out(unsigned column, unsigned lane, int position) {
    std::int64_t sum = 0;
    bool special = false, other = false;
    if constexpr (sizeof(bin) == 8) {
      const double to_units = multifold::detail::power_of_two(149 - position);
#pragma unroll 4
      for (unsigned i = 0; i < layout::count; ++i) {
        const unsigned at = column + (i + lane) % layout::count * item;
        const double value = load_shared_f64(at);
        store_shared(at, -0.0);
        const bool finite = value - value == 0;
        special = special || !finite;
        other = other || (finite && __double_as_longlong(value) != INT64_MIN);
        if (finite) sum += __double2ll_rn(value * to_units);
      }
    } else {
      // Units are up to 2^143 apart from 1, beyond float: two factors. A bin holds less than 2^24 units.
      const float half = __uint_as_float(static_cast<unsigned>(127 + (159 - position) / 2) << 23);
      const float rest = __uint_as_float(static_cast<unsigned>(127 + (159 - position) - (159 - position) / 2) << 23);
      int units = 0;
      unsigned bits = 0;
      float poison = 0;
#pragma unroll 8
      for (unsigned i = 0; i < layout::count; ++i) {
        const unsigned at = column + (i + lane) % layout::count * item;
        const float value = load_shared_f32(at);
        store_shared(at, -0.0f);
        bits |= __float_as_uint(value) ^ 0x80000000u;
        poison = __fmaf_rn(value, 0.0f, poison);
        units += __float2int_rn(value * half * rest);
      }
      const bool finite = poison == 0;
      special = !finite;
      other = finite && bits != 0;
      sum = finite ? units : 0;
    }
    return {sum, special, other};
  }
};

/// The single bin of f16 has no place in shared memory.
template <>
struct bin_column<f16> {
  using layout = bin_layout<f16>;

  double sum = -0.0;
  int room = layout::capacity;

  __device__ explicit bin_column(std::byte*) {}

  __device__ static double widened(f16 x) { return to_double(x); }
  __device__ void add(double x) { sum += x; }
  __device__ void add(const kernels::vector_word& v) {
    const auto unpacked = bit_copy<kernels::elements_of<f16>>(v);
#pragma unroll
    for (int i = 0; i < kernels::vector_elements<f16>; ++i) sum += to_double(unpacked.values[i]);
  }
  __device__ taken_out take() {
    const double taken = sum;
    sum = -0.0;
    room = layout::capacity;
    const bool finite = taken - taken == 0;
    std::int64_t units = finite ? __double2ll_rn(taken * 0x1p24) : 0;
#pragma unroll
    for (int mask = 16; mask > 0; mask /= 2) units += __shfl_xor_sync(kernels::whole_warp, units, mask);
    return {units, !finite, finite && __double_as_longlong(taken) != INT64_MIN};
  }
};

/// What the lanes of `warps` warps have taken out of their bins, `low` + `high` * 2^32 in the first lanes of each, as
/// limbs in `into`, shared memory of words<T>::limb_count; `scratch` is shared memory of 1 KiB. One warp calls, which
/// then sees the result.
template <floating_storage T>
__device__ void limbs_of(const std::int64_t* low, const std::int64_t* high, int warps, std::int64_t* scratch,
                         std::int64_t* into) {
  using layout = bin_layout<T>;
  constexpr int word_count = 4;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  if (lane < layout::count) {
    std::int64_t lows = 0, highs = 0;
#pragma unroll 4
    for (int w = 0; w < warps; ++w) {
      lows += low[32 * w + lane];
      highs += high[32 * w + lane];
    }
    const auto total = (static_cast<int128_t>(lows) + (static_cast<int128_t>(highs) << 32))
                       << (layout::position(lane) & 31);
#pragma unroll
    for (int i = 0; i < word_count; ++i) {
      const auto word = static_cast<std::int64_t>(total >> (32 * i));
      scratch[word_count * lane + i] = i + 1 < word_count ? word & 0xffffffff : word;
    }
  }
  __syncwarp();
  if (lane < words<T>::limb_count) {
    std::int64_t limb = 0;
#pragma unroll
    for (int b = 0; b < layout::count; ++b) {
      const int i = lane - (layout::position(b) >> 5);
      if (i >= 0 && i < word_count) limb += scratch[word_count * b + i];
    }
    into[lane] = limb;
  }
  __syncwarp();
}

}  // namespace multifold::inline v0_1::cuda::exact
