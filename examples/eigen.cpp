// Matrices of Eigen as they are: array_traits tell how they lie in memory, for each kind that is direct access.
#include <Eigen/Core>
#include <cstdio>
#include <multifold/multifold.hpp>
#include <type_traits>

template <class Derived>
concept eigen_in_memory = requires(const Derived& m) {
  requires std::is_base_of_v<Eigen::DenseBase<Derived>, Derived>;
  requires static_cast<bool>(Derived::Flags & Eigen::DirectAccessBit);
};

template <eigen_in_memory Derived>
requires(!multifold::contiguous_elements<Derived>) struct multifold::array_traits<Derived> {
  using element_type = typename Derived::Scalar;
  static multifold::array_view view(const Derived& m) {
    return multifold::make_view(m.data(), {m.rows(), m.cols()}, {m.rowStride(), m.colStride()});
  }
};

int main() {
  Eigen::MatrixXf m(2, 3);  // column by column
  m << 1, 2, 3, 4, 5, 6;
  const auto block = m.rightCols(2);

  const auto rows = multifold::reduce(multifold::op_kind::mean, m, {.axes = {1}});
  std::printf("means of rows %g %g\n", rows.values<float>()[0], rows.values<float>()[1]);
  std::printf("norm %g, of a block %g, of a row %g\n", multifold::norm2(m), multifold::norm2(block),
              multifold::norm2(m.row(0)));
}

// means of rows 2 5
// norm 9.53939, of a block 8.60233, of a row 3.74166
