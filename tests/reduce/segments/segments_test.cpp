// Segments against reduce of each of them: every operation and dtype, lists of all kinds, any view.
#include "multifold/segments.hpp"
#include "core/every.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "host/random_array.hpp"
#include "random_bits.hpp"
#include "reduce/segments/lists.hpp"

namespace multifold {
namespace {

using test::all_dtypes, test::every_op;

using test::lengths, test::segment_list;

struct answer {
  std::vector<std::byte> bytes;
  std::string failure;  // which error
};

template <class Work>
answer answer_of(const Work& work) {
  try {
    return {work(), ""};
  } catch (const overflow_error&) {
    return {{}, "overflow"};
  } catch (const shape_error&) {
    return {{}, "shape"};
  }
}

// Where the result is rounded along a tree, axes may be walked along another one.
bool is_rounded(op_kind op, dtype type, const reduce_options& options) {
  const reduction what = make_reduction(op, type, options.nan, options.wanted.value_or(accuracy::exact));
  return !always_exact(what) && !gathers_exactly(what);
}

bool nearly_the_same(dtype type, const std::vector<std::byte>& a, const std::vector<std::byte>& b) {
  bool same = a.size() == b.size();
  visit_floating(type, [&]<class T>() {
    for (std::size_t i = 0; same && i + sizeof(T) <= a.size(); i += sizeof(T)) {
      T x, y;
      std::memcpy(&x, a.data() + i, sizeof x);
      std::memcpy(&y, b.data() + i, sizeof y);
      const double p = to_double(x), q = to_double(y);
      same = (std::isnan(p) && std::isnan(q)) || p == q || std::fabs(p - q) <= 0x1p-7 * std::fabs(p);
    }
  });
  return same;
}

// `y` has the strides of `x`, and takes part where two arrays do.
void expect_as_one_by_one(op_kind op, const array_view& x, const array_view& y, std::size_t axis, segment_list list,
                          dtype offsets, reduce_options options) {
  if (!has_identity(op) && !options.initial.given) list = test::without_empty(list);
  const array_view* const second = takes_two_arrays(op) ? &y : nullptr;
  const answer expected = answer_of([&] { return test::one_by_one(op, x, second, list, axis, options); });
  options.axes = {static_cast<std::int64_t>(axis)};
  const answer found = answer_of([&] {
    const segments of = list.list(offsets);
    return second != nullptr ? reduce(op, x, y, of, options).data : reduce(op, x, of, options).data;
  });
  SCOPED_TRACE(std::string(name(op)) + " of " + std::string(name(x.type)) + to_string(x.extents) + " strides " +
               to_string(x.strides) + " axis " + std::to_string(axis) + ", " + std::to_string(list.count()) +
               " segments");
  EXPECT_EQ(found.failure, expected.failure);
  if (is_rounded(op, x.type, options) && x.extents.size() > 1) {
    EXPECT_TRUE(
        nearly_the_same(options.result.value_or(default_result_dtype(op, x.type)), found.bytes, expected.bytes));
  } else {
    EXPECT_TRUE(found.bytes == expected.bytes);
  }
}

reduce_options random_options(op_kind op, dtype type, test::random_bits& random) {
  reduce_options options;
  options.threads = 1 + static_cast<int>(random() % 3);
  if (random() % 2 == 0) options.nan = nan_policy::omit;
  if (random() % 4 != 0) options.result = dtype::f64;
  if (op == op_kind::argmin || op == op_kind::argmax) options.result.reset();
  if (takes_correction(op)) options.correction = static_cast<std::int64_t>(random() % 3);
  if (takes_initial(op) && random() % 3 == 0) options.initial = {true, true, 3, 3.0};
  if ((op == op_kind::sum || op == op_kind::mean) && random() % 3 == 0) options.wanted = accuracy::fast;
  if (op == op_kind::prod && is_floating(type)) options.wanted = accuracy::fast;
  return options;
}

segment_list random_list(std::int64_t extent, std::int64_t count, test::random_bits& random) {
  if (random() % 3 == 0) return test::scattered_segments(extent, count, 20, random);
  return test::adjacent_segments(extent, count, static_cast<lengths>(random() % 4), random);
}

test::array like(const test::array& x, test::random_bits& random) {
  test::array y = x;
  const auto before = static_cast<const std::byte*>(x.view.data) - x.memory.data();
  y.view.data = y.memory.data() + before;
  const std::int64_t item = item_bytes(x.view.type);
  const std::int64_t skipped = before % item;
  test::fill(x.view.type, y.memory.data() + skipped, (static_cast<std::int64_t>(y.memory.size()) - skipped) / item,
             random);
  return y;
}

TEST(segments, every_operation_and_dtype_as_one_by_one) {
  test::random_bits random(1);
  for (const dtype type : all_dtypes) {
    for (const op_kind op : every_op()) {
      const std::int64_t extent = 200 + static_cast<std::int64_t>(random() % 400);
      test::array x = test::random_array(type, {extent}, random);
      const test::array y = like(x, random);
      expect_as_one_by_one(op, x.view, y.view, 0, random_list(extent, 60, random),
                           random() % 2 == 0 ? dtype::i32 : dtype::i64, random_options(op, type, random));
    }
  }
}

TEST(segments, any_axis_of_any_view_as_one_by_one) {
  test::random_bits random(2);
  const std::vector<op_kind> ops = every_op();
  for (int i = 0; i < 400; ++i) {
    const dtype type = all_dtypes[random() % std::size(all_dtypes)];
    const op_kind op = ops[random() % ops.size()];
    std::vector<std::int64_t> extents;
    for (std::size_t rank = 1 + random() % 4; extents.size() < rank;) {
      extents.push_back(random() % 9 == 0 ? 1 : 1 + static_cast<std::int64_t>(random() % 7));
    }
    const std::size_t axis = random() % extents.size();
    extents[axis] = 1 + static_cast<std::int64_t>(random() % 60);
    test::array x = test::random_array(type, extents, random);
    const test::array y = like(x, random);
    expect_as_one_by_one(op, x.view, y.view, axis, random_list(extents[axis], 8, random), dtype::i64,
                         random_options(op, type, random));
  }
}

// Sums of which round in double, too, so that their order shows.
float rough(test::random_bits& random) {
  const auto bits = random();
  return std::ldexp(static_cast<float>(static_cast<int>(bits % 20001) - 10000) / 9999,
                    static_cast<int>(bits >> 32) % 32);
}

// Long enough for many tasks, parts of long segments, several batches and, with wide rows, several blocks.
TEST(segments, do_not_depend_on_threads) {
  test::random_bits random(3);
  const auto bytes_of = [&](op_kind op, const array_view& view, segment_list& list, accuracy wanted, int threads) {
    reduce_options options;
    options.threads = threads;
    options.axes = {0};
    if (has_exact_form(op) || op == op_kind::prod) options.wanted = wanted;
    if (op != op_kind::argmax) options.result = dtype::f64;
    return reduce(op, view, list.list(dtype::i64), options).data;
  };
  const std::vector<std::vector<std::int64_t>> shapes{{1'500'000}, {15'000, 96}, {60, 20'000}};
  for (const auto& shape : shapes) {
    std::vector<float> x(static_cast<std::size_t>(element_count(shape)));
    for (float& value : x) value = rough(random);
    const array_view view = make_view(x.data(), shape);
    for (const lengths how : {lengths::power_law, lengths::one_huge, lengths::tiny}) {
      segment_list list = test::adjacent_segments(shape[0], shape[0] > 100'000 ? 20'000 : 40, how, random);
      for (const op_kind op : {op_kind::sum, op_kind::prod, op_kind::argmax, op_kind::std}) {
        const segment_list all = op == op_kind::argmax ? test::without_empty(list) : list;
        segment_list of = all;
        const accuracy wanted = op == op_kind::sum || op == op_kind::prod ? accuracy::fast : accuracy::exact;
        const std::vector<std::byte> once = bytes_of(op, view, of, wanted, 1);
        for (const int threads : {3, 8}) {
          EXPECT_TRUE(bytes_of(op, view, of, wanted, threads) == once)
              << name(op) << to_string(shape) << " on " << threads << " threads, lengths " << static_cast<int>(how);
        }
      }
      segment_list of = list;
      const std::vector<std::byte> exact = bytes_of(op_kind::mean, view, of, accuracy::exact, 4);
      reduce_options options;
      options.result = dtype::f64;
      if (shape.size() > 1) continue;
      EXPECT_TRUE(exact == test::one_by_one(op_kind::mean, view, nullptr, list, 0, options));
    }
  }
}

// A fast sum is that of its own elements alone.
TEST(segments, fast_sums_do_not_depend_on_other_segments) {
  constexpr std::int64_t count = 20'000'000, end = count - 1'000'000;  // so many that threads share the long one
  test::random_bits random(4);
  std::vector<float> x(count);
  for (std::int64_t i = 0; i < count; ++i) {
    x[static_cast<std::size_t>(i)] = i < 100'003 ? rough(random) : x[static_cast<std::size_t>(i - 100'003)];
  }
  const auto sums = [&](const std::vector<std::int64_t>& offsets, int threads) {
    reduce_options options;
    options.wanted = accuracy::fast;
    options.result = dtype::f64;
    options.threads = threads;
    const segments of = segments::from_offsets(make_view(offsets.data(), {static_cast<std::int64_t>(offsets.size())}));
    return reduce(op_kind::sum, make_view(x.data(), {count}), of, options).data;
  };
  const std::vector<std::byte> one = sums({1000, end}, 1), several = sums({0, 3, 3, 1000, end, end + 17, count}, 3);
  EXPECT_EQ(std::memcmp(one.data(), several.data() + 3 * sizeof(double), sizeof(double)), 0);
}

