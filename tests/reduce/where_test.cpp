// Elements that take part, and those that do not: results are those of arrays without the latter.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "core/every.hpp"
#include "host/random_array.hpp"
#include "multifold/multifold.hpp"
#include "random_bits.hpp"
#include "reduce/refusal.hpp"

namespace multifold {
namespace {

const std::vector<op_kind> of_one = test::ops_of_one_array();

// The elements of one result, one after the other, and where each is among all of its batch.
struct batch {
  std::vector<std::byte> elements;
  std::vector<std::int64_t> indices;
};

std::vector<batch> batches_of(const array_view& x, const array_view& marks, const std::vector<std::int64_t>& axes) {
  std::vector<bool> reduced(x.extents.size(), false);
  for (const std::int64_t axis : axes) reduced[static_cast<std::size_t>(axis < 0 ? axis + x.rank() : axis)] = true;
  std::int64_t results = 1;
  for (std::size_t i = 0; i < reduced.size(); ++i) results *= reduced[i] ? 1 : x.extents[i];
  std::vector<batch> all(static_cast<std::size_t>(results));
  std::vector<std::int64_t> seen(all.size(), 0), at(x.extents.size(), 0);
  const std::int64_t item = item_bytes(x.type);
  for (std::int64_t left = x.elements(); left > 0; --left) {
    std::int64_t from = 0, mark = 0, result = 0;
    for (std::size_t i = 0; i < at.size(); ++i) {
      from += at[i] * x.strides[i];
      mark += at[i] * marks.strides[i];
      if (!reduced[i]) result = result * x.extents[i] + at[i];
    }
    batch& b = all[static_cast<std::size_t>(result)];
    const std::int64_t index = seen[static_cast<std::size_t>(result)]++;
    if (static_cast<const std::uint8_t*>(marks.data)[mark] != 0) {
      const std::byte* const element = static_cast<const std::byte*>(x.data) + from * item;
      b.elements.insert(b.elements.end(), element, element + item);
      b.indices.push_back(index);
    }
    for (std::size_t i = at.size(); i-- > 0;) {
      if (++at[i] < x.extents[i]) break;
      at[i] = 0;
    }
  }
  return all;
}

// What the results have to be; nothing if that is an error.
std::vector<std::byte> expected(op_kind op, const array_view& x, const std::vector<batch>& all,
                                const reduce_options& options) {
  std::vector<std::byte> results;
  reduce_options alone = options;
  alone.where.reset();
  alone.axes = axes::all;
  for (const batch& b : all) {
    const array_view elements = make_view(b.elements.data(), x.type, {static_cast<std::int64_t>(b.indices.size())});
    reduce_result one;
    try {
      one = reduce(op, elements, alone);
    } catch (const error&) {
      return {};
    }
    if (op == op_kind::argmin || op == op_kind::argmax) {
      std::int64_t index = 0;
      std::memcpy(&index, one.data.data(), sizeof index);
      std::memcpy(one.data.data(), &b.indices[static_cast<std::size_t>(index)], sizeof index);
    }
    if (op == op_kind::describe && one.described().count > 0) {
      auto* const s = reinterpret_cast<summary*>(one.data.data());
      if (s->argmin >= 0) s->argmin = b.indices[static_cast<std::size_t>(s->argmin)];
      if (s->argmax >= 0) s->argmax = b.indices[static_cast<std::size_t>(s->argmax)];
    }
    results.insert(results.end(), one.data.begin(), one.data.end());
  }
  return results;
}

std::int64_t below(test::random_bits& rng, std::int64_t n) {
  return static_cast<std::int64_t>(rng() % static_cast<std::uint64_t>(n));
}

array_view random_marks(test::random_bits& rng, const array_view& x, std::vector<std::uint8_t>& memory) {
  std::vector<std::int64_t> extents = x.extents;
  for (std::int64_t& each : extents) {
    if (rng() % 4 == 0) each = 1;
  }
  while (!extents.empty() && extents.front() == 1 && rng() % 2 == 0) extents.erase(extents.begin());
  memory.resize(static_cast<std::size_t>(element_count(extents)));
  const std::int64_t density = rng() % 2 == 0 ? below(rng, 101) : below(rng, 2) * 100, run = 1 + below(rng, 40);
  for (std::size_t i = 0; i < memory.size(); ++i) {
    memory[i] = static_cast<std::int64_t>(i) % run != 0 ? memory[i - 1] : 0;
    if (static_cast<std::int64_t>(i) % run == 0 && below(rng, 100) < density) memory[i] = rng() % 2 == 0 ? 1 : 0x80;
  }
  array_view marks = make_view(static_cast<const void*>(memory.data()), dtype::boolean, extents);
  if (rng() % 2 == 0) marks.strides = fortran_strides(extents);
  return marks;
}

TEST(where, leaves_what_takes_no_part_out_of_every_operation) {
  test::random_bits rng(7);
  for (int round = 0; round < 600; ++round) {
    const op_kind op = of_one[rng() % of_one.size()];
    const dtype type = static_cast<dtype>(rng() % 13);
    const test::array array =
        test::random_array(type, test::random_extents(rng, round % 16 == 0 ? 300'000 : 3000), rng);
    const array_view& x = array.view;
    std::vector<std::uint8_t> memory;
    const array_view marks = random_marks(rng, x, memory);
    reduce_options options;
    options.engine = engine_choice::host;
    options.threads = static_cast<int>(rng() % 4);
    options.where = marks;
    std::vector<std::int64_t> axes = all_axes(x.rank());
    if (rng() % 3 != 0) options.axes = axes = test::random_axes(x.rank(), rng);
    if (rng() % 3 == 0) options.nan = nan_policy::omit;
    SCOPED_TRACE(std::string(name(op)) + " of " + std::string(name(type)) + " " + to_string(x.extents) + " strides " +
                 to_string(x.strides) + " over " + to_string(axes) + " where " + to_string(marks.extents));
    const std::vector<batch> all = batches_of(x, broadcast_to(marks, x.extents), axes);
    const std::vector<std::byte> wanted = expected(op, x, all, options);
    try {
      const reduce_result got = reduce(op, x, options);
      // Products of floating point are rounded where they are cut.
      if (got.achieved == accuracy::exact) {
        ASSERT_EQ(got.data, wanted);
      }
      EXPECT_EQ(got.count, x.elements());
    } catch (const error& e) {
      ASSERT_TRUE(wanted.empty()) << e.what();
    }
  }
}

TEST(where, tells_which_result_has_no_value) {
  const std::vector<float> x{1, 2, 3, 4};
  const bool marks[] = {true, false, false, false};
  reduce_options options;
  options.axes = std::vector<std::int64_t>{1};
  options.where = make_view(static_cast<const void*>(marks), dtype::boolean, {2, 2});
  const array_view view = make_view(x.data(), {2, 2});
  test::expect_refusal<shape_error>("result 1", [&] { static_cast<void>(reduce(op_kind::max, view, options)); });
  options.initial = {true, true, 7, 0};
  EXPECT_EQ(reduce(op_kind::max, view, options).data.size(), 8u);
  options.initial = {};
  const reduce_result means = reduce(op_kind::mean, view, options);
  float found[2];
  std::memcpy(found, means.data.data(), sizeof found);
  EXPECT_EQ(found[0], 1.0f);
  EXPECT_NE(found[1], found[1]);
}

TEST(where, is_read_once_for_several_operations) {
  test::random_bits rng(9);
  for (int round = 0; round < 40; ++round) {
    const test::array array = test::random_array(dtype::f32, test::random_extents(rng, 40'000), rng);
    const array_view& x = array.view;
    std::vector<std::uint8_t> memory;
    reduce_options options;
    options.engine = engine_choice::host;
    options.where = random_marks(rng, x, memory);
    options.axes = test::random_axes(x.rank(), rng);
    const std::vector<reduce_result> got = reduce({op_kind::sum, op_kind::norm2, op_kind::describe}, x, options);
    for (const reduce_result& each : got) EXPECT_EQ(each.data, reduce(each.used.what.op, x, options).data);
  }
}

TEST(where, is_refused_where_it_makes_no_sense) {
  const std::vector<float> x{1, 2, 3, 4};
  const std::vector<std::uint8_t> bytes(4, 1);
  const array_view view = make_view(x.data(), {2, 2});
  reduce_options options;
  const auto sum = [&] { static_cast<void>(reduce(op_kind::sum, view, options)); };
  options.where = make_view(bytes.data(), {2, 2});
  test::expect_refusal<unsupported_error>("expected boolean", sum);
  options.where = make_view(static_cast<const void*>(bytes.data()), dtype::boolean, {3});
  test::expect_refusal<shape_error>("(3,) cannot be broadcast to (2, 2)", sum);
  options.where = make_view(static_cast<const void*>(nullptr), dtype::boolean, {2});
  test::expect_refusal<shape_error>("no address", sum);
  options.where = make_view(static_cast<const void*>(bytes.data()), dtype::boolean, {2});
  test::expect_refusal<unsupported_error>("takes no where",
                                          [&] { static_cast<void>(reduce(op_kind::dot, view, view, options)); });
  options.keep_state = true;
  test::expect_refusal<unsupported_error>("no state", sum);
  options.keep_state = false;
  options.engine = engine_choice::both;
  test::expect_refusal<unsupported_error>("host engine", sum);
  options.engine = engine_choice::automatic;
  const std::vector<std::int64_t> offsets{0, 2};
  test::expect_refusal<unsupported_error>("takes no where", [&] {
    static_cast<void>(reduce(op_kind::sum, make_view(x.data(), {4}),
                             segments::from_offsets(make_view(offsets.data(), {2})), options));
  });
}

// Densely, one after the other.
std::vector<std::byte> copied(const array_view& x) {
  const std::vector<std::int64_t> none;
  std::vector<std::byte> all;
  const std::vector<std::uint8_t> on{1};
  const array_view marks = broadcast_to(make_view(static_cast<const void*>(on.data()), dtype::boolean, {}), x.extents);
  for (const batch& b : batches_of(x, marks, none)) all.insert(all.end(), b.elements.begin(), b.elements.end());
  return all;
}

TEST(pairs, may_lie_otherwise_than_each_other) {
  test::random_bits rng(11);
  for (int round = 0; round < 600; ++round) {
    const dtype type = static_cast<dtype>(rng() % 13);
    const std::vector<std::int64_t> extents = test::random_extents(rng, round % 16 == 0 ? 300'000 : 3000);
    const test::array first = test::random_array(type, extents, rng), second = test::random_array(type, extents, rng);
    const array_view &x = first.view, &y = second.view;
    reduce_options options;
    options.engine = engine_choice::host;
    options.threads = static_cast<int>(rng() % 4);
    if (rng() % 2 == 0) options.axes = test::random_axes(x.rank(), rng);
    const std::vector<std::byte> a = copied(x), b = copied(y);
    const op_kind op = rng() % 2 == 0 ? op_kind::dot : op_kind::cov;
    SCOPED_TRACE(std::string(name(op)) + " of " + std::string(name(type)) + " " + to_string(x.extents) + " strides " +
                 to_string(x.strides) + " and " + to_string(y.strides));
    std::vector<std::byte> wanted, got;
    std::string why;
    try {
      wanted = reduce(op, make_view(a.data(), type, extents), make_view(b.data(), type, extents), options).data;
    } catch (const overflow_error& e) {
      why = e.what();
    }
    try {
      got = reduce(op, x, y, options).data;
    } catch (const overflow_error& e) {
      ASSERT_FALSE(why.empty()) << e.what();
    }
    ASSERT_EQ(got, wanted);
  }
}

TEST(pairs, of_weights_that_repeat) {
  const std::vector<double> x{1, 2, 3, 4, 5, 6}, weights{0.5, 0.25, 2};
  const array_view view = make_view(x.data(), {2, 3});
  reduce_options options;
  options.axes = std::vector<std::int64_t>{1};
  const reduce_result sums =
      reduce(op_kind::dot, view, broadcast_to(make_view(weights.data(), {3}), view.extents), options);
  double found[2];
  std::memcpy(found, sums.data.data(), sizeof found);
  EXPECT_EQ(found[0], 7.0);
  EXPECT_EQ(found[1], 15.25);
  EXPECT_THROW(static_cast<void>(broadcast_to(make_view(weights.data(), {3}), {3, 2})), shape_error);
}

}  // namespace
}  // namespace multifold
