// Products by the ways of their own through tiles: bytes that words hold, or no longer hold, and doubles of any
// exponent. All are exact, so that the order does not matter.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "device/exact/expected.hpp"
#include "device/interpreted.hpp"

namespace multifold::device_tests {
namespace {

class products_on_device : public exact_on_device {
 protected:
  /// Rows, columns, and boxes of a few of them.
  template <class T>
  void try_all(dtype type, std::int64_t length, const std::vector<T>& x, nan_policy policy = nan_policy::propagate) {
    reduction what = make_reduction(op_kind::prod, type, policy);
    what.result = dtype::f64;
    const auto count = static_cast<std::int64_t>(x.size()) / length;
    ASSERT_NO_FATAL_FAILURE(expect_interpreted(what, {count, length}, {1}, x, x));
    ASSERT_NO_FATAL_FAILURE(expect_interpreted(what, {length, count}, {0}, x, x));
    ASSERT_NO_FATAL_FAILURE(expect_interpreted(what, {count / 6, length, 6}, {1}, x, x));
  }
};

constexpr std::int64_t batches = 6 * 43;

TEST_F(products_on_device, of_bytes_that_outgrow_words) {
  // Powers of two, which always have 128 significant bits; and of three, as far as these do.
  constexpr int families[][6] = {{1, -1, 1, -1, 1, -1},     {-128, -128, -128, -128, -128, -128},
                                 {2, -64, 1, -1, 16, -128}, {1, 1, 1, 1, -3, 1},
                                 {127, 1, -1, 1, 1, 1},     {0, 2, -4, 8, -16, 32}};
  for (const std::int64_t length : {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 33, 100}) {
    for (const auto& family : families) {
      std::vector<std::int8_t> x(static_cast<std::size_t>(batches * length));
      std::vector<std::uint8_t> y(x.size());
      const bool powers = family[4] != -3 && family[0] != 127;
      for (std::size_t i = 0; i < x.size(); ++i) {
        // In any order along both axes, but at most 16 factors that are not powers of two.
        const bool any =
            powers || (i / static_cast<std::size_t>(length) + i % static_cast<std::size_t>(length)) % 7 == 0;
        const int value = family[any ? rng() % 6 : 1];
        x[i] = static_cast<std::int8_t>(value);
        y[i] = static_cast<std::uint8_t>(value < 0 ? -value : value);
      }
      ASSERT_NO_FATAL_FAILURE(try_all(dtype::i8, length, x));
      ASSERT_NO_FATAL_FAILURE(try_all(dtype::u8, length, y));
    }
  }
}

// Up to 2^63 with a sign and to 2^64 - 1 without, which are results, in as many factors as it takes.
template <class T>
std::vector<T> factors_of_results(std::int64_t count, std::int64_t length, random_engine& rng, bool powers) {
  using limits = std::numeric_limits<T>;
  std::vector<T> x(static_cast<std::size_t>(count * length), T{1});
  for (std::int64_t b = 0; b < count; ++b) {
    std::uint64_t room = std::is_signed_v<T> ? std::uint64_t{1} << 63 : UINT64_MAX;
    bool negative = false;
    for (std::int64_t i = 0; i < length; ++i) {
      const std::uint64_t greatest = std::min<std::uint64_t>(room, static_cast<std::uint64_t>(limits::max()));
      std::uint64_t factor = (static_cast<std::uint64_t>(rng()) << 32 | rng()) >> rng() % 64;
      factor = std::clamp<std::uint64_t>(factor, 1, greatest);
      if (powers) factor = std::uint64_t{1} << (63 - std::countl_zero(factor));
      T each = static_cast<T>(factor);
      if (std::is_signed_v<T> && (rng() & 1) != 0) {
        // The least number of all now and then.
        const bool least = rng() % 4 == 0 && room >> (8 * sizeof(T) - 1) != 0;
        if (least) factor = std::uint64_t{1} << (8 * sizeof(T) - 1);
        each = static_cast<T>(0 - factor);
        negative = !negative;
      }
      room /= factor;
      x[static_cast<std::size_t>(b * length + i)] = each;
    }
    // 2^63 itself has to be negative.
    if (std::is_signed_v<T> && room == 1 && !negative) x[static_cast<std::size_t>(b * length)] = 0;
  }
  return x;
}

TEST_F(products_on_device, of_integers_up_to_the_greatest_results) {
  const auto try_type = [&]<class T>(dtype type) {
    const reduction what = make_reduction(op_kind::prod, type);
    for (const std::int64_t length : {1, 2, 3, 4, 5, 7, 8, 11, 16, 29, 64}) {
      for (const bool powers : {false, true}) {
        const std::vector<T> x = factors_of_results<T>(batches, length, rng, powers);
        ASSERT_NO_FATAL_FAILURE(expect_interpreted(what, {batches, length}, {1}, x, x));
        // The same products along the other axis.
        std::vector<T> turned(x.size());
        for (std::int64_t b = 0; b < batches; ++b) {
          for (std::int64_t i = 0; i < length; ++i)
            turned[static_cast<std::size_t>(((b / 6) * length + i) * 6 + b % 6)] =
                x[static_cast<std::size_t>(b * length + i)];
        }
        ASSERT_NO_FATAL_FAILURE(expect_interpreted(what, {batches / 6, length, 6}, {1}, turned, turned));
      }
    }
  };
  try_type.template operator()<std::int8_t>(dtype::i8);
  try_type.template operator()<std::uint8_t>(dtype::u8);
  try_type.template operator()<std::int16_t>(dtype::i16);
  try_type.template operator()<std::uint16_t>(dtype::u16);
  try_type.template operator()<std::int32_t>(dtype::i32);
  try_type.template operator()<std::uint32_t>(dtype::u32);
  try_type.template operator()<std::int64_t>(dtype::i64);
  try_type.template operator()<std::uint64_t>(dtype::u64);
}

TEST_F(products_on_device, of_booleans_with_few_zeros) {
  for (const std::int64_t length : {1, 3, 4, 7, 8, 9, 31, 100}) {
    std::vector<bool8> x(static_cast<std::size_t>(batches * length));
    for (bool8& each : x) each.bits = static_cast<std::uint8_t>(rng() % 40 == 0 ? 0 : 1 + rng() % 255);
    ASSERT_NO_FATAL_FAILURE(try_all(dtype::boolean, length, x));
  }
}

TEST_F(products_on_device, of_doubles_of_any_exponent) {
  constexpr double quiet_nan = std::numeric_limits<double>::quiet_NaN();
  for (const std::int64_t length : {1, 2, 3, 4, 5, 8, 9, 30}) {
    for (const double special : {1.0, -0.0, -HUGE_VAL, quiet_nan}) {
      for (const unsigned one_in : {200u, 3u}) {
        std::vector<double> x(static_cast<std::size_t>(batches * length));
        for (double& each : x) {
          // At most 30 factors of three, which 106 bits hold.
          const double significand = rng() % 2 == 0 ? 1 : -1.5;
          each = std::ldexp(significand, static_cast<int>(rng() % 2097) - 1073);
          if (rng() % one_in == 0) each = special;
        }
        // Which NaN a product is, is another matter.
        if (!std::isnan(special)) {
          ASSERT_NO_FATAL_FAILURE(try_all(dtype::f64, length, x));
        }
        ASSERT_NO_FATAL_FAILURE(try_all(dtype::f64, length, x, nan_policy::omit));
      }
    }
  }
}

}  // namespace
}  // namespace multifold::device_tests
