// std::mdspan, which of Debian's standard libraries libc++ alone has, and in C++23, is reduced as it is.
#include <mdspan>
#include <multifold/multifold.hpp>
#include <vector>

int main() {
  const std::vector<float> x{1, 2, 3, 4, 5, 6};
  const std::mdspan table(x.data(), 2, 3);
  const std::mdspan<const float, std::extents<int, 3, 2>, std::layout_left> turned(x.data());
  const auto columns = multifold::reduce(multifold::op_kind::sum, table, {.axes = {0}});
  return multifold::sum(table) == multifold::sum(turned) && columns.values<float>().size() == 3 ? 0 : 1;
}
