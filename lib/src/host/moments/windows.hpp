// Exact sums of doubles by windows: each takes the leading bits that all of them have in common and leaves
// the rest to the next one. Sources: the extraction is that of Rump, Ogita and Oishi (SIAM Journal on Scientific
// Computing 31, 2008), and of Demmel and Nguyen (Parallel Reproducible Summation, 2015).
// Proofs: docs/exact-sums.md, 15.
#pragma once

#include <bit>
#include <cstdint>

#include "host/elements/blend.hpp"
#include "host/elements/packed.hpp"

namespace multifold::inline v0_1::host {

/// Elements of a tile, which is summed at once: they stay in L1 while they are read again.
inline constexpr std::int64_t moment_tile_elements = 1024;

/// Lanes of a window. Not 16: GCC 12 unrolls loops of that length before it vectorises them, and takes up to three
/// times as long.
inline constexpr int window_width = 32;

/// Numbers v with |v| < 2^top that are multiples of 2^unit; `zero` if nothing else is among them.
struct value_bounds {
  int top, unit;
  bool zero;
};

/// Windows for at most 2^count_bits numbers.
///
/// Window i starts at M = 1.5 * 2^k, k = top_of(i) + count_bits + 2, and adds numbers v with |v| <= 2^top_of(i), all
/// but the last window like this:
///     t = s + v;  d = t - s;  v = v - d;  s = t
/// s stays a multiple of u = 2^(k - 52) in [2^k, 2^(k + 1)): d is v rounded to a multiple of u, |d| <= 2^top_of(i), and
/// 2^count_bits of them reach 2^(k - 2) at most. So t - s is exact, v - d is a multiple of v's last place and at most
/// u / 2, hence exact, too, and bounds the next window: top_of(i + 1) = k - 53. Lanes add up exactly after M is taken
/// off, for the same bounds hold for all of them together. The last window adds up what is left, without M: multiples
/// of 2^unit below 2^(53 + unit), exactly. Where k is below the range of double, M is 0: sums are then
/// below 2^-1024, where every sum is exact.
struct window_list {
  int top;
  int count_bits;

  MULTIFOLD_INLINE int top_of(int i) const { return top - i * (51 - count_bits); }
  MULTIFOLD_INLINE double origin(int i) const {
    const int k = top_of(i) + count_bits + 2;
    return k < -1022 ? 0.0 : 1.5 * std::bit_cast<double>(static_cast<std::uint64_t>(k + 1023) << 52);
  }
  /// Whether window i can be the last.
  MULTIFOLD_INLINE bool ends(int i, int unit) const { return top_of(i) + count_bits - 53 <= unit; }
};

template <int Width>
MULTIFOLD_INLINE void halve_lanes(double* lanes) {
  for (int j = 0; j < Width; ++j) lanes[j] += lanes[j + Width];
  if constexpr (Width > 1) halve_lanes<Width / 2>(lanes);
}

/// Lanes of a number of windows that is known to the compiler.
template <int Windows>
struct window_lanes {
  double s[Windows][window_width];
  double origins[Windows];

  MULTIFOLD_INLINE void start(const window_list& list) {
    for (int i = 0; i < Windows; ++i) origins[i] = i + 1 < Windows ? list.origin(i) : 0.0;
    for (int i = 0; i < Windows; ++i) {
      for (int j = 0; j < window_width; ++j) s[i][j] = origins[i];
    }
  }

  /// Adds one number to lane j.
  MULTIFOLD_INLINE void add(int j, double v) {
    for (int i = 0; i + 1 < Windows; ++i) {
      const double t = s[i][j] + v;
      v -= t - s[i][j];
      s[i][j] = t;
    }
    s[Windows - 1][j] += v;
  }

  /// Calls `emit` with numbers whose sum is that of all lanes.
  template <class Emit>
  MULTIFOLD_INLINE void finish(const Emit& emit) {
    for (int i = 0; i < Windows; ++i) {
      for (int j = 0; j < window_width; ++j) s[i][j] -= origins[i];
      halve_lanes<window_width / 2>(s[i]);
      emit(s[i][0]);
    }
  }
};

/// The same for as many windows as it takes, from `values`, which are used up. Their number is a multiple of
/// window_width; filled up with zeros.
template <class Emit>
MULTIFOLD_INLINE void sum_by_windows(double* values, std::int64_t count, const window_list& list, int unit,
                                     const Emit& emit) {
  double s[window_width];
  int i = 0;
  for (; !list.ends(i, unit); ++i) {
    const double origin = list.origin(i);
    for (int j = 0; j < window_width; ++j) s[j] = origin;
    for (std::int64_t k = 0; k < count; k += window_width) {
      double* const v = values + k;
      for (int j = 0; j < window_width; ++j) {
        const double t = s[j] + v[j];
        v[j] -= t - s[j];
        s[j] = t;
      }
    }
    for (int j = 0; j < window_width; ++j) s[j] -= origin;
    halve_lanes<window_width / 2>(s);
    emit(s[0]);
  }
  for (int j = 0; j < window_width; ++j) s[j] = 0;
  for (std::int64_t k = 0; k < count; k += window_width) {
    for (int j = 0; j < window_width; ++j) s[j] += values[k + j];
  }
  halve_lanes<window_width / 2>(s);
  emit(s[0]);
}

}  // namespace multifold::inline v0_1::host
