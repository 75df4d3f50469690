// Limbs of a run of elements at their bounds: the largest significands, all of one sign, at every shift.
#include "host/exact/elements.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <vector>

#include "host/exact/arrays.hpp"
#include "random_bits.hpp"

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
        host::add_any(found, host::packed_at<T>(reinterpret_cast<const std::byte*>(x.data())),
                      static_cast<std::int64_t>(count));
        ASSERT_EQ(found.normalised_limbs(), expected.normalised_limbs()) << name(dtype_of<T>) << " " << field;
      }
    }
  }
}

// Elements of any bits, special ones among them: the same limbs and marks as one by one.
template <floating_storage T>
void expect_sums_of_any_bits() {
  using layout = detail::float_layout<T>;
  using bits = typename layout::bits_type;
  test::random_bits random(sizeof(T));
  for (const std::size_t count : {5, 100, 4095, 4096, 8191, 8192, 8200, 50'001}) {
    for (const unsigned rare : {0u, 1000u}) {  // specials: none, or one in so many
      exact_sum<T> expected, found;
      std::vector<T> x(count);
      for (T& e : x) {
        auto pattern = static_cast<bits>(random());
        const bool special = rare != 0 && random() % rare == 0;
        if (special) pattern = static_cast<bits>(pattern | layout::infinity);
        else if ((pattern & layout::infinity) == layout::infinity)
          pattern = static_cast<bits>(pattern ^ (bits{1} << layout::mantissa_bits));
        e = std::bit_cast<T>(pattern);
        expected.add(e);
      }
      host::add_any(found, host::packed_at<T>(reinterpret_cast<const std::byte*>(x.data())),
                    static_cast<std::int64_t>(count));
      ASSERT_EQ(found.normalised_limbs(), expected.normalised_limbs()) << name(dtype_of<T>) << " " << count;
      ASSERT_EQ(found.counters().nan > 0, expected.counters().nan > 0);
      ASSERT_EQ(found.counters().positive_infinity > 0, expected.counters().positive_infinity > 0);
      ASSERT_EQ(found.counters().negative_infinity > 0, expected.counters().negative_infinity > 0);
    }
  }
}

}  // namespace

TEST(exact_elements, any_bits_come_to_the_same_limbs_as_one_by_one) {
  expect_sums_of_any_bits<f16>();
  expect_sums_of_any_bits<bf16>();
  expect_sums_of_any_bits<float>();
  expect_sums_of_any_bits<double>();
}

TEST(exact_elements, the_largest_significands_fit_at_every_shift) {
  expect_sums_of_largest_significands<f16>();
  expect_sums_of_largest_significands<bf16>();
  expect_sums_of_largest_significands<float>();
  expect_sums_of_largest_significands<double>();
}
