// Numbers by splitmix64 (Steele, Lea and Flood, OOPSLA 2014): quick, and each is made of its index alone.
#include "overlap/random_numbers.hpp"

namespace multifold::overlap {

void fill_random(std::span<float> numbers, std::int64_t first) {
  constexpr std::uint64_t step = 0x9e3779b97f4a7c15u;
  std::uint64_t state = 20240229 + static_cast<std::uint64_t>(first) * step;
  for (float& number : numbers) {
    std::uint64_t z = state += step;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    number = static_cast<float>(static_cast<std::int32_t>((z ^ z >> 31) >> 32)) * 0x1p-31f;
  }
}

}  // namespace multifold::overlap
