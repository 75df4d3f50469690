// Groups against reduce of each group's elements alone, and what is refused.
#include "multifold/by_key.hpp"
#include "reduce/refusal.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <string>

#include "host/random_array.hpp"
#include "multifold/error.hpp"
#include "random_bits.hpp"
#include "reduce/sources/vector_source.hpp"

namespace multifold {
namespace {

using test::expect_refusal;

struct group_case {
  std::vector<std::int64_t> keys;
  std::int64_t groups;
};

// Each of a few or many groups, the last one mostly without elements.
group_case random_keys(std::int64_t count, bool ascend, test::random_bits& random) {
  group_case c;
  c.groups = 2 + static_cast<std::int64_t>(random() % 40);
  for (std::int64_t i = 0; i < count; ++i) {
    c.keys.push_back(static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(c.groups - 1)));
  }
  if (ascend) std::sort(c.keys.begin(), c.keys.end());
  return c;
}

// The elements of `view` at `places` along `axis`, dense.
test::array picked(const array_view& view, std::size_t axis, const std::vector<std::int64_t>& places) {
  test::array found;
  found.view = view;
  found.view.extents[axis] = static_cast<std::int64_t>(places.size());
  found.view.strides = c_strides(found.view.extents);
  const std::int64_t item = item_bytes(view.type), count = found.view.elements();
  found.memory.resize(static_cast<std::size_t>(std::max<std::int64_t>(count, 1) * item));
  found.view.data = found.memory.data();
  for (std::int64_t i = 0; i < count; ++i) {
    std::int64_t rest = i, from = 0;
    for (std::size_t a = view.extents.size(); a-- > 0; rest /= found.view.extents[a]) {
      const std::int64_t index = rest % found.view.extents[a];
      from += (a == axis ? places[static_cast<std::size_t>(index)] : index) * view.strides[a];
    }
    std::memcpy(found.memory.data() + i * item, static_cast<const std::byte*>(view.data) + from * item,
                static_cast<std::size_t>(item));
  }
  return found;
}

// What reduce makes of each group, with positions along the axis.
std::vector<std::byte> group_by_group(op_kind op, const array_view& x, const group_case& c, std::size_t axis,
                                      reduce_options options) {
  std::int64_t outer = 1;
  for (std::size_t i = 0; i < axis; ++i) outer *= x.extents[i];
  options.axes = {static_cast<std::int64_t>(axis)};
  std::vector<std::byte> all;
  for (std::int64_t g = 0; g < c.groups; ++g) {
    std::vector<std::int64_t> places;
    for (std::size_t i = 0; i < c.keys.size(); ++i) {
      if (c.keys[i] == g) places.push_back(static_cast<std::int64_t>(i));
    }
    const test::array elements = picked(x, axis, places);
    reduce_result r = reduce(op, elements.view, options);
    const auto placed = [&](std::int64_t& index) {
      if (index >= 0) index = places[static_cast<std::size_t>(index)];
    };
    if (op == op_kind::argmin || op == op_kind::argmax) {
      auto* const index = reinterpret_cast<std::int64_t*>(r.data.data());
      for (std::size_t i = 0; i < r.data.size() / sizeof *index; ++i) placed(index[i]);
    } else if (op == op_kind::describe) {
      auto* const each = reinterpret_cast<summary*>(r.data.data());
      for (std::size_t i = 0; i < r.data.size() / sizeof *each; ++i) placed(each[i].argmin), placed(each[i].argmax);
    }
    const std::size_t run = r.data.size() / static_cast<std::size_t>(outer);
    all.resize(static_cast<std::size_t>(outer * c.groups) * run);
    for (std::int64_t o = 0; o < outer; ++o) {
      std::copy_n(r.data.begin() + o * static_cast<std::int64_t>(run), run,
                  all.begin() + (o * c.groups + g) * static_cast<std::int64_t>(run));
    }
  }
  return all;
}

TEST(by_key, as_group_by_group) {
  test::random_bits random(6);
  const dtype types[] = {dtype::boolean, dtype::i8, dtype::u16, dtype::i32, dtype::f16, dtype::f32, dtype::f64};
  const op_kind ops[] = {op_kind::sum, op_kind::max, op_kind::argmin, op_kind::mean, op_kind::std, op_kind::describe};
  for (int i = 0; i < 200; ++i) {
    const dtype type = types[random() % std::size(types)];
    const op_kind op = ops[random() % std::size(ops)];
    std::vector<std::int64_t> extents;
    for (std::size_t rank = 1 + random() % 3; extents.size() < rank;) {
      extents.push_back(1 + static_cast<std::int64_t>(random() % 5));
    }
    const std::size_t axis = random() % extents.size();
    extents[axis] = 1 + static_cast<std::int64_t>(random() % 200);
    const test::array x = test::random_array(type, extents, random);
    group_case c = random_keys(extents[axis], random() % 3 == 0, random);
    if (!has_identity(op)) {  // every group has an element
      c.groups = 1;
      for (const std::int64_t key : c.keys) c.groups = std::max(c.groups, key + 1);
      std::vector<bool> there(static_cast<std::size_t>(c.groups));
      for (const std::int64_t key : c.keys) there[static_cast<std::size_t>(key)] = true;
      if (std::count(there.begin(), there.end(), false) > 0) {
        for (std::int64_t& key : c.keys) key = 0;
        c.groups = 1;
      }
    }
    reduce_options options;
    options.threads = 1 + static_cast<int>(random() % 3);
    options.axes = {static_cast<std::int64_t>(axis)};
    if (op == op_kind::sum || op == op_kind::describe) options.result = dtype::f64;
    const std::vector<std::int32_t> narrow(c.keys.begin(), c.keys.end());
    const std::vector<std::int64_t> shape{extents[axis]};
    const array_view keys = i % 2 == 0 ? array_view(make_view(narrow.data(), shape)) : make_view(c.keys.data(), shape);
    std::vector<std::byte> expected, found;
    bool overflows = false;
    try {
      expected = group_by_group(op, x.view, c, axis, options);
    } catch (const overflow_error&) {
      overflows = true;
    }
    SCOPED_TRACE(std::string(name(op)) + " of " + std::string(name(type)) + to_string(extents) + " axis " +
                 std::to_string(axis));
    if (overflows) {
      EXPECT_THROW(reduce_by_key(op, x.view, keys, c.groups, options), overflow_error);
      continue;
    }
    EXPECT_TRUE(reduce_by_key(op, x.view, keys, c.groups, options).data == expected);
    found.resize(expected.size());
    options.into = found;
    EXPECT_TRUE(reduce_by_key(op, x.view, keys, c.groups, options).data.empty());
    EXPECT_TRUE(found == expected);
  }
}

TEST(by_key, two_arrays_and_sources) {
  const std::vector<float> x{1, 2, 3, 4}, y{10, 20, 30, 40};
  const std::vector<std::int32_t> keys{1, 0, 1, 3};
  const array_view list = make_view(keys.data(), {4});
  const auto floats = [](const reduce_result& r) {
    std::vector<float> values(r.data.size() / sizeof(float));
    std::memcpy(values.data(), r.data.data(), r.data.size());
    return values;
  };
  const std::vector<float> dots{40, 100, 0, 160}, sums{2, 4, 0, 4};
  const array_view a = make_view(x.data(), {4}), b = make_view(y.data(), {4});
  EXPECT_EQ(floats(reduce_by_key(op_kind::dot, a, b, list, 4)), dots);
  EXPECT_EQ(floats(reduce_by_key(op_kind::sum, a, list, 4)), sums);
  vector_source<float> first(x, {4}), second(y, {4}), pipe(x, {4}, "pipe", false, true);
  EXPECT_EQ(floats(reduce_by_key(op_kind::dot, first, second, list, 4)), dots);
  EXPECT_EQ(floats(reduce_by_key(op_kind::sum, pipe, list, 4)), sums);
}

TEST(by_key, positions_of_a_narrow_dtype) {
  const std::vector<float> x{5, 9, 7, 1};
  const std::vector<std::int64_t> keys{1, 1, 0, 0};
  reduce_options options;
  options.result = dtype::i8;
  const reduce_result r =
      reduce_by_key(op_kind::argmax, make_view(x.data(), {4}), make_view(keys.data(), {4}), 2, options);
  EXPECT_EQ(r.type, dtype::i8);
  EXPECT_EQ(r.data, (std::vector<std::byte>{std::byte{2}, std::byte{1}}));
}

TEST(by_key, no_groups_have_no_results_of_the_dtype_that_was_asked_for) {
  const std::vector<float> x;
  const std::vector<std::int64_t> keys;
  for (const op_kind op : {op_kind::argmin, op_kind::argmax, op_kind::describe, op_kind::sum}) {
    reduce_options options;
    if (op == op_kind::argmin || op == op_kind::argmax) options.result = dtype::u32;
    const reduce_result found = reduce_by_key(op, make_view(x.data(), {0}), make_view(keys.data(), {0}), 0, options);
    EXPECT_TRUE(found.data.empty());
    EXPECT_EQ(found.extents, std::vector<std::int64_t>{0});
    EXPECT_EQ(found.type, options.result.value_or(found.type)) << name(op);
  }
}

TEST(by_key, refusals) {
  const std::vector<float> x{1, 2, 3};
  const auto with = [&](std::vector<std::int64_t> keys, std::int64_t groups, op_kind op = op_kind::sum) {
    const array_view list = make_view(keys.data(), {static_cast<std::int64_t>(keys.size())});
    return reduce_by_key(op, make_view(x.data(), {3}), list, groups);
  };
  expect_refusal<shape_error>("key 1 is 2, and there are 2 groups", [&] { with({0, 2, 1}, 2); });
  expect_refusal<shape_error>("key 2 is -1", [&] { with({0, 1, -1}, 2); });
  expect_refusal<shape_error>("there are 2 keys for the 3 elements of axis 0", [&] { with({0, 1}, 2); });
  expect_refusal<shape_error>("-3 groups", [&] { with({0, 1, 1}, -3); });
  expect_refusal<shape_error>("group 1 is empty, and min of nothing", [&] { with({0, 0, 2}, 3, op_kind::min); });
  expect_refusal<unsupported_error>(
      "keys are f32", [&] { reduce_by_key(op_kind::sum, make_view(x.data(), {3}), make_view(x.data(), {3}), 3); });
  expect_refusal<out_of_memory>("the counts of", [&] { with({0, 0, 0}, std::int64_t{1} << 60); });
  EXPECT_THROW(with({0, 0, 0}, 0), shape_error);
  EXPECT_EQ(with({0, 0, 0}, 3).extents, std::vector<std::int64_t>{3});
}

}  // namespace
}  // namespace multifold
