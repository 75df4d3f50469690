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
  const auto all = multifold::make_view(x.data(), {6});
  const auto mask = multifold::make_view(static_cast<const void*>(positive.data()), multifold::dtype::boolean, {6});

  std::printf("%g\n", multifold::reduce(op_kind::mean, all).value<float>());
  std::printf("%g\n", multifold::reduce(op_kind::mean, all, {.nan = multifold::nan_policy::omit}).value<float>());
  std::printf("%g\n", multifold::reduce(op_kind::mean, all, {.where = mask}).value<float>());
}

// nan
// 1
// 5
