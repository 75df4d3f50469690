// Exact sums and means of groups on the GPU, which are gathered in windows where keys are in any order.
#include <cstdint>
#include <span>
#include <vector>

#include "device/keys/fixture.hpp"

namespace multifold::device_tests {
namespace {

class SanitizedGroupSums : public by_key_on_device {};

TEST_F(by_key_on_device, exact_sums_of_every_family) {
  for (const dtype type : real_dtypes) {
    for (const data_family family : all_families) {
      for (const op_kind op : {op_kind::sum, op_kind::mean, op_kind::var}) {
        for (const nan_policy nan : {nan_policy::propagate, nan_policy::omit}) {
          const std::int64_t groups = rng() % 2 == 0 ? 30 : 5000;
          const key_case c = make_keys(all_patterns[rng() % std::size(all_patterns)], 20000, groups, rng);
          const auto x = exact_elements(type, c.count(), family, rng);
          SCOPED_TRACE(name(family));
          ASSERT_NO_FATAL_FAILURE(expect_groups(make_reduction(op, type, nan), c, x, x));
        }
      }
    }
  }
}

TEST_F(by_key_on_device, sums_with_initial_values_and_other_result_types) {
  const key_case c = make_keys(pattern::any, 7000, 4096, rng);
  const auto x = exact_elements(dtype::f32, c.count(), data_family::normal, rng);
  reduction what = make_reduction(op_kind::sum, dtype::f32);
  what.initial = {true, false, 0, 3.25};
  ASSERT_NO_FATAL_FAILURE(expect_groups(what, c, x, x));
  what.result = dtype::f64;
  ASSERT_NO_FATAL_FAILURE(expect_groups(what, c, x, x));
  what = make_reduction(op_kind::mean, dtype::f32);
  what.result = dtype::bf16;
  ASSERT_NO_FATAL_FAILURE(expect_groups(what, c, x, x));
}

// What fits no window cancels, or is nothing but -0: the sign of a zero is that of its group's sum.
TEST_F(by_key_on_device, zeros_of_either_sign) {
  const std::vector<float> x{1e-30f, 1e30f, -1e-30f, -0.0f, 0.0f, -0.0f, 2.0f, -2.0f};
  const key_case c{{0, 1, 0, 2, 3, 3, 4, 4}, 6};
  const auto bytes = std::as_bytes(std::span(x));
  const std::vector<std::byte> elements(bytes.begin(), bytes.end());
  for (const op_kind op : {op_kind::sum, op_kind::mean}) {
    ASSERT_NO_FATAL_FAILURE(expect_groups(make_reduction(op, dtype::f32), c, elements, elements));
  }
}

// A few blocks add up more than a window holds.
TEST_F(by_key_on_device, windows_that_are_full) {
  constexpr std::int64_t count = 9'000'000, groups = 3;
  engine_traits small = cuda::device_traits();
  small.units = 1;
  for (const data_family family : {data_family::normal, data_family::greatest, data_family::uniform}) {
    const key_case c = make_keys(pattern::any, count, groups, rng);
    const auto some = exact_elements(dtype::f32, 1'000'000, family, rng);
    std::vector<std::byte> x;
    for (int i = 0; i < 9; ++i) x.insert(x.end(), some.begin(), some.end());
    const device_array there(x), keys = keys_there(c.keys, dtype::i32);
    for (const op_kind op : {op_kind::sum, op_kind::mean}) {
      const reduction what = make_reduction(op, dtype::f32);
      const cuda::device_keys of{keys.data(), dtype::i32, groups};
      const outcome got = run(what, there.data(), count, of, small);
      ASSERT_EQ(got.how.worst, status::ok);
      EXPECT_TRUE(got.results == expected(what, c, x, x)) << name(op) << " of " << name(family);
    }
  }
}

// More groups than a block has windows for, in parts.
constexpr std::int64_t count_in_parts = 330'000;

TEST_F(SanitizedGroupSums, of_many_groups) {
  for (const dtype type : {dtype::f32, dtype::bf16}) {
    const key_case c = make_keys(pattern::any, count_in_parts, 4097, rng);
    const auto x = exact_elements(type, count_in_parts, data_family::normal, rng);
    ASSERT_NO_FATAL_FAILURE(expect_groups(make_reduction(op_kind::sum, type), c, x, x));
  }
}

TEST_F(by_key_on_device, exact_sums_of_many_groups) {
  constexpr std::int64_t count = count_in_parts;
  for (const dtype type : {dtype::f32, dtype::bf16}) {
    for (const pattern kind : {pattern::any, pattern::runs, pattern::ends, pattern::descending}) {
      for (const op_kind op : {op_kind::sum, op_kind::mean}) {
        const key_case c = make_keys(kind, count, 4097 + static_cast<std::int64_t>(rng() % 1000), rng);
        const auto x = exact_elements(type, count, all_families[rng() % std::size(all_families)], rng);
        ASSERT_NO_FATAL_FAILURE(expect_groups(make_reduction(op, type), c, x, x));
      }
    }
  }
  key_case c = make_keys(pattern::any, count, 5000, rng);
  const auto x = exact_elements(dtype::f32, count, data_family::normal, rng);
  const device_array there(x);
  for (const std::int64_t wrong : {std::int64_t{-1}, std::int64_t{5000}, INT64_MAX, INT64_MIN}) {
    c.keys[777] = c.keys[300'000] = wrong;
    const device_array keys = keys_there(c.keys, dtype::i64);
    const outcome got =
        run(make_reduction(op_kind::sum, dtype::f32), there.data(), count, {keys.data(), dtype::i64, c.groups});
    EXPECT_EQ(got.how.bad_key, 777);
  }
}

}  // namespace
}  // namespace multifold::device_tests
