// The smallest use of the library.
#include <multifold/multifold.hpp>

#include <vector>

int main() {
  const std::vector<float> halves(1000, 0.5F);
  return multifold::sum(std::span<const float>(halves)) == 500.0F ? 0 : 1;
}
