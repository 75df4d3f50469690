// What the processor rounds is noticed, wherever in a stretch it happens, and nothing else is.
#include "host/rounding_watch.hpp"

#include <cmath>

#include "host/exact_checks.hpp"
#include "host/exact_stretch.hpp"

namespace {

using namespace multifold;
using namespace test;
using host::packed;

// A stretch of ones, but for one element: to 2^53, as its sum has 13 bits in front of the point.
template <class T>
exact_pair watched(std::size_t length, std::size_t at, T other) {
  std::vector<packed<T>> x(length);
  for (packed<T>& element : x) element.value = T{1};
  x[at].value = other;
  const auto count = static_cast<std::int64_t>(length);
  return host::watched_sum(host::row_span<T>{x.data(), count, count});
}

}  // namespace

TEST(rounding_watch, works_here) { EXPECT_TRUE(host::rounding_watch::works()); }

TEST(rounding_watch, sees_a_rounding_anywhere) {
  for (std::size_t length : {1, 2, 9, 32, 33, 127, 128, 129, 1000, 4095, 8192}) {
    for (std::size_t at = 0; at < length; ++at) {
      const double whole = static_cast<double>(length - 1);
      const exact_pair kept = watched(length, at, 0x1p-40), rounded = watched(length, at, 0x1p-40f);
      ASSERT_FALSE(kept.lost());
      ASSERT_EQ(whole + 0x1p-40, kept.high + kept.low);
      ASSERT_FALSE(rounded.lost());
      ASSERT_EQ(whole + 0x1p-40, rounded.high);
      ASSERT_EQ(length > 1, watched(length, at, 0x1.0000000000001p-60).lost()) << length << " " << at;
      ASSERT_EQ(length > 1, watched(length, at, 0x1.000002p-60f).lost()) << length << " " << at;
      ASSERT_TRUE(watched(length, at, static_cast<double>(INFINITY)).lost());
      ASSERT_TRUE(watched(length, at, static_cast<float>(NAN)).lost());
    }
  }
}

TEST(rounding_watch, zeros_keep_their_sign) {
  for (std::size_t length : {1, 40, 4096}) {
    std::vector<packed<double>> x(length);
    for (packed<double>& element : x) element.value = -0.0;
    const auto count = static_cast<std::int64_t>(length);
    EXPECT_TRUE(std::signbit(host::watched_sum(host::row_span<double>{x.data(), count, count}).high));
    x[length / 2].value = 0;
    EXPECT_FALSE(std::signbit(host::watched_sum(host::row_span<double>{x.data(), count, count}).high));
  }
}

// Where halves of significands end: exponents that differ by what their sums can hold, one less and one more.
TEST(rounding_watch, the_limits_of_halves) {
  constexpr std::size_t length = 8192;
  for (int apart = 1; apart < 70; ++apart) {
    const std::size_t at = static_cast<std::size_t>(apart) * 577 % length;
    std::vector<double> x(length, 0x1.fffffffffffffp0);
    x[at] = std::ldexp(0x1.0000000000001p0, -apart);
    ASSERT_NO_FATAL_FAILURE(expect_total(x));
    ASSERT_NO_FATAL_FAILURE(expect_total(cancelled(x, at)));
    for (double& e : x) e = std::ldexp(e, -1022);
    ASSERT_NO_FATAL_FAILURE(expect_total(cancelled(x, at)));
  }
  ASSERT_NO_FATAL_FAILURE(expect_total(std::vector<double>(length, 0x1.fffffffffffffp1023)));
}
