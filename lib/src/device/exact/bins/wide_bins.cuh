// Exponent bins for f64: exact for any data, at two thirds of the memory's speed. Bounds: docs/exact-sums.md, 9.
//
// An element is split into two halves of at most 27 bits, h with its low 27 bits cleared and l = x - h, which is exact;
// they always belong to different bins. Bins hold 16 binades of doubles, so 27 + 15 bits leave room for 2^11
// additions. A row of bins belongs to each of three scales, because neither end of double's range may be passed:
//   bins 0 to 127    elements as they are, exponent fields 64 to 2031;
//   bins 128 to 135  elements with smaller fields, times 2^64: no half is subnormal then;
//   bins 136 to 140  elements with greater fields, times 2^-64: no sum of them overflows. NaN and infinities land in
//                    the last one of this scale, number 144.
// 36 KiB of bins a warp leave room for six warps on an SM, which therefore load many vectors at a time.
//
// Bins start at -0, and a half l of nothing is -0 as well, so that a bin is -0 until anything else is added.
#pragma once

#include <cstdint>

#include "device/exact/shared.cuh"
#include "device/exact/words.cuh"

namespace multifold::inline v0_1::cuda::exact {

struct wide_layout {
  static constexpr int low_rows = 128, high_rows = 136, first_high = 119, special_row = 144, rows = wide_bin_rows;
  static constexpr int capacity = 1 << 11;
  /// The exponent that elements of bin `row` were scaled by.
  __device__ static int scale(int row) { return row < low_rows ? 0 : row < high_rows ? 64 : -64; }
  /// The least exponent field of a half in bin `row`.
  __device__ static int field(int row) {
    const int b = row < low_rows ? row : row < high_rows ? row - low_rows : row - high_rows + first_high;
    return b == 0 ? 1 : 16 * b;
  }
  /// Every half in bin `row` is a multiple of 2^unit.
  __device__ static int unit(int row) { return field(row) - 1023 - 26; }
};

struct wide_column {
  using layout = wide_layout;
  static constexpr int rows_a_lane = (layout::rows + 31) / 32;
  static constexpr unsigned row_bytes = 32 * 8;
  unsigned base;  // shared address of this lane's bin 0
  std::int64_t low[rows_a_lane] = {}, high[rows_a_lane] = {};
  int room = layout::capacity;
  bool other = false;  // finite numbers other than -0 were flushed

  __device__ explicit wide_column(double* shared)
      : base(shared_address(shared) + threadIdx.x / 32 * (layout::rows * row_bytes) + threadIdx.x % 32 * 8) {
    for (unsigned b = 0; b < layout::rows; ++b) store_shared(base + b * row_bytes, -0.0);
  }

  /// Without a branch: six warps live on instructions that overlap. What is not finite lands in a row of its own.
  __device__ void add(double x) {
    const unsigned magnitude = static_cast<unsigned>(__double2hiint(x)) & 0x7fffffffu;
    const bool small = magnitude < 64u << 20, great = magnitude >= 2032u << 20;
    const unsigned shift = (small ? layout::low_rows : great ? layout::high_rows - layout::first_high : 0u) * row_bytes;
    x *= __hiloint2double(small ? 1087 << 20 : great ? 959 << 20 : 1023 << 20, 0);  // 2^64, 2^-64, 1
    const double h = __hiloint2double(__double2hiint(x), __double2loint(x) & static_cast<int>(0xf8000000u));
    const double l = __dsub_rd(x, h);  // exact, and -0 if it is nothing
    const unsigned at_h = base + (static_cast<unsigned>(__double2hiint(h)) >> 16 & 0x7f00u) + shift;
    const unsigned at_l = base + (static_cast<unsigned>(__double2hiint(l)) >> 16 & 0x7f00u) + shift;
    // Different bins, unless l is zero: so both are loaded before one is stored, and h is stored last.
    const double sum_h = load_shared_f64(at_h), sum_l = load_shared_f64(at_l);
    store_shared(at_l, sum_l + l);
    store_shared(at_h, sum_h + h);
  }

  /// Whether anything that is not finite was added since the last call.
  __device__ bool take_special() {
    const unsigned at = base + layout::special_row * row_bytes;
    const bool special = load_shared_f64(at) != 0;
    if (special) store_shared(at, -0.0);
    return special;
  }

  /// The whole warp must call, before `elements` more are added to any column.
  __device__ void make_room(int elements) {
    if (room < elements) flush();
    room -= elements;
  }

  /// The whole warp must call.
  __device__ void flush() {
    __syncwarp();
    const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
    for (int k = 0; k < rows_a_lane; ++k) {
      const int row = lane + 32 * k;
      if (row >= layout::rows) break;
      const unsigned bins = base - static_cast<unsigned>(lane) * 8 + static_cast<unsigned>(row) * row_bytes;
      std::int64_t sum = 0;
      for (int i = 0; i < 32; ++i) {
        const unsigned at = bins + static_cast<unsigned>((i + lane) % 32) * 8;
        const double value = load_shared_f64(at);
        store_shared(at, -0.0);
        other = other || (row != layout::special_row && __double_as_longlong(value) != INT64_MIN);
        if (value != 0) sum += scaled(value, -layout::unit(row));
      }
      low[k] += static_cast<std::int64_t>(static_cast<std::uint64_t>(sum) & 0xffffffffu);
      high[k] += sum >> 32;
    }
    room = layout::capacity;
    __syncwarp();
  }

  // value * 2^exponent as an integer, which it is.
  __device__ static std::int64_t scaled(double value, int exponent) {
    const int half = exponent / 2;
    return __double2ll_rn(value * multifold::detail::power_of_two(half) *
                          multifold::detail::power_of_two(exponent - half));
  }

  /// Once what flushes have taken out is elsewhere.
  __device__ void forget() {
#pragma unroll
    for (int k = 0; k < rows_a_lane; ++k) low[k] = high[k] = 0;
  }

  /// Adds everything that flushes have taken out to limbs in shared memory.
  __device__ void add_to(std::int64_t* limbs) const {
    const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
    for (int k = 0; k < rows_a_lane; ++k) {
      const int row = lane + 32 * k;
      if (row >= layout::rows) break;
      add_scaled(limbs, low[k], row);
      add_scaled(limbs, high[k], row, 32);
    }
  }

 private:
  __device__ static void add_scaled(std::int64_t* limbs, std::int64_t value, int row, int up = 0) {
    if (value == 0) return;
    const int position = layout::unit(row) - layout::scale(row) + 1074 + up;
    if (position >= 0) add_quanta(limbs, value, position);
    else add_quanta(limbs, value >> -position, 0);  // the bits that fall off are zeros
  }
};

}  // namespace multifold::inline v0_1::cuda::exact
