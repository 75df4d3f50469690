// Sums of powers of magnitudes, and their root: norms of any order, without overflow. In long double, whose significand
// of 64 bits on x86-64 is what the bounds are of.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace multifold::inline v0_1 {

/// The norm of some magnitudes of one order: (sum m^p)^(1/p); of order 0 how many are not zero, and of order +-Inf the
/// greatest or the least of them.
/// Numerics: before it is rounded the norm is off by (64 + 256 / |p|) 2^-64 of itself at most, if powl() and exp2l()
///           are by 1 ulp; of order 0 and +-Inf it is exact. Terms are scaled by 2^(p k) for an integer k, which is the
///           exponent of one of the magnitudes; what the sum rounds is kept (TwoSum). NaN if a magnitude is. Nothing
///           has the norm 0, but Inf of negative orders.
struct power_sum {
  long double high = 0, low = 0;  // times 2^(p exponent); of orders 0 and +-Inf as it is
  std::int64_t exponent = 0;
  bool any = false;   // of terms in the sum
  bool nan = false;   // of the magnitudes
  bool zero = false;  // of a negative order, an element that makes the norm 0
  bool infinite = false;

  void add(long double magnitude, double p) {
    if (std::isnan(magnitude)) nan = true;
    else if (p == 0) high += magnitude != 0 ? 1 : 0;
    else if (std::isinf(p)) see(magnitude, p > 0);
    else if (magnitude == 0) zero = zero || p < 0;
    else if (std::isinf(magnitude)) infinite = infinite || p > 0;
    else add_term(magnitude, p);
  }

  void merge(const power_sum& other, double p) {
    nan = nan || other.nan;
    zero = zero || other.zero;
    infinite = infinite || other.infinite;
    if (p == 0) high += other.high;
    else if (!other.any) return;
    else if (std::isinf(p)) see(other.high, p > 0);
    else merge_terms(other, p);
  }

  long double norm(double p) const {
    if (nan) return std::numeric_limits<long double>::quiet_NaN();
    if (p == 0) return high;
    if (std::isinf(p)) return any ? high : p > 0 ? 0 : HUGE_VALL;
    if (zero) return 0;
    if (infinite) return HUGE_VALL;
    if (!any || high == 0) return p > 0 ? 0 : HUGE_VALL;
    return root(high + low, p);
  }

 private:
  // Terms are at most 2^4096 of the first one; then the sum is scaled anew, and what it was is next to nothing.
  static constexpr int room = 4096;

  void see(long double magnitude, bool greatest) {
    if (!any || (greatest ? magnitude > high : magnitude < high)) high = magnitude;
    any = true;
  }

  static long double scale_of(double p, std::int64_t by) {
    return std::exp2(static_cast<long double>(p) * static_cast<long double>(by));
  }

  void accumulate(long double x) {
    const long double sum = high + x, part = sum - high;
    low += (high - (sum - part)) + (x - part);
    high = sum;
  }

  void move_to(std::int64_t to, double p) {
    const long double factor = scale_of(p, exponent - to);
    high *= factor;
    low *= factor;
    exponent = to;
  }

  void add_term(long double magnitude, double p) {
    int k = 0;
    const long double fraction = std::frexp(magnitude, &k);
    if (!any) exponent = k;
    any = true;
    if (p * static_cast<double>(k - exponent) > room) move_to(k, p);
    accumulate(std::pow(fraction, static_cast<long double>(p)) * scale_of(p, k - exponent));
  }

  void merge_terms(power_sum other, double p) {
    if (!any) {
      high = other.high, low = other.low, exponent = other.exponent, any = true;
      return;
    }
    if (p * static_cast<double>(other.exponent - exponent) > 0) move_to(other.exponent, p);
    else if (exponent != other.exponent) other.move_to(exponent, p);
    accumulate(other.high);
    low += other.low;
  }

  // total^(1/p) 2^exponent. Of orders about 0 totals are small, and their logarithm is; of others the total is split
  // into g 2^j, and j / p into an integer and what is left.
  long double root(long double total, double p) const {
    const long double order = p;
    if (std::fabs(p) < 0x1p-4) return scaled(std::pow(total, 1 / order), exponent);
    int j = 0;
    const long double g = std::frexp(total, &j);
    const long double whole = std::rint(j / order), rest = std::fma(-whole, order, static_cast<long double>(j)) / order;
    return scaled(std::pow(g, 1 / order) * std::exp2(rest), exponent + static_cast<std::int64_t>(whole));
  }
  static long double scaled(long double x, std::int64_t by) {
    constexpr std::int64_t most = 100'000;
    return std::ldexp(x, static_cast<int>(std::clamp(by, -most, most)));
  }
};

}  // namespace multifold::inline v0_1
