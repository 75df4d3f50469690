// From sums of powers to central moments: polynomials in the sums and the count, of which nothing is rounded but the
// quotient. With S_k the sum of x^k, n^k m_k is N_k:
//   N_2 = n S_2 - S_1^2,  N_3 = n^2 S_3 - 3 n S_1 S_2 + 2 S_1^3,  N_4 = n^3 S_4 - 4 n^2 S_1 S_3 + 6 n S_1^2 S_2 - 3 S_1^4.
#include "multifold/ops/exact_powers.hpp"

#include "multifold/exact/finish.hpp"

namespace multifold::inline v0_1 {
namespace {

dyadic square(const dyadic& x) { return x * x; }

dyadic power_of(const dyadic& x, int power) {
  dyadic product = 1;
  for (int i = 0; i < power; ++i) product = product * x;
  return product;
}

// n^power times the central moment.
dyadic central_numerator(const exact_powers& powers, int power, const dyadic& n) {
  if (power == 1) return {};
  const dyadic s1 = powers.sum(1), s2 = powers.sum(2);
  if (power == 2) return n * s2 - square(s1);
  const dyadic s3 = powers.sum(3);
  if (power == 3) return n * (n * s3 - 3 * (s1 * s2)) + 2 * (s1 * square(s1));
  return n * (n * (n * powers.sum(4) - 4 * (s1 * s3)) + 6 * (square(s1) * s2)) - 3 * square(square(s1));
}

}  // namespace

void exact_powers::merge(const exact_powers& other) {
  finite = finite && other.finite;
  for (std::size_t sign = 0; sign < sums.size(); ++sign) {
    for (std::size_t i = 0; i < highest; ++i) sums[sign][i].grow(other.sums[sign][i]);
  }
}

dyadic exact_powers::sum(int power) const {
  const auto i = static_cast<std::size_t>(power - 1);
  return power % 2 == 0 ? sums[0][i] + sums[1][i] : sums[0][i] - sums[1][i];
}

exact_value exact_powers::moment(int power, const dyadic& shift, std::int64_t count) const {
  if (!has_value(count)) return exact_value::of_nan();
  // Horner's scheme in -shift, with binomial coefficients: n, S_1, ...
  dyadic total = count;
  int binomial = 1;
  for (int k = 1; k <= power; ++k) {
    binomial = binomial * (power - k + 1) / k;
    total = binomial * sum(k) - shift * total;
  }
  return quotient(total, count);
}

exact_value exact_powers::central_moment(int power, std::int64_t count) const {
  if (!has_value(count)) return exact_value::of_nan();
  const dyadic n = count;
  return quotient(central_numerator(*this, power, n), power_of(n, power));
}

exact_value exact_powers::skewness(bool bias, std::int64_t count) const {
  if (!has_value(count) || (!bias && count < 3)) return exact_value::of_nan();
  const dyadic n = count, third = central_numerator(*this, 3, n), second = central_numerator(*this, 2, n);
  if (second.zero()) return exact_value::of_nan();
  dyadic above = square(third), below = second * square(second);
  if (!bias) {
    above = above * (n * (n - 1));
    below = below * square(n - 2);
  }
  exact_value skewness = exact_root(quotient(above, below));
  skewness.negative = third.negative();
  return skewness;
}

exact_value exact_powers::kurtosis(bool fisher, bool bias, std::int64_t count) const {
  if (!has_value(count) || (!bias && count < 4)) return exact_value::of_nan();
  const dyadic n = count, variance = central_numerator(*this, 2, n);
  if (variance.zero()) return exact_value::of_nan();
  dyadic above = central_numerator(*this, 4, n), below = square(variance);
  if (!bias) {
    // (n - 1) / ((n - 2) (n - 3)) ((n + 1) m4 / m2^2 - 3 (n - 1)) + 3
    const dyadic freedom = (n - 2) * (n - 3);
    above = (n - 1) * ((n + 1) * above - 3 * (n - 1) * below) + 3 * freedom * below;
    below = freedom * below;
  }
  if (fisher) above = above - 3 * below;
  return quotient(above, below);
}

}  // namespace multifold::inline v0_1