TEST(segments, say_what_was_done) {
  const std::vector<float> x{1, 2, 3, 4, 5, 6};
  const std::vector<std::int32_t> offsets{1, 1, 3, 6};
  const segments of = segments::from_offsets(make_view(offsets.data(), {4}));
  EXPECT_TRUE(of.are_adjacent());
  EXPECT_EQ(of.count, 3);
  std::int64_t told = 0;
  reduce_options options;
  options.progress = [&](std::int64_t bytes) { told = bytes; };
  const reduce_result r = reduce(op_kind::sum, make_view(x.data(), {6}), of, options);
  EXPECT_EQ(r.extents, std::vector<std::int64_t>{3});
  EXPECT_EQ(r.engine, "host");
  EXPECT_FALSE(r.device.empty());
  EXPECT_EQ(r.count, 5);
  EXPECT_EQ(r.bytes, 20);
  EXPECT_EQ(told, 20);
  EXPECT_EQ(r.achieved, accuracy::exact);
  float sums[3];
  ASSERT_EQ(r.data.size(), sizeof sums);
  std::memcpy(sums, r.data.data(), sizeof sums);
  EXPECT_EQ(sums[0], 0);
  EXPECT_EQ(sums[1], 5);
  EXPECT_EQ(sums[2], 15);

  const reduce_result both = reduce(op_kind::dot, make_view(x.data(), {6}), make_view(x.data(), {6}), of, options);
  EXPECT_EQ(both.bytes, 40);
  EXPECT_EQ(told, 40);
  const reduce_result described = reduce(op_kind::describe, make_view(x.data(), {6}), of);
  EXPECT_EQ(described.described(0).count, 0);
  EXPECT_EQ(described.described(2).count, 3);
  EXPECT_EQ(described.described(2).argmax, 2);
}

