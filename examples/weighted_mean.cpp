// The weighted mean of each row of a matrix: weights are broadcast to its shape, and no product of two arrays is
// stored.
#include <cstdio>
#include <multifold/multifold.hpp>
#include <vector>

int main() {
  using multifold::op_kind;
  const std::vector<double> marks{1, 2, 3, 4, 6, 5}, weights{0.5, 0.25, 0.25};
  const auto rows = multifold::make_view(marks.data(), {2, 3});

  const auto sums =
      multifold::reduce(op_kind::dot, rows, multifold::broadcast_to(weights, rows.extents), {.axes = {1}});
  const double total = multifold::sum(weights);
  for (const double sum : sums.values<double>()) std::printf("%g\n", sum / total);
}

// 1.75
// 4.75
