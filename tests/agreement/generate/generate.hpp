// Random trials from a seed.
#pragma once

#include <cstdint>

#include "agreement/trial/trial.hpp"

namespace multifold::agreement {

struct limits {
  std::int64_t most_bytes = 8 << 20;               // of one array's buffer
  bool host = true, device = false, both = false;  // engines that take part
};

/// Trial number `index` of `seed`; the same everywhere.
trial make_trial(std::uint64_t seed, std::uint64_t index, const limits& most);

}  // namespace multifold::agreement
