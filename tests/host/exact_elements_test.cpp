// Digits of a run of elements at their bounds: the largest significands, all of one sign, at every shift.
#include "host/exact_elements.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "host/exact_arrays.hpp"

namespace {

using namespace multifold;

template <floating_storage T>
void expect_sums_of_largest_significands() {
  using layout = detail::float_layout<T>;
  using bits = typename layout::bits_type;
  for (const std::size_t count : {7, 128, 129, 1024, 4096, 4097, 9000}) {
    for (unsigned field = 1; field <= 33 && field < (layout::infinity >> layout::mantissa_bits); ++field) {
      for (const bits sign : {bits{0}, layout::sign}) {
        const auto mantissa = static_cast<bits>((bits{1} << layout::mantissa_bits) - 1);
        const auto pattern = static_cast<bits>(sign | (static_cast<bits>(field) << layout::mantissa_bits) | mantissa);
        const std::vector<T> x(count, std::bit_cast<T>(pattern));
        exact_sum<T> found, expected;
        for (const T e : x) expected.add(e);
        host::detail::add_any(found, host::packed_at<T>(reinterpret_cast<const std::byte*>(x.data())),
                              static_cast<std::int64_t>(count));
        ASSERT_EQ(found.normalised_digits(), expected.normalised_digits()) << name(dtype_of<T>) << " " << field;
      }
    }
  }
}

}  // namespace

TEST(exact_elements, the_largest_significands_fit_at_every_shift) {
  expect_sums_of_largest_significands<f16>();
  expect_sums_of_largest_significands<bf16>();
  expect_sums_of_largest_significands<float>();
  expect_sums_of_largest_significands<double>();
}
