// Means of the rows, and the greatest elements of the columns, of a matrix and of its transpose, which is not copied.
#include <cstdio>
#include <cstring>
#include <multifold/multifold.hpp>
#include <vector>

// The elements of a result: it owns them as bytes.
std::vector<float> values(const multifold::reduce_result& result) {
  std::vector<float> numbers(result.data.size() / sizeof(float));
  std::memcpy(numbers.data(), result.data.data(), result.data.size());
  return numbers;
}

void print(const char* what, const multifold::reduce_result& result) {
  std::printf("%-17s %s:", what, multifold::to_string(result.extents).c_str());
  for (const float x : values(result)) std::printf(" %g", x);
  std::printf("\n");
}

int main() {
  using multifold::op_kind;
  const std::vector<float> elements{1, 2, 3, 4, 5, 6};
  const auto matrix = multifold::make_view(elements.data(), {2, 3});
  auto transpose = matrix;
  transpose.extents = {3, 2};
  transpose.strides = {1, 3};  // in elements

  print("means of rows", multifold::reduce(op_kind::mean, matrix, {.axes = {{1}}}));
  print("maxima of columns", multifold::reduce(op_kind::max, matrix, {.axes = {{0}}}));
  print("of the transpose", multifold::reduce(op_kind::max, transpose, {.axes = {{0}}}));
}

// means of rows     (2,): 2 5
// maxima of columns (3,): 4 5 6
// of the transpose  (2,): 3 6
