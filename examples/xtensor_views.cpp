// Arrays and views of xtensor as they are: array_traits tell how they lie in memory, with all of their axes.
#include <cstdio>
#include <multifold/multifold.hpp>
#include <xtensor/xtensor.hpp>
#include <xtensor/xview.hpp>

template <class Array>
concept xtensor_in_memory = xt::has_data_interface<Array>::value && xt::has_strides<Array>::value;

template <xtensor_in_memory Array>
struct xtensor_traits {
  using element_type = typename Array::value_type;
  static multifold::array_view view(const Array& a) {
    const auto& shape = a.shape();
    const auto& strides = a.strides();
    return multifold::make_view(a.data() + a.data_offset(), {shape.begin(), shape.end()},
                                {strides.begin(), strides.end()});
  }
};

// Those whose elements lie side by side would be arrays of one axis.
template <multifold::contiguous_elements Array>
requires xtensor_in_memory<Array>
struct multifold::array_traits<Array> : xtensor_traits<Array> {
};
template <xtensor_in_memory Array>
requires(!multifold::contiguous_elements<Array>) struct multifold::array_traits<Array> : xtensor_traits<Array> {
};

int main() {
  const xt::xtensor<float, 2> m{{1, 2, 3}, {4, 5, 6}};
  const auto columns = xt::view(m, xt::all(), xt::range(1, 3));

  const auto rows = multifold::reduce(multifold::op_kind::mean, m, {.axes = {1}});
  std::printf("means of rows %g %g\n", rows.values<float>()[0], rows.values<float>()[1]);
  std::printf("norm %g, of columns %g, of a row %g\n", multifold::norm2(m), multifold::norm2(columns),
              multifold::norm2(xt::view(m, 0, xt::all())));
}

// means of rows 2 5
// norm 9.53939, of columns 8.60233, of a row 3.74166
