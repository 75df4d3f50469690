// Means of the rows, and the greatest elements of the columns, of a matrix and of its transpose, which is not copied.
#include <cstdio>
#include <multifold/multifold.hpp>
#include <vector>

void print(const char* what, const multifold::reduce_result& result) {
  std::printf("%-17s %s:", what, multifold::to_string(result.extents).c_str());
  for (const float x : result.values<float>()) std::printf(" %g", x);
  std::printf("\n");
}

int main() {
  using multifold::op_kind;
  const std::vector<float> elements{1, 2, 3, 4, 5, 6};
  const auto matrix = multifold::make_view(elements.data(), {2, 3});
  const auto transpose = multifold::make_view(elements.data(), {3, 2}, {1, 3});  // strides in elements

  print("means of rows", multifold::reduce(op_kind::mean, matrix, {.axes = {1}}));
  print("maxima of columns", multifold::reduce(op_kind::max, matrix, {.axes = {0}}));
  print("of the transpose", multifold::reduce(op_kind::max, transpose, {.axes = {0}}));
}

// means of rows     (2,): 2 5
// maxima of columns (3,): 4 5 6
// of the transpose  (2,): 3 6
