// Sums and norms of ragged rows, as of a sparse matrix in CSR form: sums are its product with a vector of ones.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <multifold/multifold.hpp>
#include <vector>

int main() {
  const std::vector<double> values{1, 2, 3, 4, 5, 6};
  const std::vector<std::int64_t> offsets{0, 2, 2, 6};  // row i has the values from offsets[i] to offsets[i + 1]

  const auto rows = multifold::segments::from_offsets(offsets);
  const auto sums = multifold::reduce(multifold::op_kind::sum, values, rows);
  const auto norms = multifold::reduce(multifold::op_kind::norm2, values, rows);
  for (std::size_t row = 0; row < 3; ++row)
    std::printf("%g %.3f\n", sums.values<double>()[row], norms.values<double>()[row]);
}

// 3 2.236
// 0 0.000
// 18 9.274
