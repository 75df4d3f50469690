// Long rows of moments, by teams of warps and by blocks that share them: whatever they are, however many, and wherever
// they and their partners begin.
#include <cstdint>
#include <string>
#include <vector>

#include "device/moments/parts.hpp"

namespace multifold::device_tests {
namespace {

class part_sums : public parts_on_device {
 protected:
  struct rows {
    std::int64_t count, length;
    std::int64_t shift = 0, shift_of_y = 0, apart = 0;  // in elements
    dtype result{};
    nan_policy nan = nan_policy::propagate;
  };

  void expect_same(op_kind op, dtype type, const rows& of, const std::vector<std::byte>& x,
                   const std::vector<std::byte>& y) {
    reduction what = make_reduction(op, type, of.nan);
    if (of.result != dtype{}) what.result = of.result;
    const array_view view{x.data(), type, {of.count, of.length}, {of.length + of.apart, 1}, place::host};
    expect_parts(step_kind::part_sums, what, view, {1}, x, y, {of.shift, of.shift_of_y});
  }
  void expect_same(op_kind op, dtype type, const rows& of, data_family family) {
    const std::int64_t count = of.count * (of.length + of.apart);
    SCOPED_TRACE(std::string(name(family)));
    expect_same(op, type, of, exact_elements(type, count, family, rng), exact_elements(type, count, family, rng));
  }
};

TEST_F(part_sums, of_all_families_in_blocks_that_share_rows) {
  for (const dtype type : real_dtypes) {
    const std::int64_t length = 60'000 / item_bytes(type) + 7;
    for (const data_family family : all_families) {
      for (const op_kind op : moment_ops) {
        ASSERT_NO_FATAL_FAILURE(expect_same(op, type, {1, length}, family));
        ASSERT_NO_FATAL_FAILURE(expect_same(op, type, {5, length}, family));
      }
    }
  }
}

// Of 24 rows and more a half of a block has one, of 48 a quarter, of 96 a warp.
TEST_F(part_sums, of_all_families_in_teams) {
  for (const dtype type : real_dtypes) {
    const std::int64_t length = 10'000 / item_bytes(type) + 3;
    for (const std::int64_t count : {25, 49, 97, 300}) {
      const auto x = mixed_elements(type, count, length, 1), y = mixed_elements(type, count, length, 1);
      for (const op_kind op : {op_kind::dot, op_kind::cov, op_kind::describe})
        ASSERT_NO_FATAL_FAILURE(expect_same(op, type, {count, length}, x, y));
      if (type != dtype::f16 && type != dtype::bf16) continue;
      for (const op_kind op : {op_kind::norm1, op_kind::norm2, op_kind::std})
        ASSERT_NO_FATAL_FAILURE(expect_same(op, type, {count, length}, x, y));
    }
  }
}

TEST_F(part_sums, from_any_element_on) {
  for (const dtype type : real_dtypes) {
    for (std::int64_t shift = 0; shift < 9; ++shift) {
      const std::int64_t length = 40'000 / item_bytes(type) + 3 * shift;
      for (const op_kind op : {op_kind::var, op_kind::dot, op_kind::cov, op_kind::describe}) {
        ASSERT_NO_FATAL_FAILURE(expect_same(op, type, {4, length, shift, 8 - shift, shift % 3}, data_family::normal));
        ASSERT_NO_FATAL_FAILURE(expect_same(op, type, {4, length, shift, shift, 1}, data_family::normal));
      }
    }
  }
}

// Narrower results, and wider ones, which plain sums of elements of 2 bytes do not serve.
TEST_F(part_sums, of_other_result_dtypes) {
  for (const dtype result : {dtype::f16, dtype::bf16, dtype::f32, dtype::f64}) {
    for (const op_kind op : moment_ops) {
      rows of{3, 40'001};
      of.result = result;
      ASSERT_NO_FATAL_FAILURE(expect_same(op, dtype::f32, of, data_family::normal));
      if (result == dtype::f64) continue;
      ASSERT_NO_FATAL_FAILURE(expect_same(op, dtype::bf16, of, data_family::normal));
      ASSERT_NO_FATAL_FAILURE(expect_same(op, dtype::f16, of, data_family::normal));
    }
  }
}

TEST_F(part_sums, of_nan_that_is_left_out) {
  for (const dtype type : real_dtypes) {
    for (const data_family family : all_families) {
      rows of{3, 100'000 / item_bytes(type) + 1};
      of.nan = nan_policy::omit;
      ASSERT_NO_FATAL_FAILURE(expect_same(op_kind::var, type, of, family));
      ASSERT_NO_FATAL_FAILURE(expect_same(op_kind::dot, type, of, family));
    }
  }
}

// A lane's sum drifts away from where it began, and leaves some of its places behind.
TEST_F(part_sums, of_numbers_of_one_sign) {
  const std::int64_t length = 200'003;
  std::vector<double> x(static_cast<std::size_t>(length)), y(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = -1001.0 - static_cast<double>(rng() % 0x10000) * 0x1p-52 * 1024;
    y[i] = i % 2 == 0 ? 1.0 : -1.0;
  }
  for (const op_kind op : moment_ops)
    ASSERT_NO_FATAL_FAILURE(expect_same(op, dtype::f64, {1, length}, bytes_of(x), bytes_of(y)));
}

// A double so small that its upper word has no bits is not 0.
TEST_F(part_sums, of_numbers_below_the_upper_word) {
  const std::int64_t length = 20'003;
  std::vector<double> x(static_cast<std::size_t>(length)), y(x.size());
  for (double& each : x) each = static_cast<double>(rng() % 1000) * 0x1p-1074;
  for (double& each : y) each = static_cast<double>(rng() % 3) * 0x1p-1074;
  for (const op_kind op : moment_ops)
    ASSERT_NO_FATAL_FAILURE(expect_same(op, dtype::f64, {1, length}, bytes_of(x), bytes_of(y)));
}

// A factor of double that is taken times a power of two meets zeros alone; what is left of the others is no zero.
TEST_F(part_sums, of_a_great_factor_of_zero) {
  const std::int64_t length = 50'001;
  for (const double great : {0x1p481, 0x1p900, -0x1p1023}) {
    std::vector<double> x(static_cast<std::size_t>(length)), y(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] = static_cast<double>(rng() % 1000);
      y[i] = i < 32'000 ? 0.0 : static_cast<double>(rng() % 1000);
    }
    for (std::size_t i = 0; i < 5; ++i) x[i] = great;
    for (const op_kind op : {op_kind::dot, op_kind::cov})
      ASSERT_NO_FATAL_FAILURE(expect_same(op, dtype::f64, {1, length}, bytes_of(x), bytes_of(y)));
  }
}

class part_sums_Sanitized : public part_sums {};

TEST_F(part_sums_Sanitized, of_few_families) {
  for (const dtype type : real_dtypes) {
    const std::int64_t length = 20'000 / item_bytes(type) + 3;
    for (const std::int64_t count : {2, 25, 97}) {
      const auto x = mixed_elements(type, count, length, 1), y = mixed_elements(type, count, length, 1);
      ASSERT_NO_FATAL_FAILURE(expect_same(op_kind::cov, type, {count, length, 1, 2}, x, y));
      ASSERT_NO_FATAL_FAILURE(expect_same(op_kind::dot, type, {count, length, 1, 1}, x, y));
    }
  }
}

}  // namespace
}  // namespace multifold::device_tests
