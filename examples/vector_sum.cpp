// The sum of a vector, correctly rounded, beside that of a loop, which depends on the order.
#include <cstdio>
#include <multifold/multifold.hpp>
#include <numeric>
#include <vector>

int main() {
  const std::vector<float> ones(20'000'000, 1.0f);
  const std::vector<double> cancelling{1, 1e30, 1, -1e30};
  const std::vector<double> backwards(cancelling.rbegin(), cancelling.rend());

  std::printf("a loop   %.0f, %g and %g\n", std::accumulate(ones.begin(), ones.end(), 0.0f),
              std::accumulate(cancelling.begin(), cancelling.end(), 0.0),
              std::accumulate(backwards.begin(), backwards.end(), 0.0));
  std::printf("a sum    %.0f, %g and %g\n", multifold::sum(ones), multifold::sum(cancelling),
              multifold::sum(backwards));
}

// a loop   16777216, 0 and 1
// a sum    20000000, 2 and 2
