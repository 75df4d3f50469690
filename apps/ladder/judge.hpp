// Whether a result is right, and how far it is from the exact one.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "multifold/dtype.hpp"

namespace multifold::ladder {

/// What the rungs are held to: the correctly rounded result, and the sum of the elements' (or products') magnitudes.
struct truth {
  double value = 0;  // of floating point: rounded to double
  std::int64_t integer = 0;
  double magnitudes = 0;
};

/// The distance of two numbers in units of the last place of the second, which has the precision of `type`.
inline double ulps_between(double found, double exact, dtype type) {
  if (found == exact) return 0;
  const int digits = type == dtype::f64 ? 53 : 24, least = type == dtype::f64 ? -1022 : -126;
  const int exponent = exact == 0 ? least : std::max(std::ilogb(exact), least);
  return std::fabs(found - exact) / std::ldexp(1.0, exponent - digits + 1);
}

/// Half a unit in the last place of 1.
inline double unit_roundoff(dtype type) { return type == dtype::f64 ? 0x1p-53 : 0x1p-24; }

}  // namespace multifold::ladder
