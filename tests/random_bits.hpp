// Random bits for tests, which are not optimised: std::mt19937_64 took a third of the time of those that draw arrays.
#pragma once

#include <cstdint>

namespace test {

/// SplitMix64: Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
class random_bits {
 public:
  using result_type = std::uint64_t;

  explicit random_bits(std::uint64_t seed) : state_(seed) {}

  static constexpr result_type min() { return 0; }
  static constexpr result_type max() { return UINT64_MAX; }

  result_type operator()() {
    std::uint64_t z = state_ += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
  }

 private:
  std::uint64_t state_;
};

}  // namespace test
