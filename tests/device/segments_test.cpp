// Segments on the GPU: each has the bits of the reduction of its elements alone.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "device/exact/expected.hpp"
#include "multifold/cuda/segments.hpp"
#include "multifold/exact/pair.hpp"

namespace multifold::device_tests {
namespace {

constexpr op_kind segment_ops[] = {
    op_kind::sum,    op_kind::mean,  op_kind::prod,     op_kind::min,   op_kind::max, op_kind::argmin,
    op_kind::argmax, op_kind::norm1, op_kind::sumsq,    op_kind::norm2, op_kind::var, op_kind::std,
    op_kind::dot,    op_kind::cov,   op_kind::describe, op_kind::any,   op_kind::all, op_kind::count_nonzero};

enum class spread { tiny, some, power_law, huge, one_of_many };
constexpr spread all_spreads[] = {spread::tiny, spread::some, spread::power_law, spread::huge, spread::one_of_many};

class segments_on_device : public exact_on_device {
 protected:
  std::int64_t length_of(spread kind, std::int64_t i) {
    switch (kind) {
      case spread::tiny: return static_cast<std::int64_t>(rng() % 21);
      case spread::some: return static_cast<std::int64_t>(rng() % 1000);
      case spread::power_law: {
        const double u = static_cast<double>(rng() % (1 << 20) + 1) * 0x1p-20;
        return static_cast<std::int64_t>(std::min(std::pow(u, -1.3), 300000.0)) - 1;
      }
      case spread::huge: return static_cast<std::int64_t>(rng() % 400000);
      case spread::one_of_many: return i == 777 ? 50000 : 0;
    }
    return 0;
  }
  // Up to `most` elements.
  std::vector<std::int64_t> offsets(spread kind, std::int64_t most, bool may_be_empty) {
    std::vector<std::int64_t> all{static_cast<std::int64_t>(rng() % 40)};
    const std::int64_t segments = 1 + static_cast<std::int64_t>(rng() % 5000);
    for (std::int64_t i = 0; i < segments; ++i) {
      std::int64_t length = length_of(kind, i);
      if (length == 0 && !may_be_empty) length = 1;
      if (all.back() + length > most && i > 0) break;
      length = std::min(length, most - all.back());
      all.push_back(all.back() + length);
    }
    return all;
  }

  struct memory {
    device_array x, y, offsets;
    dtype offset_type;
  };

  static std::vector<std::byte> run(const reduction& what, const memory& at, std::int64_t elements,
                                    std::int64_t segments, cuda::segments_status& how) {
    const engine_traits gpu = cuda::device_traits();
    const cuda::stream stream;
    const poisoned_results results(segments * result_bytes(what), stream.get());
    const cuda::device_buffer workspace(cuda::segments_workspace_bytes(what, elements, segments, gpu));
    cuda::check(cudaMemsetAsync(workspace.data(), workspace_poison(), static_cast<std::size_t>(workspace.size()),
                                stream.get()));
    cuda::reduce_segments_async(what, {at.x.data(), at.y.data()}, elements,
                                {at.offsets.data(), at.offset_type, segments}, results.data(), workspace.bytes(), gpu,
                                stream.get());
    how = cuda::segments_status_of(workspace.bytes(), segments, stream.get());
    return results.read();
  }

  static device_array offsets_there(const std::vector<std::int64_t>& offsets, dtype type) {
    if (type == dtype::i64) return device_array(std::as_bytes(std::span(offsets)));
    const std::vector<std::int32_t> narrow(offsets.begin(), offsets.end());
    return device_array(std::as_bytes(std::span(narrow)));
  }

  void expect_each(const reduction& what, const std::vector<std::int64_t>& offsets, const std::vector<std::byte>& x,
                   const std::vector<std::byte>& y) {
    const std::int64_t item = item_bytes(what.input), elements = static_cast<std::int64_t>(x.size()) / item;
    const auto segments = static_cast<std::int64_t>(offsets.size()) - 1;
    const dtype type = rng() % 2 == 0 ? dtype::i64 : dtype::i32;
    const auto shift = static_cast<std::int64_t>(rng() % 9) * item;
    const memory at{device_array(x, shift), device_array(y, static_cast<std::int64_t>(rng() % 9) * item),
                    offsets_there(offsets, type), type};
    cuda::segments_status how;
    const std::vector<std::byte> results = run(what, at, elements, segments, how);
    ASSERT_EQ(how.worst, status::ok);
    ASSERT_FALSE(how.bad_offset);
    const auto result = static_cast<std::size_t>(result_bytes(what));
    for (std::int64_t i = 0; i < segments; ++i) {
      const auto first = static_cast<std::size_t>(i), from = static_cast<std::size_t>(offsets[first] * item);
      const std::int64_t length = offsets[first + 1] - offsets[first];
      const batches form = normalise(make_view(nullptr, what.input, {length}), {0}, order_of(what.op));
      const plan p = make_plan(what, form, {}, cuda::device_traits());
      // Longer ones by the kernels that are tested elsewhere.
      std::vector<std::byte> expected;
      if (length < 3000) {
        expected = run_interpreted(p, {x.data() + from, y.data() + from});
      } else {
        const auto* const there = static_cast<const std::byte*>(at.x.data());
        const auto* const other = static_cast<const std::byte*>(at.y.data());
        expected = run_on_device(p, {there + from, other + from});
      }
      const std::vector<std::byte> mine(results.begin() + static_cast<std::ptrdiff_t>(first * result),
                                        results.begin() + static_cast<std::ptrdiff_t>((first + 1) * result));
      ASSERT_EQ(mine, expected) << "segment " << i << " of " << segments << ", " << length << " elements at "
                                << offsets[first] << ": " << name(what.op) << " of " << name(what.input);
    }
  }
};

// Elements of integers whose sums and products fit, and of floating point of every family.
std::vector<std::byte> elements_of(dtype type, std::int64_t count, op_kind op, random_engine& rng) {
  if (is_floating(type) && op != op_kind::prod)
    return exact_elements(type, count, all_families[rng() % std::size(all_families)], rng);
  auto bytes = random_elements(type, count, op, rng);
  const bool wide = type == dtype::i32 || type == dtype::u32 || type == dtype::i64 || type == dtype::u64;
  const auto item = static_cast<std::size_t>(item_bytes(type));
  if (!is_floating(type) && op == op_kind::prod) {  // a few twos alone
    for (std::size_t i = 20 * item; i < bytes.size(); ++i) bytes[i] = std::byte{i % item == 0};
  }
  if (!wide || op == op_kind::prod) return bytes;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (i % item >= 2) bytes[i] = std::byte{0};
  }
  return bytes;
}

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
