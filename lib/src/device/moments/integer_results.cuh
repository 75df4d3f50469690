// Results of integers whose totals double holds: a root or a quotient of such numbers is rounded by one operation of
// IEEE 754, and the root of a quotient by a few more.
#pragma once

#include "device/moments/finish.cuh"
#include "device/moments/store_summary.cuh"
#include "device/moments/totals.cuh"

namespace multifold::inline v0_1::cuda::moments {

/// Whether an integer is below 2^53 in magnitude, and which double it is then: what is not is not rounded below that.
__device__ inline bool fits_double(std::int64_t v, double& out) {
  out = static_cast<double>(v);
  return fabs(out) < 0x1p53;
}
__device__ inline bool fits_double(int128_t v, double& out) {
  const auto low = static_cast<std::int64_t>(v);
  return fits_double(low, out) && v == low;
}
__device__ inline bool fits_double(const product_total& v, double& out) {
  const auto low = static_cast<std::int64_t>(v.low);
  return fits_double(low, out) && v.high == (low >> 63);
}

/// A covariance as a quotient of integers.
struct integer_fraction {
  double numerator, divisor;

  /// Whether this is (n products - x y) / (n (n - correction)). Both products are integers: one that is beyond 2^52 is
  /// not rounded to 2^52, so they are exact where they are not beyond it, and their difference is. The divisor is below
  /// 2^26 2^27.
  __device__ bool set(double x, double y, double products, std::int64_t n, std::int64_t correction) {
    constexpr std::int64_t most = std::int64_t{1} << 26;
    if (n > most || correction >= n || correction <= -most) return false;
    const auto count = static_cast<double>(n);
    const double a = count * products, b = x * y;
    numerator = a - b;
    divisor = count * static_cast<double>(n - correction);
    return fabs(a) <= 0x1p52 && fabs(b) <= 0x1p52;
  }
  __device__ double value() const { return __ddiv_rn(numerator, divisor); }
  /// The root, if its rounding is certain. `reciprocal` is that of the divisor, rounded, or 0.
  __device__ bool root(double reciprocal, double& out) const {
    out = 0.0;
    if (numerator == 0) return true;
    if (reciprocal == 0) reciprocal = 1 / divisor;
    const auto quotient = multifold::detail::near_fraction({numerator, 0.0}, divisor, reciprocal);
    return multifold::detail::round_if_certain(multifold::detail::near_root(quotient), out);
  }
};

/// An integer of `type`, of its order key, with zeros above it: of the type that its partial moments are of.
template <storage_type Carrier>
__device__ std::uint64_t word_of_key(std::int64_t key, dtype type) {
  const bool half = sizeof(Carrier) == 4 && (type == dtype::i16 || type == dtype::u16);
  const int width = half ? 16 : 8 * int{sizeof(Carrier)};
  const std::uint64_t top = is_unsigned(type) ? std::uint64_t{1} << (width - 1) : 0;
  return (static_cast<std::uint64_t>(key) ^ top) << (64 - width) >> (64 - width);
}

/// A description of n integers of `type`, whose totals double holds: the sum and that of squares.
template <storage_type Carrier>
__device__ void store_description(summary& out, dtype type, std::int64_t n,
                                  const multifold::detail::partial_marks& marks, double sum, double squares,
                                  double deviation) {
  const double mean = __ddiv_rn(sum, static_cast<double>(n)), norm = __dsqrt_rn(squares);
  store_in_vectors({static_cast<std::uint64_t>(n), 0, 0, 0, static_cast<std::uint64_t>(marks.zeros),
                    static_cast<std::uint64_t>(marks.least_at), static_cast<std::uint64_t>(marks.greatest_at),
                    word_of_key<Carrier>(marks.least, type), word_of_key<Carrier>(marks.greatest, type),
                    static_cast<std::uint64_t>(static_cast<std::int64_t>(sum)), bit_copy<std::uint64_t>(mean),
                    bit_copy<std::uint64_t>(deviation), bit_copy<std::uint64_t>(norm)},
                   out);
}

/// Stores a result in double of integers whose totals are such numbers; false if some are not.
template <storage_type Carrier, moment_set Set>
__device__ bool store_at_once(const output& to, const moment_partial<Carrier, Set>& of, std::int64_t n, void* out) {
  constexpr bool describes = Set == moment_set::description, joint = Set == moment_set::joint;
  double x = 0.0, y = 0.0, products = 0.0, v = 0.0;
  bool sure = true;
  if constexpr (sums_elements(Set)) sure = sure && fits_double(of.x, x);
  if constexpr (joint) sure = sure && fits_double(of.y, y);
  if constexpr (sums_products(Set)) sure = sure && fits_double(of.products, products);
  if (!sure) return false;
  if constexpr (describes || joint || Set == moment_set::spread) {
    integer_fraction variance;
    if (!variance.set(x, joint ? y : x, products, n, to.correction)) return false;
    const bool root = describes || (Set == moment_set::spread && to.op == op_kind::std);
    if (!root) v = variance.value();
    else if (!variance.root(to.reciprocal, v)) return false;
  } else if constexpr (Set == moment_set::absolute) {
    v = x;
  } else {
    v = Set == moment_set::squares && to.op == op_kind::norm2 ? __dsqrt_rn(products) : products;
  }
  if constexpr (describes) {
    store_description<Carrier>(*static_cast<summary*>(out), to.element, n, of.marks, x, products, v);
  } else {
    *static_cast<double*>(out) = v;
  }
  return true;
}

}  // namespace multifold::inline v0_1::cuda::moments
