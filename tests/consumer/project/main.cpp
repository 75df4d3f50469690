// The smallest use of the library, and of a room with headers of its own.
#include <multifold/graphs/topology.hpp>
#include <multifold/multifold.hpp>

#include <string_view>
#include <vector>

int main() {
  const std::vector<float> halves(1000, 0.5F);
  const bool named = multifold::graphs::name(multifold::graphs::node_kind::kernel) == std::string_view("kernel");
  return named && multifold::sum(std::span<const float>(halves)) == 500.0F ? 0 : 1;
}
