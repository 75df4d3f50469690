// Elements that are left out: those that a mask marks, and those that are NaN.
#include <array>
#include <cmath>
#include <cstdio>
#include <multifold/multifold.hpp>
#include <vector>

int main() {
  using multifold::op_kind;
  const std::vector<float> x{3, -1, NAN, 5, 7, -9};
  const std::array<bool, 6> positive{true, false, false, true, true, false};

  std::printf("%g\n", multifold::mean(x));
  std::printf("%g\n", multifold::reduce(op_kind::mean, x, {.nan = multifold::nan_policy::omit}).value<float>());
  std::printf("%g\n", multifold::reduce(op_kind::mean, x, {.where = positive}).value<float>());
}

// nan
// 1
// 5
