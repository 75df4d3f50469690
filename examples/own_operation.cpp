// An operation of one's own: log(sum(exp(x))) of each row, in one read, without overflow.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <multifold/multifold.hpp>
#include <utility>
#include <vector>

struct log_sum_exp {
  using value_type = float;
  struct accumulator {  // the greatest element, and the sum of exp(x - most)
    double most = -std::numeric_limits<double>::infinity(), sum = 0;
  };

  accumulator identity() const { return {}; }
  accumulator lift(float x, std::int64_t) const { return {x, 1}; }
  accumulator combine(accumulator a, accumulator b) const {
    if (a.most < b.most) std::swap(a, b);
    if (b.sum != 0) a.sum += b.sum * std::exp(b.most - a.most);
    return a;
  }
  double lower(const accumulator& all, std::int64_t) const { return all.most + std::log(all.sum); }
};

int main() {
  const std::vector<float> x{1000, 1000, 1000, 1000, 0, 0, -1000, -1000};
  const auto rows = multifold::make_view(x.data(), {2, 4});
  for (const double value : multifold::fold(log_sum_exp(), {rows}, {.axes = {1}}).values) {
    std::printf("%.6f\n", value);
  }
}

// 1001.386294
// 0.693147
