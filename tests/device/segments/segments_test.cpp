// Segments on the GPU: each has the bits of the reduction of its elements alone.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "device/segments/fixture.hpp"
#include "multifold/cuda/segments.hpp"
#include "multifold/exact/expansions/pair.hpp"

namespace multifold::device_tests {
namespace {

TEST_F(segments_on_device, every_operation_of_every_dtype) {
  for (const dtype type : all_dtypes) {
    for (const op_kind op : segment_ops) {
      for (const spread kind : {spread::tiny, spread::some, spread::power_law}) {
        for (const nan_policy nan : {nan_policy::propagate, nan_policy::omit}) {
          if (nan == nan_policy::omit && !is_floating(type)) continue;
          const bool indexed =
              op == op_kind::argmin || op == op_kind::argmax || op == op_kind::min || op == op_kind::max;
          const auto bounds = offsets(kind, 12000, has_identity(op));
          const std::int64_t elements = bounds.back() + static_cast<std::int64_t>(rng() % 50);
          // With nothing but NaN left out, there is no extremum.
          const auto x = indexed && nan == nan_policy::omit ? random_elements(type, elements, op, rng)
                                                            : elements_of(type, elements, op, rng);
          const auto y = elements_of(type, elements, op, rng);
          ASSERT_NO_FATAL_FAILURE(expect_each(make_reduction(op, type, nan), bounds, x, y));
        }
      }
    }
  }
}

TEST_F(segments_on_device, that_blocks_share) {
  for (const dtype type : {dtype::i8, dtype::u64, dtype::f32, dtype::f64}) {
    for (const op_kind op : segment_ops) {
      for (const spread kind : {spread::huge, spread::one_of_many}) {
        if (kind == spread::one_of_many && !has_identity(op)) continue;
        const auto bounds = offsets(kind, 1000000, has_identity(op));
        const std::int64_t elements = bounds.back() + static_cast<std::int64_t>(rng() % 50);
        const auto x = elements_of(type, elements, op, rng), y = elements_of(type, elements, op, rng);
        ASSERT_NO_FATAL_FAILURE(expect_each(make_reduction(op, type), bounds, x, y));
      }
    }
  }
}

// One that more shares have a part of than a block looks at together, between short ones.
TEST_F(segments_on_device, that_all_shares_have_in_common) {
  const std::vector<std::int64_t> bounds{3, 10, 11, 4500001, 4500002, 4500900};
  for (const op_kind op : {op_kind::sum, op_kind::mean, op_kind::max, op_kind::argmin, op_kind::var}) {
    for (const data_family family : {data_family::normal, data_family::any_bits}) {
      const auto x = exact_elements(dtype::f32, bounds.back() + 7, family, rng);
      ASSERT_NO_FATAL_FAILURE(expect_each(make_reduction(op, dtype::f32), bounds, x, x));
    }
  }
}

TEST_F(segments_on_device, exact_sums_of_every_family) {
  for (const dtype type : real_dtypes) {
    for (const data_family family : all_families) {
      for (const op_kind op : {op_kind::sum, op_kind::mean, op_kind::var}) {
        for (int i = 0; i < 2; ++i) {
          const spread kind = all_spreads[rng() % std::size(all_spreads)];
          const auto bounds = offsets(kind, kind == spread::huge ? 400000 : 10000, true);
          const std::int64_t elements = bounds.back() + static_cast<std::int64_t>(rng() % 50);
          const auto x = exact_elements(type, elements, family, rng);
          SCOPED_TRACE(name(family));
          ASSERT_NO_FATAL_FAILURE(expect_each(make_reduction(op, type), bounds, x, x));
        }
      }
    }
  }
}

// Those that no window has are added again, in parts where they are much longer than others.
TEST_F(segments_on_device, long_ones_among_short_ones) {
  for (const dtype type : {dtype::bf16, dtype::f32, dtype::f64}) {
    for (const op_kind op : {op_kind::sum, op_kind::mean, op_kind::var, op_kind::dot, op_kind::describe}) {
      std::vector<std::int64_t> bounds{static_cast<std::int64_t>(rng() % 40)};
      const std::size_t segments = 300;
      const std::size_t long_ones[] = {rng() % segments, rng() % segments, rng() % segments};
      for (std::size_t i = 0; i < segments; ++i) {
        const bool is_long = std::find(std::begin(long_ones), std::end(long_ones), i) != std::end(long_ones);
        bounds.push_back(bounds.back() + static_cast<std::int64_t>(is_long ? 66000 + rng() % 100000 : rng() % 9));
      }
      const auto x = exact_elements(type, bounds.back() + 5, data_family::any_bits, rng);
      const auto y = exact_elements(type, bounds.back() + 5, data_family::any_bits, rng);
      ASSERT_NO_FATAL_FAILURE(expect_each(make_reduction(op, type), bounds, x, y));
    }
  }
}

// Few of a segment's elements, in any of the shares that it is cut into.
TEST_F(segments_on_device, with_some_elements_that_are_not_finite) {
  for (const dtype type : real_dtypes) {
    for (const data_family family : {data_family::normal, data_family::any_bits}) {
      for (int i = 0; i < 6; ++i) {
        const auto bounds = offsets(i < 3 ? spread::huge : spread::some, 400000, true);
        auto x = exact_elements(type, bounds.back(), family, rng);
        visit_dtype(type, [&]<class T>() {
          if constexpr (floating_storage<T>) {
            constexpr double infinity = std::numeric_limits<double>::infinity();
            const double specials[] = {infinity, -infinity, std::nan(""), -0.0};
            for (int k = 0; k < 6 && bounds.back() > 0; ++k) {
              const T special = detail::nearest<T>(specials[rng() % std::size(specials)]);
              const std::size_t at = rng() % static_cast<std::size_t>(bounds.back());
              std::memcpy(x.data() + at * sizeof(T), &special, sizeof(T));
            }
          }
        });
        for (const op_kind op : {op_kind::sum, op_kind::mean})
          ASSERT_NO_FATAL_FAILURE(expect_each(make_reduction(op, type), bounds, x, x)) << multifold::name(type);
      }
    }
  }
}

TEST_F(segments_on_device, with_initial_values_and_other_result_types) {
  reduction what = make_reduction(op_kind::min, dtype::f32);
  what.initial = {true, false, 0, 3.25};
  const auto bounds = offsets(spread::tiny, 20000, true);
  const auto x = exact_elements(dtype::f32, bounds.back(), data_family::normal, rng);
  ASSERT_NO_FATAL_FAILURE(expect_each(what, bounds, x, x));
  what = make_reduction(op_kind::mean, dtype::f32);
  what.result = dtype::f64;
  ASSERT_NO_FATAL_FAILURE(expect_each(what, bounds, x, x));
  what = make_reduction(op_kind::sum, dtype::f32);
  what.initial = {true, false, 0, 3.25};
  ASSERT_NO_FATAL_FAILURE(expect_each(what, bounds, x, x));
  what.result = dtype::f64;
  const auto wild = exact_elements(dtype::f32, bounds.back(), data_family::any_bits, rng);
  ASSERT_NO_FATAL_FAILURE(expect_each(what, bounds, wild, wild));
  what = make_reduction(op_kind::sum, dtype::f32, nan_policy::propagate, accuracy::fast);
  const auto whole = random_elements(dtype::f32, bounds.back(), op_kind::sum, rng);
  ASSERT_NO_FATAL_FAILURE(expect_each(what, bounds, whole, whole));
}

class SanitizedSegments : public segments_on_device {};

TEST_F(SanitizedSegments, of_bad_offsets_are_told_and_harm_nothing) {
  const std::int64_t elements = 30000, segments = 2000;
  const auto x = random_elements(dtype::f32, elements, op_kind::sum, rng);
  for (const op_kind op : {op_kind::sum, op_kind::argmax, op_kind::var}) {
    for (int i = 0; i < 40; ++i) {
      std::vector<std::int64_t> bounds;
      for (std::int64_t k = 0; k <= segments; ++k) bounds.push_back(k * elements / segments);
      const std::size_t at = 1 + rng() % static_cast<std::size_t>(segments);
      const std::int64_t wrong[] = {-1, elements + 1, bounds[at] + 500 * (i % 2 == 0 ? 1 : -1), INT64_MAX, INT64_MIN};
      bounds[at] = wrong[rng() % 5];
      if (i % 8 == 7) {
        for (auto& each : bounds) each = static_cast<std::int64_t>(rng());
      }
      const memory there{device_array(x), device_array(x), offsets_there(bounds, dtype::i64), dtype::i64};
      cuda::segments_status how;
      static_cast<void>(run(make_reduction(op, dtype::f32), there, elements, segments, how));
      const bool ascends =
          std::is_sorted(bounds.begin(), bounds.end()) && bounds.front() >= 0 && bounds.back() <= elements;
      EXPECT_EQ(how.bad_offset.has_value(), !ascends);
    }
  }
}

TEST_F(SanitizedSegments, of_every_length) {
  for (const op_kind op : {op_kind::sum, op_kind::argmin, op_kind::var, op_kind::dot}) {
    for (const spread kind : {spread::tiny, spread::huge}) {
      const auto bounds = offsets(kind, kind == spread::huge ? 200000 : 5000, has_identity(op));
      const auto x = exact_elements(dtype::f32, bounds.back() + 5, data_family::normal, rng);
      ASSERT_NO_FATAL_FAILURE(expect_each(make_reduction(op, dtype::f32), bounds, x, x));
    }
  }
}

TEST_F(segments_on_device, whose_results_are_no_integers_are_refused_as_such) {
  reduction what = make_reduction(op_kind::mean, dtype::f32);
  what.result = dtype::i32;
  const memory there{device_array({}), device_array({}), offsets_there({0, 0}, dtype::i64), dtype::i64};
  cuda::segments_status how;
  EXPECT_THROW(static_cast<void>(run(what, there, 0, 1, how)), unsupported_error);
}

TEST_F(segments_on_device, a_minimum_of_nothing_is_noted) {
  const std::vector<std::int64_t> bounds{0, 5, 5, 9};
  const auto x = random_elements(dtype::i32, 9, op_kind::sum, rng);
  const memory there{device_array(x), device_array(x), offsets_there(bounds, dtype::i64), dtype::i64};
  for (const op_kind op : {op_kind::min, op_kind::argmin}) {
    cuda::segments_status how;
    static_cast<void>(run(make_reduction(op, dtype::i32), there, 9, 3, how));
    EXPECT_EQ(how.worst, status::empty);
  }
}

}  // namespace
}  // namespace multifold::device_tests
