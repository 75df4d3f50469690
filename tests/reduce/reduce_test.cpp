// The API from outside: values, what results say of themselves, which engine runs, and what is refused.
#include "multifold/reduce.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "multifold/multifold.hpp"

namespace multifold {
namespace {

class engine_variable {
 public:
  explicit engine_variable(const char* value) { setenv("MULTIFOLD_ENGINE", value, 1); }
  ~engine_variable() { unsetenv("MULTIFOLD_ENGINE"); }
};

bool has_gpu() { return engines().front().supported; }

// A source over a vector of floats, dense and in order.
class floats : public source {
 public:
  floats(std::vector<float> x, std::vector<std::int64_t> extents, bool known = true) : x_(std::move(x)) {
    layout_ = {dtype::f32, known ? std::move(extents) : std::vector<std::int64_t>{-1}, false};
  }
  const std::string& name() const noexcept override { return name_; }
  const array_layout& layout() const noexcept override { return layout_; }
  bool random_access() const noexcept override { return layout_.extents != std::vector<std::int64_t>{-1}; }
  std::int64_t read(std::int64_t first, std::span<std::byte> chunk) override {
    const auto count = std::min<std::int64_t>(static_cast<std::int64_t>(chunk.size()) / 4,
                                              static_cast<std::int64_t>(x_.size()) - first);
    std::memcpy(chunk.data(), x_.data() + first, static_cast<std::size_t>(count) * 4);
    return count;
  }