TEST(segments, have_one_axis_of_several_in_the_result) {
  std::vector<double> x(2 * 5 * 3);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i);
  const std::vector<std::int64_t> begins{2, 0}, ends{5, 1};
  const segments of = segments::from_ranges(make_view(begins.data(), {2}), make_view(ends.data(), {2}));
  EXPECT_FALSE(of.are_adjacent());
  std::vector<double> found(2 * 2 * 3);
  reduce_options options;
  options.axes = {-2};
  options.into = std::as_writable_bytes(std::span(found));
  const reduce_result r = reduce(op_kind::sum, make_view(x.data(), {2, 5, 3}), of, options);
  EXPECT_EQ(r.extents, (std::vector<std::int64_t>{2, 2, 3}));
  EXPECT_TRUE(r.data.empty());
  EXPECT_EQ(found, (std::vector<double>{27, 30, 33, 0, 1, 2, 72, 75, 78, 15, 16, 17}));
}

TEST(segments, of_nothing) {
  const float* const none = nullptr;
  const std::vector<std::int64_t> zeros(4, 0);
  const segments three = segments::from_offsets(make_view(zeros.data(), {4}));
  const segments no = segments::from_offsets(make_view(zeros.data(), {1}));
  const reduce_result means = reduce(op_kind::mean, make_view(none, {0}), three);
  float mean;
  ASSERT_EQ(means.data.size(), 3 * sizeof mean);
  std::memcpy(&mean, means.data.data() + 8, sizeof mean);
  EXPECT_TRUE(std::isnan(mean));
  EXPECT_TRUE(reduce(op_kind::min, make_view(none, {0}), no).data.empty());
  const std::vector<float> x{1, 2};
  EXPECT_EQ(reduce(op_kind::min, make_view(x.data(), {2}), no).extents, std::vector<std::int64_t>{0});
  reduce_options options;
  options.axes = {0};
  const reduce_result narrow = reduce(op_kind::min, make_view(none, {5, 0}), three, options);
  EXPECT_EQ(narrow.extents, (std::vector<std::int64_t>{3, 0}));
  const reduce_result wide = reduce(op_kind::sum, make_view(none, {0, 2}), three, options);
  EXPECT_EQ(wide.extents, (std::vector<std::int64_t>{3, 2}));
  EXPECT_EQ(wide.data, std::vector<std::byte>(3 * 2 * sizeof(float)));
}

TEST(segments, beyond_two_to_the_32) {
  const std::int8_t one = 1;
  array_view view = make_view(&one, {std::int64_t{1} << 40});
  view.strides = {0};
  const std::int64_t far = std::int64_t{5} << 30;
  const std::vector<std::int64_t> offsets{far - 70'000'000, far, far, far + 7};
  const segments of = segments::from_offsets(make_view(offsets.data(), {4}));
  std::int64_t sums[3];
  std::memcpy(sums, reduce(op_kind::sum, view, of).data.data(), sizeof sums);
  EXPECT_EQ(sums[0], 70'000'000);
  EXPECT_EQ(sums[1], 0);
  EXPECT_EQ(sums[2], 7);
}

}  // namespace
}  // namespace multifold
