// Sums of ragged rows, as of a sparse matrix in CSR form: its product with a vector of ones.
#include <cstdint>
#include <cstdio>
#include <multifold/multifold.hpp>
#include <vector>

int main() {
  const std::vector<double> values{1, 2, 3, 4, 5, 6};
  const std::vector<std::int64_t> offsets{0, 2, 2, 6};  // row i has the values from offsets[i] to offsets[i + 1]

  const auto rows = multifold::segments::from_offsets(offsets);
  const auto sums = multifold::reduce(multifold::op_kind::sum, values, rows);
  for (const double sum : sums.values<double>()) std::printf("%g\n", sum);
}

// 3
// 0
// 18
