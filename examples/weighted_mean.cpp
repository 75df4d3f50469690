// Weighted means of the rows of a matrix: weights are broadcast to its shape, no product of two arrays is stored, and
// each quotient is rounded once.
#include <cstdio>
#include <multifold/multifold.hpp>
#include <vector>

int main() {
  const std::vector<double> marks{1, 2, 3, 4, 6, 5}, weights{0.5, 0.25, 0.25};
  const auto rows = multifold::make_view(marks.data(), {2, 3});

  const auto means = multifold::weighted_mean(rows, weights, {.axes = {1}});
  for (const double mean : means.values<double>()) std::printf("%g\n", mean);

  const std::vector<double> of_rows{3, 1};  // along the other axis: one weight a row
  const auto by_row = multifold::weighted_mean(rows, multifold::make_view(of_rows.data(), {2, 1}), {.axes = {0}});
  for (const double mean : by_row.values<double>()) std::printf("%g\n", mean);
}

// 1.75
// 4.75
// 1.75
// 3
// 3.5
