// The sum of a vector, correctly rounded, beside that of a loop.
#include <cstdio>
#include <multifold/multifold.hpp>
#include <numeric>
#include <span>
#include <vector>

int main() {
  const std::vector<float> x(20'000'000, 1.0f);
  const std::vector<double> cancelling{1e30, 1, 1, -1e30};

  std::printf("a loop   %.0f and %g\n", std::accumulate(x.begin(), x.end(), 0.0f),
              std::accumulate(cancelling.begin(), cancelling.end(), 0.0));
  std::printf("a sum    %.0f and %g\n", multifold::sum(x), multifold::sum(cancelling));
}

// a loop   16777216 and 0
// a sum    20000000 and 2
