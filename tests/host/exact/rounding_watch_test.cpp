// What the processor rounds is noticed, wherever in a tile it happens, and nothing else is.
#include "host/exact/rounding_watch.hpp"

#include <cmath>

#include "host/exact/checks.hpp"
#include "host/exact/row.hpp"
#include "random_bits.hpp"

namespace {

using namespace multifold;
using namespace test;
using host::packed;

// What this thread knows of its data, as it was.
struct memory_guard {
  host::recent_tiles& lately = host::recent_tiles::of_this_thread();
  const host::recent_tiles before = lately;

  ~memory_guard() { lately = before; }
};

// A tile of ones, but for one element: to 2^53, as its sum has 13 bits in front of the point.
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

TEST(rounding_watch, is_kept_where_nothing_is_rounded_and_left_where_everything_is) {
  const memory_guard guard;
  guard.lately = {.unwatched = 0, .patience_to_watch = 8};
  exact_total_of(std::vector<float>(100000, 0.1f));
  EXPECT_EQ(0, guard.lately.patience_to_watch);
  std::vector<float> wild(100000, 1);
  for (std::size_t i = 0; i < wild.size(); i += 2) wild[i] = 0x1.000002p-100f;
  exact_total_of(wild);
  EXPECT_LT(8, guard.lately.patience_to_watch);
}

// As on machines that keep no record of roundings.
TEST(rounding_watch, sums_without_it_have_the_same_bits) {
  const memory_guard guard;
  guard.lately = {.unwatched = -1};
  test::random_bits random(11);
  for (int f = 0; f < families; ++f) {
    for (const std::size_t length : {1000, 20000}) {
      std::vector<double> wide(length);
      std::vector<float> narrow(length);
      const auto count = static_cast<std::int64_t>(length);
      fill_family(dtype::f64, static_cast<family>(f), reinterpret_cast<std::byte*>(wide.data()), count, random);
      fill_family(dtype::f32, static_cast<family>(f), reinterpret_cast<std::byte*>(narrow.data()), count, random);
      ASSERT_NO_FATAL_FAILURE(expect_total(wide)) << "family " << f;
      ASSERT_NO_FATAL_FAILURE(expect_total(narrow)) << "family " << f;
    }
  }
  EXPECT_EQ(-1, guard.lately.unwatched);
}

// Once rows were hard, others are not tried at first; that shows in no bit of them, least of all in the sign of zeros.
TEST(rounding_watch, what_a_thread_remembers_does_not_show) {
  const memory_guard guard;
  test::random_bits random(12);
  std::vector<double> hard(100000);
  fill_family(dtype::f64, family::any_finite, reinterpret_cast<std::byte*>(hard.data()), 100000, random);
  for (const std::vector<double>& next :
       {std::vector<double>(5000, -0.0), std::vector<double>(5000, 0.0), std::vector<double>(5000, 0.1)}) {
    guard.lately = {.unwatched = -1};
    exact_total_of(hard);
    ASSERT_LT(5000 / host::exact_tile_elements<double>, guard.lately.slow);
    ASSERT_NO_FATAL_FAILURE(expect_total(next));
  }
}
