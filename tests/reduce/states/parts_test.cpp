// States of every operation: parts of an array, cut at random and merged in any order and association, have the bytes
// of the whole, and finish as reduce does.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "core/every.hpp"
#include "multifold/exact.hpp"
#include "multifold/multifold.hpp"
#include "random_bits.hpp"
#include "reduce/states/contents.hpp"

namespace multifold {
namespace {

using test::all_dtypes, test::every_op;

using bytes = std::vector<std::byte>;

bool has_state(op_kind op, dtype element) { return op != op_kind::prod || !is_floating(element); }

enum class flavour { any_bits, small, zeros, specials };

template <class T>
T element(flavour of, test::random_bits& random) {
  const auto number = static_cast<int>(random() % 5) - 2;
  if constexpr (std::is_same_v<T, bool8>) {
    return {static_cast<std::uint8_t>(of == flavour::zeros ? 0 : random() % 3)};
  } else if constexpr (floating_storage<T>) {
    using bits = typename detail::float_layout<T>::bits_type;
    const double inf = std::numeric_limits<double>::infinity();
    double x = number;
    if (of == flavour::any_bits) return bit_copy<T>(static_cast<bits>(random()));
    if (of == flavour::zeros) x = number > 0 ? 0.0 : -0.0;
    if (of == flavour::specials && random() % 4 == 0)
      x = number == 0 ? inf : number == 1 ? -inf : number == 2 ? inf - inf : -0.0;
    exact_sum<double> one;
    one.add(x);
    return round_to<T>(one);
  } else {
    if (of == flavour::any_bits) return static_cast<T>(random());
    return static_cast<T>(of == flavour::zeros ? 0 : of == flavour::small ? number : number * 3);
  }
}

bytes elements(dtype type, std::int64_t count, flavour of, test::random_bits& random) {
  bytes made(static_cast<std::size_t>(count * item_bytes(type)));
  visit_dtype(type, [&]<class T>() {
    for (std::int64_t i = 0; i < count; ++i) {
      const T x = element<T>(of, random);
      std::memcpy(made.data() + i * static_cast<std::int64_t>(sizeof x), &x, sizeof x);
    }
  });
  return made;
}

// Two arrays of rows, and what is done to them.
struct problem {
  op_kind op;
  dtype type;
  std::int64_t rows, columns;
  std::vector<std::int64_t> axes;
  nan_policy nan;
  bytes x, y;

  // Where parts begin lies along the first reduced axis.
  std::size_t cut_axis() const { return axes.front() == 0 ? 0 : 1; }
  std::int64_t length() const { return cut_axis() == 0 ? rows : columns; }
  // Indices of a batch between neighbours along that axis.
  std::int64_t step() const { return axes.size() == 2 ? columns : 1; }

  array_view view(const bytes& of, std::int64_t first, std::int64_t count) const {
    array_view v = make_view(of.data(), type, {rows, columns});
    v.data = of.data() + first * v.strides[cut_axis()] * item_bytes(type);
    v.extents[cut_axis()] = count;
    return v;
  }

  reduce_options options() const {
    reduce_options o;
    o.axes = axes;
    o.nan = nan;
    o.engine = engine_choice::host;
    return o;
  }

  state part(std::int64_t first, std::int64_t count) const {
    state made = takes_two_arrays(op) ? reduce_to_state(op, view(x, first, count), view(y, first, count), options())
                                      : reduce_to_state(op, view(x, first, count), options());
    made.move(first * step());
    return made;
  }