 private:
  std::string name_ = "floats";
  array_layout layout_;
  std::vector<float> x_;
};

TEST(reduce_api, sums_a_span_in_one_call) {
  const std::vector<float> ones(20'000'000, 1.0f);
  EXPECT_EQ(sum(std::span<const float>(ones)), 20'000'000.0f);
}

TEST(reduce_api, says_what_was_done) {
  const std::vector<std::int32_t> x{3, 1, 2};
  const reduce_result r = reduce(op_kind::sum, make_view(x.data(), {3}));
  EXPECT_EQ(r.value<std::int64_t>(), 6);
  EXPECT_EQ(r.achieved, accuracy::exact);
  EXPECT_EQ(r.engine, "host");
  EXPECT_FALSE(r.device.empty());
  EXPECT_EQ(r.count, 3);
  EXPECT_EQ(r.bytes, 12);
  EXPECT_TRUE(r.extents.empty());
  EXPECT_GE(r.seconds, 0);
  EXPECT_THROW(r.value<float>(), shape_error);
}

TEST(reduce_api, reduces_axes_and_keeps_dimensions) {
  const std::vector<double> x{1, 2, 3, 4, 5, 6};
  reduce_options options;
  options.axes = {{-1}};
  options.keepdims = true;
  const reduce_result r = reduce(op_kind::max, make_view(x.data(), {2, 3}), options);
  EXPECT_EQ(r.extents, (std::vector<std::int64_t>{2, 1}));
  double got[2];
  std::memcpy(got, r.data.data(), sizeof got);
  EXPECT_EQ(got[0], 3);
  EXPECT_EQ(got[1], 6);
  EXPECT_THROW(r.value<double>(), shape_error);
}

TEST(reduce_api, reads_sources_of_known_and_unknown_length) {
  const std::vector<float> x{1, 2, 3, 4};
  floats known(x, {2, 2}), unknown(x, {}, false);
  EXPECT_EQ(reduce(op_kind::mean, known).value<float>(), 2.5f);
  const reduce_result r = reduce(op_kind::mean, unknown);
  EXPECT_EQ(r.value<float>(), 2.5f);
  EXPECT_EQ(r.count, 4);
}

TEST(reduce_api, writes_results_to_memory_of_the_caller) {
  const std::vector<float> x{1, 2, 3, 4, 5, 6};
  const array_view view = make_view(x.data(), {2, 3});
  std::vector<float> sums(3);
  reduce_options options;
  options.axes = {1};
  options.into = std::as_writable_bytes(std::span(sums)).first(8);
  const reduce_result rows = reduce(op_kind::sum, view, options);
  EXPECT_TRUE(rows.data.empty());
  EXPECT_EQ(sums, (std::vector<float>{6, 15, 0}));
  floats source(x, {2, 3});
  options.into = std::as_writable_bytes(std::span(sums)).subspan(4);
  reduce(op_kind::mean, source, options);
  EXPECT_EQ(sums, (std::vector<float>{6, 2, 5}));

  options.axes = axes::all;
  options.into = std::as_writable_bytes(std::span(sums)).first(4);
  options.keep_state = true;
  const reduce_result whole = reduce(op_kind::sum, view, options);
  EXPECT_EQ(sums[0], 21);
  EXPECT_FALSE(whole.state.empty());
  EXPECT_THROW(whole.value<float>(), shape_error);
  options.keep_state = false;
  for (const std::size_t first : {std::size_t{0}, std::size_t{1}}) {
    options.into = std::as_writable_bytes(std::span(sums)).subspan(first, first == 0 ? 5 : 4);
    EXPECT_THROW(reduce(op_kind::sum, view, options), shape_error);
  }
  summary described{};
  options.into = std::as_writable_bytes(std::span(&described, 1));
  EXPECT_TRUE(reduce(op_kind::describe, view, options).data.empty());
  EXPECT_EQ(described.count, 6);
}

TEST(reduce_api, takes_an_initial_value_where_one_makes_sense) {
  const std::vector<std::int32_t> x{3, 1, 2};
  reduce_options options;
  options.initial = 100;
  EXPECT_EQ(reduce(op_kind::sum, make_view(x.data(), {3}), options).value<std::int64_t>(), 106);
  EXPECT_EQ(reduce(op_kind::max, make_view(x.data(), {3}), options).value<std::int32_t>(), 100);
  EXPECT_EQ(reduce(op_kind::min, make_view(x.data(), {0}), options).value<std::int32_t>(), 100);
  EXPECT_THROW(reduce(op_kind::mean, make_view(x.data(), {3}), options), unsupported_error);
  options.initial = {true, false, 0, 0.5};
  EXPECT_THROW(reduce(op_kind::sum, make_view(x.data(), {3}), options), unsupported_error);
}

TEST(reduce_api, empty_arrays) {
  const float* none = nullptr;
  EXPECT_EQ(reduce(op_kind::sum, make_view(none, {0})).value<float>(), 0.0f);
  EXPECT_EQ(reduce(op_kind::prod, make_view(none, {0})).value<float>(), 1.0f);
  EXPECT_TRUE(std::isnan(reduce(op_kind::mean, make_view(none, {0})).value<float>()));
  EXPECT_THROW(reduce(op_kind::min, make_view(none, {0})), shape_error);
  EXPECT_THROW(reduce(op_kind::argmax, make_view(none, {0})), shape_error);
}

// 1 is far below what double keeps beside 2^60.
TEST(reduce_api, exact_sums_are_correctly_rounded) {
  const std::vector<float> x{0x1p60f, 1, -0x1p60f, 2};
  reduce_options exact;
  exact.engine = engine_choice::host;
  exact.wanted = accuracy::exact;
  const auto sum = reduce(op_kind::sum, make_view(x.data(), {4}), exact);
  EXPECT_EQ(sum.value<float>(), 3.0f);
  EXPECT_EQ(sum.achieved, accuracy::exact);
  EXPECT_EQ(reduce(op_kind::mean, make_view(x.data(), {4}), exact).value<float>(), 0.75f);
}

TEST(reduce_api, refuses_what_it_cannot_do) {
  const std::vector<float> x{1, 2, 3};
  const array_view view = make_view(x.data(), {3});
  reduce_options exact;
  exact.wanted = accuracy::exact;
  EXPECT_THROW(reduce(op_kind::prod, view, exact), unsupported_error);
  EXPECT_EQ(reduce(op_kind::max, view, exact).achieved, accuracy::exact);
  reduce_options integer;
  integer.result = dtype::i32;
  EXPECT_THROW(reduce(op_kind::sum, view, integer), unsupported_error);
  reduce_options axis;
  axis.axes = {{1}};
  EXPECT_THROW(reduce(op_kind::sum, view, axis), shape_error);
  array_view on_device = view;
  on_device.where = place::device;
  reduce_options host;
  host.engine = engine_choice::host;
  EXPECT_THROW(reduce(op_kind::sum, on_device, host), unsupported_error);
}

TEST(reduce_api, refuses_negative_resources) {
  const std::vector<float> x(10, 1.0f);
  floats source(x, {10});
  reduce_options threads, memory;
  threads.threads = -1;
  memory.memory_bytes = -1;
  for (const reduce_options& options : {threads, memory}) {
    EXPECT_THROW(reduce(op_kind::sum, make_view(x.data(), {10}), options), unsupported_error);
    EXPECT_THROW(reduce(op_kind::sum, source, options), unsupported_error);
    EXPECT_THROW(plan_for(op_kind::sum, make_view(x.data(), {10}), options), unsupported_error);
  }
}

TEST(reduce_api, an_integer_result_that_does_not_fit_is_an_error) {
  const std::vector<std::int64_t> x(3, INT64_MAX);
  EXPECT_THROW(reduce(op_kind::sum, make_view(x.data(), {3})), overflow_error);
  reduce_options wide;
  wide.result = dtype::f64;
  EXPECT_EQ(reduce(op_kind::sum, make_view(x.data(), {3}), wide).value<double>(), 3 * 0x1p63);
}

TEST(reduce_api, an_engine_is_chosen_by_option_then_environment) {
  const std::vector<float> x{1, 2, 3};
  const array_view view = make_view(x.data(), {3});
  reduce_options device;
  device.engine = engine_choice::device;
  const engine_variable host("host");
  EXPECT_EQ(reduce(op_kind::sum, view).engine, "host");
  if (has_gpu()) EXPECT_EQ(reduce(op_kind::sum, view, device).engine, "device");
  else EXPECT_THROW(reduce(op_kind::sum, view, device), engine_error);
  const engine_variable nonsense("abacus");
  EXPECT_THROW(reduce(op_kind::sum, view), engine_error);
}

TEST(reduce_api, both_engines_give_the_same_answer_for_host_arrays) {
  if (!has_gpu()) GTEST_SKIP() << "no GPU: " << engines().front().reason;
  std::vector<std::int16_t> x(5'000'000);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<std::int16_t>(i * 40503);
  const array_view view = make_view(x.data(), {2500, 2000});
  for (op_kind op : all_ops) {
    if (op == op_kind::prod) continue;  // overflows
    for (const axes& reduced : {axes(), axes{0}, axes{1}}) {
      reduce_options host, device;
      host.axes = device.axes = reduced;
      host.engine = engine_choice::host;
      device.engine = engine_choice::device;
      EXPECT_EQ(reduce(op, view, host).data, reduce(op, view, device).data) << name(op);
    }
  }
}

TEST(reduce_api, pageable_arrays_are_staged_and_nothing_else) {
  if (!has_gpu()) GTEST_SKIP() << "no GPU: " << engines().front().reason;
  const std::vector<float> x(3'000'000, 1);
  const array_view view = make_view(x.data(), {3'000'000});
  reduce_options options;
  options.engine = engine_choice::device;
  const reduce_result r = reduce(op_kind::sum, view, options);
  EXPECT_EQ(r.value<float>(), 3'000'000.0f);
  EXPECT_EQ(r.way, transfer::staged);
  EXPECT_EQ(r.note, "");
  floats source(x, {3'000'000});
  for (const transfer way : {transfer::copy, transfer::mapped}) {
    options.way = way;
    EXPECT_THROW(reduce(op_kind::sum, view, options), unsupported_error);
    EXPECT_THROW(reduce(op_kind::sum, source, options), unsupported_error);
  }
}

TEST(reduce_api, the_host_engine_reads_arrays_where_they_are) {
  const std::vector<float> x{1, 2, 3};
  reduce_options options;
  options.engine = engine_choice::host;
  options.way = transfer::mapped;
  const reduce_result r = reduce(op_kind::sum, make_view(x.data(), {3}), options);
  EXPECT_EQ(r.value<float>(), 6.0f);
  EXPECT_EQ(r.way, transfer::automatic);
}

TEST(reduce_api, names) {
  EXPECT_EQ(name(accuracy::exact), "exact");
  EXPECT_EQ(name(engine_choice::automatic), "auto");
  EXPECT_EQ(parse_engine("device"), engine_choice::device);
  EXPECT_EQ(parse_engine("both"), engine_choice::both);
  EXPECT_EQ(parse_engine("cpu"), engine_choice::host);
  EXPECT_EQ(parse_engine("gpu"), engine_choice::device);
  EXPECT_EQ(parse_engine("cuda"), engine_choice::device);
  EXPECT_FALSE(parse_engine("abacus"));
  for (const transfer way : {transfer::automatic, transfer::staged, transfer::copy, transfer::mapped}) {
    EXPECT_EQ(parse_transfer(name(way)), way);
  }
  EXPECT_EQ(name(transfer::automatic), "auto");
  EXPECT_FALSE(parse_transfer("teleport"));
  ASSERT_EQ(engines().size(), 2u);
  EXPECT_EQ(engines()[1].name, "host");
  EXPECT_TRUE(engines()[1].supported);
}

}  // namespace
}  // namespace multifold
