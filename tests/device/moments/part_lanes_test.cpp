// Moments that lanes take, an element a load: of columns and of rows in several runs, whatever they are, however many,
// however long, and wherever they begin.
#include <cstdint>
#include <cstring>
#include <iterator>
#include <string>
#include <vector>

#include "device/moments/parts.hpp"
#include "multifold/exact/expansions/pair.hpp"

namespace multifold::device_tests {
namespace {

class part_lanes : public parts_on_device {
 protected:
  using list = std::vector<std::int64_t>;
  std::size_t turn = 0;

  /// Operations in turn, for arrays that take the CPU long.
  op_kind next_op() { return moment_ops[turn++ % std::size(moment_ops)]; }

  void expect_same(const reduction& what, const list& extents, const list& axes, const std::vector<std::byte>& x,
                   const std::vector<std::byte>& y, const shifts& shift = {}) {
    const array_view view = make_view(x.data(), what.input, extents);
    expect_parts(step_kind::part_lanes, what, view, axes, x, y, shift);
  }
  void expect_same(op_kind op, dtype type, const list& extents, const list& axes, data_family family,
                   const shifts& shift = {}) {
    SCOPED_TRACE(std::string(name(family)));
    const std::int64_t count = element_count(extents);
    expect_same(make_reduction(op, type), extents, axes, exact_elements(type, count, family, rng),
                exact_elements(type, count, family, rng), shift);
  }
  /// Of all families in turn, so that neighbours are as different as can be.
  void expect_same_of_mixed(op_kind op, dtype type, const list& extents, const list& axes) {
    const std::int64_t count = element_count(extents);
    expect_same(make_reduction(op, type), extents, axes, mixed_elements(type, count, 1, 1),
                mixed_elements(type, count, 1, 1));
  }
};

// A lane has all of a batch, and a warp those of several outers.
TEST_F(part_lanes, of_a_lane_each) {
  for (const dtype type : real_dtypes) {
    for (const op_kind op : moment_ops) {
      for (const data_family family : all_families) {
        ASSERT_NO_FATAL_FAILURE(expect_same(op, type, {3, 17, 300}, {1}, family));
        ASSERT_NO_FATAL_FAILURE(expect_same(op, type, {40, 25, 20}, {1}, family));
      }
      ASSERT_NO_FATAL_FAILURE(expect_same_of_mixed(op, type, {31, 7, 1000}, {0}));
      ASSERT_NO_FATAL_FAILURE(expect_same_of_mixed(op, type, {100, 17, 16}, {1}));
    }
  }
}

// Lanes share batches, and blocks do.
TEST_F(part_lanes, of_all_families_in_phases_and_ranges) {
  for (const dtype type : real_dtypes) {
    for (const data_family family : all_families) {
      for (const op_kind op : moment_ops) ASSERT_NO_FATAL_FAILURE(expect_same(op, type, {9001, 2}, {0}, family));
      ASSERT_NO_FATAL_FAILURE(expect_same(next_op(), type, {1500, 40}, {0}, family));
      ASSERT_NO_FATAL_FAILURE(expect_same(next_op(), type, {2, 801, 97}, {1}, family));
    }
  }
}

// Several reduced runs, and several kept ones.
TEST_F(part_lanes, of_several_runs) {
  for (const dtype type : real_dtypes) {
    for (const op_kind op : moment_ops) {
      for (const data_family family : {data_family::normal, data_family::any_bits}) {
        ASSERT_NO_FATAL_FAILURE(expect_same(op, type, {6, 5, 33, 20}, {0, 2}, family));
        ASSERT_NO_FATAL_FAILURE(expect_same(op, type, {3, 4, 2, 70, 19}, {0, 3}, family));
      }
    }
    for (const data_family family : all_families)
      ASSERT_NO_FATAL_FAILURE(expect_same(next_op(), type, {2, 20, 2, 301, 16}, {1, 3}, family));
  }
}

// Lanes have neighbours of a row: one element of each of its runs, or every so many-th one.
TEST_F(part_lanes, of_rows_in_several_runs) {
  for (const dtype type : real_dtypes) {
    for (const op_kind op : moment_ops) {
      ASSERT_NO_FATAL_FAILURE(expect_same_of_mixed(op, type, {6, 5, 700}, {0, 2}));
      ASSERT_NO_FATAL_FAILURE(expect_same_of_mixed(op, type, {4, 50, 3, 33}, {1, 3}));
    }
    for (const data_family family : all_families) {
      ASSERT_NO_FATAL_FAILURE(expect_same(next_op(), type, {6, 5, 700}, {0, 2}, family));
      ASSERT_NO_FATAL_FAILURE(expect_same(next_op(), type, {3, 2, 5, 3, 1500}, {0, 2, 4}, family));
      ASSERT_NO_FATAL_FAILURE(expect_same(next_op(), type, {40, 5, 90}, {0, 2}, family));
      ASSERT_NO_FATAL_FAILURE(expect_same(next_op(), type, {300, 3, 17, 9}, {0, 3}, family));
    }
  }
}

// There are more places in a run than lanes for them, or lanes would be left over: they take it chunk by chunk.
TEST_F(part_lanes, of_rows_in_chunks) {
  for (const dtype type : real_dtypes) {
    for (const op_kind op : moment_ops) {
      ASSERT_NO_FATAL_FAILURE(expect_same_of_mixed(op, type, {20, 3, 278}, {0, 2}));
      ASSERT_NO_FATAL_FAILURE(expect_same_of_mixed(op, type, {18, 4, 140}, {0, 2}));
    }
    for (const data_family family : all_families) {
      ASSERT_NO_FATAL_FAILURE(expect_same(next_op(), type, {2, 17, 3, 1001}, {1, 3}, family));
      ASSERT_NO_FATAL_FAILURE(expect_same(next_op(), type, {150, 2, 3, 259}, {0, 2, 3}, family));
    }
  }
}

// The first of several extremes is in any of a lane's parts, which do not ascend.
TEST_F(part_lanes, of_extremes_that_are_equal) {
  for (const dtype type : real_dtypes) {
    for (const std::int64_t values : {2, 5, 200}) {
      for (const list& extents : {list{40, 5, 90}, list{20, 3, 278}, list{3, 2, 5, 3, 1500}, list{2, 20, 2, 301, 16}}) {
        std::vector<std::byte> x(static_cast<std::size_t>(element_count(extents) * item_bytes(type)));
        visit_dtype(type, [&]<class T>() {
          if constexpr (floating_storage<T>) {
            for (std::size_t i = 0; i < x.size(); i += sizeof(T)) {
              const T each = detail::nearest<T>(static_cast<double>(rng() % static_cast<unsigned>(values)) - 1);
              std::memcpy(x.data() + i, &each, sizeof(T));
            }
          }
        });
        const list axes = extents.size() == 3 ? list{0, 2} : extents[0] == 3 ? list{0, 2, 4} : list{1, 3};
        ASSERT_NO_FATAL_FAILURE(expect_same(make_reduction(op_kind::describe, type), extents, axes, x, x));
      }
    }
  }
}

// Exact sums and means, which take no other kernel of parts.
TEST_F(part_lanes, of_exact_sums) {
  const auto expect_sum = [&](op_kind op, dtype type, const list& extents, const list& axes, data_family family) {
    SCOPED_TRACE(std::string(name(family)));
    const auto x = exact_elements(type, element_count(extents), family, rng);
    const reduction what = make_reduction(op, type, nan_policy::propagate, accuracy::exact);
    expect_same(what, extents, axes, x, x, {1, 1});
  };
  for (const dtype type : {dtype::bf16, dtype::f32, dtype::f64}) {
    for (const op_kind op : {op_kind::sum, op_kind::mean}) {
      for (const data_family family : all_families) {
        ASSERT_NO_FATAL_FAILURE(expect_sum(op, type, {1, 65, 300}, {1}, family));
        ASSERT_NO_FATAL_FAILURE(expect_sum(op, type, {1200, 20}, {0}, family));
        ASSERT_NO_FATAL_FAILURE(expect_sum(op, type, {300, 300}, {0}, family));
        ASSERT_NO_FATAL_FAILURE(expect_sum(op, type, {6, 5, 70, 20}, {0, 2}, family));
        ASSERT_NO_FATAL_FAILURE(expect_sum(op, type, {6, 5, 700}, {0, 2}, family));
        ASSERT_NO_FATAL_FAILURE(expect_sum(op, type, {65, 5, 278}, {0, 2}, family));
        ASSERT_NO_FATAL_FAILURE(expect_sum(op, type, {300, 3, 17, 9}, {0, 3}, family));
      }
      const list extents{500, 64};
      std::vector<std::byte> zeros(static_cast<std::size_t>(element_count(extents) * item_bytes(type)));
      const reduction what = make_reduction(op, type, nan_policy::propagate, accuracy::exact);
      ASSERT_NO_FATAL_FAILURE(expect_same(what, extents, {0}, zeros, zeros));
      for (std::size_t i = static_cast<std::size_t>(item_bytes(type)) - 1; i < zeros.size();
           i += static_cast<std::size_t>(item_bytes(type)))
        zeros[i] = std::byte{0x80};
      ASSERT_NO_FATAL_FAILURE(expect_same(what, extents, {0}, zeros, zeros));
    }
  }
}

// A double so small that its upper word has no bits is not 0.
TEST_F(part_lanes, of_numbers_below_the_upper_word) {
  std::vector<double> x(static_cast<std::size_t>(20 * 301)), y(x.size());
  for (double& each : x) each = static_cast<double>(rng() % 1000) * 0x1p-1074;
  for (double& each : y) each = static_cast<double>(rng() % 3) * 0x1p-1074;
  for (const op_kind op : moment_ops)
    ASSERT_NO_FATAL_FAILURE(expect_same(make_reduction(op, dtype::f64), {20, 301}, {0}, bytes_of(x), bytes_of(y)));
  for (const op_kind op : {op_kind::sum, op_kind::mean}) {
    const reduction what = make_reduction(op, dtype::f64, nan_policy::propagate, accuracy::exact);
    ASSERT_NO_FATAL_FAILURE(expect_same(what, {20, 301}, {0}, bytes_of(x), bytes_of(y)));
  }
}

TEST_F(part_lanes, from_any_element_on) {
  for (const dtype type : real_dtypes) {
    for (std::int64_t shift = 0; shift < 9; ++shift) {
      for (const op_kind op : {op_kind::var, op_kind::dot, op_kind::cov, op_kind::describe}) {
        const shifts apart{shift, 8 - shift};
        ASSERT_NO_FATAL_FAILURE(expect_same(op, type, {200 + shift, 30 + shift}, {0}, data_family::normal, apart));
      }
    }
  }
}

// Of narrower results, and of wider ones, which plain sums of elements of 2 bytes do not serve; without NaN.
TEST_F(part_lanes, of_other_results) {
  const list extents{500, 64};
  for (const dtype type : real_dtypes) {
    for (const dtype result : {dtype::f16, dtype::bf16, dtype::f32, dtype::f64}) {
      if (item_bytes(type) == 2 && result == dtype::f64) continue;
      for (const op_kind op : moment_ops) {
        reduction what = make_reduction(op, type);
        what.result = result;
        const auto x = mixed_elements(type, 64, 500, 1), y = mixed_elements(type, 64, 500, 1);
        ASSERT_NO_FATAL_FAILURE(expect_same(what, extents, {0}, x, y));
      }
    }
    for (const data_family family : all_families) {
      const reduction what = make_reduction(op_kind::var, type, nan_policy::omit);
      const auto x = exact_elements(type, 500 * 64, family, rng);
      ASSERT_NO_FATAL_FAILURE(expect_same(what, extents, {0}, x, x));
    }
  }
}

class part_lanes_Sanitized : public part_lanes {};

TEST_F(part_lanes_Sanitized, of_few_shapes) {
  for (const dtype type : real_dtypes) {
    ASSERT_NO_FATAL_FAILURE(expect_same_of_mixed(op_kind::cov, type, {1400, 32}, {0}));
    ASSERT_NO_FATAL_FAILURE(expect_same_of_mixed(op_kind::var, type, {3, 20, 301}, {1}));
    ASSERT_NO_FATAL_FAILURE(expect_same_of_mixed(op_kind::describe, type, {4, 3, 70, 19}, {0, 2}));
    ASSERT_NO_FATAL_FAILURE(expect_same_of_mixed(op_kind::dot, type, {3, 2, 2000}, {0, 2}));
  }
}

}  // namespace
}  // namespace multifold::device_tests