  reduce_result value(const reduce_options& how) const {
    if (takes_two_arrays(op)) return reduce(op, view(x, 0, length()), view(y, 0, length()), how);
    return reduce(op, view(x, 0, length()), how);
  }
};

std::vector<state> cut(const problem& p, test::random_bits& random) {
  std::vector<std::int64_t> ends{0, p.length()};
  for (std::size_t i = random() % 6; i > 0; --i)
    ends.push_back(static_cast<std::int64_t>(random() % (static_cast<std::uint64_t>(p.length()) + 1)));
  std::sort(ends.begin(), ends.end());
  std::vector<state> parts;
  for (std::size_t i = 1; i < ends.size(); ++i) parts.push_back(p.part(ends[i - 1], ends[i] - ends[i - 1]));
  return parts;
}

// Any two at a time, through their bytes now and then.
state merged(std::vector<state> parts, test::random_bits& random) {
  while (parts.size() > 1) {
    std::shuffle(parts.begin(), parts.end(), random);
    state last = std::move(parts.back());
    parts.pop_back();
    if (random() % 2 == 0) last = state(last.bytes());
    parts.back().merge(last);
  }
  return parts.front();
}

// The records that elements make which are combined one by one, as the operations mean it.
bytes by_hand(const problem& p) {
  reduction what = make_reduction(p.op, p.type, p.nan);
  const std::int64_t results = p.rows * p.columns / (p.axes.size() == 2 ? p.rows * p.columns : p.length());
  const std::int64_t count = p.rows * p.columns / results, each = detail::record_bytes(what);
  bytes made(static_cast<std::size_t>(results * each));
  visit_fold(what, [&]<class Op>(const Op& op) {
    if constexpr (detail::has_state_record<Op>) {
      using value = typename Op::value_type;
      const auto read = [&](std::int64_t at) {
        const auto load = [&]<class T>(const bytes& from, T& to) {
          std::memcpy(&to, from.data() + at * static_cast<std::int64_t>(sizeof to), sizeof to);
        };
        value v;
        if constexpr (requires { v.y; }) load(p.x, v.x), load(p.y, v.y);
        else load(p.x, v);
        return v;
      };
      for (std::int64_t r = 0; r < results; ++r) {
        auto sum = op.identity();
        for (std::int64_t i = 0; i < count; ++i) {
          sum = op.combine(sum, op.lift(read(p.cut_axis() == 1 ? r * count + i : r + i * results), i));
        }
        detail::state_record<Op>::put(op, sum, count, detail::record_writer(made.data() + r * each));
      }
    }
  });
  return made;
}

// The bytes of a result, or what was thrown instead.
template <class Made>
std::pair<bytes, std::string> outcome_of(const Made& made) {
  try {
    return {made().data, ""};
  } catch (const error& e) {
    return {{}, e.what()};
  }
}

void check(const problem& p, test::random_bits& random) {
  const state whole = p.part(0, p.length());
  const state both = merged(cut(p, random), random);
  ASSERT_EQ(both.bytes(), whole.bytes());
  if (p.rows * p.columns < 500) {
    ASSERT_EQ(detail::decode_state(whole.bytes()).records, by_hand(p));
  }
  ASSERT_EQ(state(whole.bytes()).bytes(), whole.bytes());
  reduce_options how = p.options();
  const auto [expected, why] = outcome_of([&] { return p.value(how); });
  const auto [found, why_not] = outcome_of([&] { return both.finish(p.op); });
  ASSERT_EQ(found, expected);
  ASSERT_EQ(why_not, why);
  if (!why.empty()) return;
  how.keep_state = true;
  const reduce_result kept = p.value(how);
  ASSERT_EQ(kept.data, expected);
  ASSERT_EQ(kept.state, whole.bytes());
  ASSERT_EQ(kept.extents, both.finish(p.op).extents);
  if (takes_correction(p.op)) {
    how.keep_state = false;
    how.correction = 1;
    how.result = dtype::f64;
    ASSERT_EQ(both.finish(p.op, {dtype::f64, 1}).data, p.value(how).data);
  }
}

struct state_parts : testing::TestWithParam<op_kind> {};

TEST_P(state_parts, merge_to_the_bytes_of_the_whole) {
  const op_kind op = GetParam();
  test::random_bits random(20261127 + static_cast<unsigned>(op));
  for (const dtype type : all_dtypes) {
    if (!has_state(op, type)) continue;
    for (const flavour of : {flavour::any_bits, flavour::small, flavour::zeros, flavour::specials}) {
      for (const std::vector<std::int64_t>& axes : {std::vector<std::int64_t>{0}, {1}, {0, 1}}) {
        for (const nan_policy nan : {nan_policy::propagate, nan_policy::omit}) {
          const auto rows = static_cast<std::int64_t>(random() % 40 + 1),
                     columns = static_cast<std::int64_t>(random() % 60 + 1);
          problem p{op, type, rows, columns, axes, nan, {}, {}};
          p.x = elements(type, rows * columns, of, random);
          p.y = elements(type, rows * columns, of, random);
          SCOPED_TRACE(std::string(name(type)) + " " + to_string({rows, columns}) + " over " + to_string(axes) +
                       ", flavour " + std::to_string(static_cast<int>(of)) + (nan == nan_policy::omit ? ", omit" : ""));
          check(p, random);
          if (HasFatalFailure()) return;
        }
      }
    }
  }
}

// Long enough for every quick way of the engine: many threads, lanes, tiles.
TEST_P(state_parts, of_long_arrays_do_so_too) {
  const op_kind op = GetParam();
  test::random_bits random(11 + static_cast<unsigned>(op));
  for (const dtype type : {dtype::i8, dtype::i32, dtype::u64, dtype::f16, dtype::bf16, dtype::f32, dtype::f64}) {
    if (!has_state(op, type)) continue;
    for (const std::vector<std::int64_t>& axes : {std::vector<std::int64_t>{0}, {1}, {0, 1}}) {
      problem p{op, type, 150, 300, axes, random() % 2 == 0 ? nan_policy::omit : nan_policy::propagate, {}, {}};
      const flavour of = random() % 2 == 0 ? flavour::any_bits : flavour::specials;
      p.x = elements(type, 150 * 300, of, random);
      p.y = elements(type, 150 * 300, of, random);
      SCOPED_TRACE(std::string(name(type)) + " over " + to_string(axes) + ", flavour " +
                   std::to_string(static_cast<int>(of)));
      check(p, random);
      if (HasFatalFailure()) return;
    }
  }
}

std::string name_of(const testing::TestParamInfo<op_kind>& info) { return std::string(name(info.param)); }
INSTANTIATE_TEST_SUITE_P(every, state_parts, testing::ValuesIn(every_op()), name_of);

}  // namespace
}  // namespace multifold
