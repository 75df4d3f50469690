// States of exact sums: the same bytes however the elements were cut and merged, and by whichever engine.
#include "multifold/state.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "multifold/exact.hpp"
#include "multifold/multifold.hpp"
#include "random_bits.hpp"
#if MULTIFOLD_HAS_CUDA
#include "multifold/cuda/buffer.hpp"
#include "multifold/cuda/error.hpp"
#endif

namespace multifold {
namespace {

using bytes = std::vector<std::byte>;

template <class T>
struct state : testing::Test {};
using reals = testing::Types<f16, bf16, float, double>;
TYPED_TEST_SUITE(state, reals);

// Finite numbers of any magnitude, from random bits.
template <class T>
std::vector<T> wild(std::size_t count) {
  using bits_type = typename detail::float_layout<T>::bits_type;
  test::random_bits random(20240229);
  std::vector<T> x;
  while (x.size() < count) {
    const T value = bit_copy<T>(static_cast<bits_type>(random()));
    if (std::isfinite(to_double(value))) x.push_back(value);
  }
  return x;
}

// Numbers that pairs of doubles hold, as most data are.
template <class T>
std::vector<T> tame(std::size_t count) {
  std::vector<T> x;
  for (std::size_t i = 0; i < count; ++i) {
    x.push_back(
        round_to<T>(exact_value{exact_value::kind::finite, i % 3 == 0, false, -130, uint128_t{i % 61 + 1} << 100}));
  }
  return x;
}

template <class T>
std::vector<T> values(std::initializer_list<double> list) {
  std::vector<T> x;
  for (const double value : list) {
    exact_sum<double> one;
    one.add(value);
    x.push_back(round_to<T>(one));
  }
  return x;
}

constexpr double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();

template <class T>
std::vector<std::vector<T>> all_data() {
  return {wild<T>(3001),     tame<T>(200'003),          values<T>({}),          values<T>({-0.0, -0.0}),
          values<T>({0.0}),  values<T>({1, -1, -0.0}),  values<T>({-0.0, nan}), values<T>({inf, 1, -0.0}),
          values<T>({-inf}), values<T>({inf, 2, -inf}), values<T>({nan, nan}),  values<T>({1.5, nan, inf})};
}

template <class T>
array_view view_of(const std::vector<T>& x) {
  return make_view(x.data(), {static_cast<std::int64_t>(x.size())});
}

reduce_options keeping(nan_policy nans = nan_policy::propagate, engine_choice engine = engine_choice::host) {
  reduce_options options;
  options.keep_state = true;
  options.nan = nans;
  options.engine = engine;
  return options;
}

// What the state has to be: one element after the other.
template <class T>
bytes by_hand(const std::vector<T>& x, nan_policy nans) {
  exact_sum<T> sum;
  for (const T value : x) {
    if (nans == nan_policy::propagate || !std::isnan(to_double(value))) sum.add(value);
  }
  bytes out(exact_state_bytes<exact_traits<T>>);
  save_exact(sum, out);
  return out;
}

TYPED_TEST(state, is_what_the_elements_add_up_to) {
  for (const nan_policy nans : {nan_policy::propagate, nan_policy::omit}) {
    for (const auto& x : all_data<TypeParam>()) {
      for (const op_kind op : {op_kind::sum, op_kind::mean}) {
        reduce_options plain = keeping(nans);
        plain.keep_state = false;
        const reduce_result kept = reduce(op, view_of(x), keeping(nans)), rounded = reduce(op, view_of(x), plain);
        EXPECT_EQ(kept.state, by_hand(x, nans));
        EXPECT_EQ(kept.data, rounded.data);
        EXPECT_EQ(kept.type, rounded.type);
        EXPECT_TRUE(rounded.state.empty());
      }
    }
  }
}

TYPED_TEST(state, of_parts_in_any_order_are_the_state_of_the_whole) {
  for (auto x : {wild<TypeParam>(997), tame<TypeParam>(997)}) {
    const bytes whole = reduce(op_kind::sum, view_of(x), keeping()).state;
    std::vector<bytes> parts;
    for (std::size_t first = 0, length = 1; first < x.size(); first += length, length = length * 2 % 113) {
      const auto count = static_cast<std::int64_t>(std::min(length, x.size() - first));
      parts.push_back(reduce(op_kind::mean, make_view(x.data() + first, {count}), keeping()).state);
    }
    for (unsigned seed = 0; seed < 20; ++seed) {
      std::shuffle(parts.begin(), parts.end(), test::random_bits(seed));
      bytes merged = empty_state(dtype_of<TypeParam>);
      for (const bytes& part : parts)
        merged = merge_states(seed % 2 != 0 ? part : merged, seed % 2 != 0 ? merged : part);
      EXPECT_EQ(merged, whole);
    }
  }
}

TYPED_TEST(state, rounds_to_any_type) {
  const auto x = values<TypeParam>({1, 2, 1, 1, 3, 2});
  const bytes kept = reduce(op_kind::sum, view_of(x), keeping()).state;
  for (const dtype result : {dtype::f16, dtype::bf16, dtype::f32, dtype::f64}) {
    for (const op_kind op : {op_kind::sum, op_kind::mean}) {
      reduce_options options;
      options.result = result;
      bytes out(static_cast<std::size_t>(item_bytes(result)) + 1);
      round_state(kept, op, result, out.data() + 1);
      out.erase(out.begin());
      EXPECT_EQ(out, reduce(op, view_of(x), options).data);
    }
  }
}

// A source of unknown length, as pipes are.
class stream_of_floats : public source {
 public:
  explicit stream_of_floats(const std::vector<float>& x) : x_(x) {}
  const std::string& name() const noexcept override { return name_; }
  const array_layout& layout() const noexcept override { return layout_; }
  bool random_access() const noexcept override { return false; }
  std::int64_t read(std::int64_t first, std::span<std::byte> chunk) override {
    const auto count = std::min<std::int64_t>(static_cast<std::int64_t>(chunk.size()) / 4,
                                              static_cast<std::int64_t>(x_.size()) - first);
    std::memcpy(chunk.data(), x_.data() + first, static_cast<std::size_t>(count) * 4);
    return count;
  }

 private:
  const std::string name_ = "floats";
  const array_layout layout_{dtype::f32, {-1}, false};
  const std::vector<float>& x_;
};

TEST(states, of_streams_and_of_strided_arrays) {
  const std::vector<float> x = wild<float>(1'000'000);
  stream_of_floats stream(x);
  EXPECT_EQ(reduce(op_kind::sum, stream, keeping()).state, by_hand(x, nan_policy::propagate));
  array_view third = make_view(x.data(), {333, 1000});
  third.strides = {1, 1000};
  std::vector<float> same;
  for (std::size_t i = 0; i < 333; ++i) {
    for (std::size_t k = 0; k < 1000; ++k) same.push_back(x[i + 1000 * k]);
  }
  EXPECT_EQ(reduce(op_kind::sum, third, keeping()).state, by_hand(same, nan_policy::propagate));
}

TEST(states, are_refused_where_there_are_none) {
  const std::vector<float> x{1, 2, 3, 4};
  const std::vector<std::int32_t> integers{1, 2};
  const array_view view = make_view(x.data(), {2, 2});
  reduce_options fast = keeping(), initial = keeping(), real = keeping();
  fast.wanted = accuracy::fast;
  initial.initial = {true, false, 0, 1.0};
  real.result = dtype::f64;
  EXPECT_THROW(reduce(op_kind::prod, view, keeping()), unsupported_error);
  EXPECT_THROW(reduce(op_kind::prod, view_of(integers), real), unsupported_error);
  for (const reduce_options& options : {fast, initial}) {
    EXPECT_THROW(reduce(op_kind::sum, view, options), unsupported_error);
    EXPECT_THROW(reduce_to_state(op_kind::sum, view, options), unsupported_error);
  }
  EXPECT_THROW(empty_state(dtype::i64), unsupported_error);
}

TEST(states, that_are_none_are_refused) {
  const bytes good = empty_state(dtype::f32), other = empty_state(dtype::bf16);
  bytes cut(good.begin(), good.end() - 1), longer = good, odd = good, newer = good;
  longer.push_back(std::byte{0});
  odd[60] ^= std::byte{1};
  newer[8] = std::byte{2};
  float out = 7;
  for (const bytes& bad : {bytes{}, cut, longer, odd, newer}) {
    EXPECT_THROW(merge_states(good, bad), format_error);
    EXPECT_THROW(merge_states(bad, good), format_error);
    EXPECT_THROW(round_state(bad, op_kind::sum, dtype::f32, &out), format_error);
  }
  EXPECT_THROW(merge_states(good, other), format_error);
  EXPECT_THROW(round_state(good, op_kind::max, dtype::f32, &out), unsupported_error);
  EXPECT_THROW(round_state(good, op_kind::sum, dtype::i64, &out), unsupported_error);
  EXPECT_EQ(out, 7);
  exact_sum<float> most;
  most.add_counts({INT64_MAX, 0, 0, 0, 1});
  bytes full(good.size());
  save_exact(most, full);
  EXPECT_THROW(merge_states(full, full), overflow_error);
}

bool has_gpu() { return engines().front().supported; }

TYPED_TEST(state, is_the_same_on_both_engines) {
  if (!has_gpu()) GTEST_SKIP() << "no GPU: " << engines().front().reason;
  for (const nan_policy nans : {nan_policy::propagate, nan_policy::omit}) {
    for (const auto& x : all_data<TypeParam>()) {
      EXPECT_EQ(reduce(op_kind::sum, view_of(x), keeping(nans, engine_choice::device)).state, by_hand(x, nans));
#if MULTIFOLD_HAS_CUDA
      const auto count = static_cast<std::int64_t>(x.size() * sizeof(TypeParam));
      const cuda::device_buffer there(count);
      cuda::check(cudaMemcpy(there.data(), x.data(), x.size() * sizeof(TypeParam), cudaMemcpyHostToDevice));
      array_view view = view_of(x);
      view.data = there.data();
      view.where = place::device;
      EXPECT_EQ(reduce(op_kind::mean, view, keeping(nans, engine_choice::device)).state, by_hand(x, nans));
#endif
    }
  }
}

}  // namespace
}  // namespace multifold
