// Of several rounds, the one in the middle.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace bench {

inline double median(std::vector<double> x) {
  std::nth_element(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(x.size() / 2), x.end());
  return x[x.size() / 2];
}

/// Of the quotients of each round: both of a round have seen the same machine.
inline double median_ratio(std::vector<double> above, const std::vector<double>& below) {
  for (std::size_t i = 0; i < above.size(); ++i) above[i] /= below[i];
  return median(std::move(above));
}

}  // namespace bench
