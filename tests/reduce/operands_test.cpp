// Two arrays or two sources that do not fit each other, options that an operation refuses, and messages about both.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "multifold/multifold.hpp"
#include "reduce/sources/vector_source.hpp"

namespace multifold {
namespace {

reduce_options on_host() {
  reduce_options options;
  options.engine = engine_choice::host;
  return options;
}

// The message of the E that `work` throws.
template <class E, class Work>
std::string message_of(const Work& work) {
  try {
    work();
  } catch (const E& e) {
    return e.what();
  } catch (const std::exception& e) {
    return std::string("another error: ") + e.what();
  }
  return "no error";
}

const std::vector<float> six{1, 2, 3, 4, 5, 6};
const std::vector<double> wide{1, 2, 3, 4, 5, 6};

array_view view(std::vector<std::int64_t> extents, std::vector<std::int64_t> strides) {
  return {six.data(), dtype::f32, std::move(extents), std::move(strides)};
}

TEST(operands, have_one_dtype_and_one_shape) {
  const array_view x = make_view(six.data(), {2, 3});
  EXPECT_EQ(message_of<shape_error>([&] {
              reduce(op_kind::dot, x, make_view(wide.data(), {2, 3}));
            }),
            "dot takes two arrays of one dtype; found f32 and f64");
  EXPECT_EQ(message_of<shape_error>([&] {
              reduce(op_kind::cov, x, make_view(six.data(), {3, 2}));
            }),
            "cov takes two arrays of one shape; found (2, 3) and (3, 2)");
  EXPECT_EQ(message_of<shape_error>([&] { reduce(op_kind::cov, x, make_view(six.data(), {6})); }),
            "cov takes two arrays of one shape; found (2, 3) and (6,)");
}

TEST(operands, have_one_order_in_memory_but_for_the_host_engine) {
  const array_view x = view({2, 3}, {3, 1});
  reduce_options options;
  options.engine = engine_choice::device;
  EXPECT_EQ(
      message_of<unsupported_error>([&] {
        reduce(op_kind::dot, x, view({2, 3}, {1, 2}), options);
      }),
      "dot takes two arrays of one order in memory; found C order and Fortran order: copy one to the other's order");
  EXPECT_EQ(message_of<unsupported_error>([&] {
              reduce(op_kind::dot, view({2, 2}, {0, 2}), view({2, 2}, {1, -1}), options);
            }),
            "dot takes two arrays of one order in memory; found strides (0, 2) and strides (1, -1): "
            "copy one to the other's order");
  EXPECT_EQ(message_of<shape_error>([&] {
              reduce(op_kind::dot, x, view({2, 3}, {3}));
            }),
            "dot takes two arrays with a stride an axis; found 2 and 1 strides");
  EXPECT_THROW(reduce(op_kind::dot, view({2, 3}, {3}), view({2, 3}, {3})), shape_error);
}

TEST(operands, may_differ_where_strides_mean_nothing) {
  EXPECT_EQ(reduce(op_kind::dot, view({1, 6}, {77, 1}), view({1, 6}, {-3, 1}), on_host()).value<float>(), 91.0f);
  EXPECT_EQ(reduce(op_kind::dot, view({0, 6}, {6, 1}), view({0, 6}, {1, 0}), on_host()).value<float>(), 0.0f);
}

TEST(operands, lie_in_one_place) {
  array_view x = view({6}, {1}), y = x;
  y.where = place::device;
  EXPECT_NE(message_of<unsupported_error>([&] { reduce(op_kind::dot, x, y); }).find("in one place"), std::string::npos);
  x.where = place::device;
  EXPECT_THROW(reduce(op_kind::dot, x, y, on_host()), unsupported_error);
}

TEST(operands, are_as_many_as_the_operation_takes) {
  const array_view x = view({6}, {1});
  vector_source<float> a(six, {6}, "a"), b(six, {6}, "b");
  EXPECT_EQ(message_of<unsupported_error>([&] { reduce(op_kind::cov, x); }), "cov takes two arrays, and one was given");
  EXPECT_EQ(message_of<unsupported_error>([&] { reduce(op_kind::sum, x, x); }),
            "sum takes one array, and two were given");
  EXPECT_THROW(reduce(op_kind::dot, a), unsupported_error);
  EXPECT_THROW(reduce(op_kind::describe, a, b), unsupported_error);
}

TEST(operands, that_are_sources_are_named) {
  vector_source<float> x(six, {2, 3}, "x.npy"), turned(six, {3, 2}, "turned.npy"),
      columns(six, {2, 3}, "columns.npy", true);
  vector_source<double> other(wide, {2, 3}, "other.npy");
  EXPECT_EQ(message_of<shape_error>([&] { reduce(op_kind::dot, x, other); }),
            "x.npy and other.npy: dot takes two arrays of one dtype; found f32 and f64");
  EXPECT_EQ(message_of<shape_error>([&] { reduce(op_kind::dot, turned, x); }),
            "turned.npy and x.npy: dot takes two arrays of one shape; found (3, 2) and (2, 3)");
  EXPECT_EQ(message_of<unsupported_error>([&] { reduce(op_kind::dot, x, columns); }),
            "x.npy and columns.npy: dot takes two arrays of one order in memory; found C order and Fortran order: copy "
            "one to the other's order");
}

TEST(operands, have_lengths_that_are_known) {
  vector_source<float> x(six, {6}, "x.bin"), pipe(six, {-1}, "-");
  const std::string wanted =
      "standard input: dot takes arrays whose lengths are known before they are read: say raw_options::extents";
  EXPECT_EQ(message_of<unsupported_error>([&] { reduce(op_kind::dot, x, pipe); }), wanted);
  EXPECT_EQ(message_of<unsupported_error>([&] { reduce(op_kind::dot, pipe, x); }), wanted);
}

TEST(operands, that_end_early_are_named) {
  vector_source<float> x(six, {6}, "x.bin"), half({1, 2, 3}, {6}, "half.bin");
  for (const bool first : {true, false}) {
    const auto work = [&] {
      first ? reduce(op_kind::dot, half, x, on_host()) : reduce(op_kind::dot, x, half, on_host());
    };
    EXPECT_EQ(message_of<format_error>(work).substr(0, 10), "half.bin: ");
  }
}

TEST(operands, options_that_are_refused) {
  const array_view x = view({6}, {1});
  reduce_options correction, negative, initial, state;
  correction.correction = 1;
  negative.correction = -1;
  initial.initial = {true, true, 1, 1.0};
  state.keep_state = true;
  EXPECT_EQ(message_of<unsupported_error>([&] { reduce(op_kind::norm2, x, correction); }),
            "norm2 takes no correction: var, std, cov and describe do");
  EXPECT_EQ(message_of<unsupported_error>([&] { reduce(op_kind::var, x, negative); }),
            "the correction is -1; expected 0 or more");
  EXPECT_EQ(message_of<unsupported_error>([&] { reduce(op_kind::dot, x, x, initial); }),
            "dot takes no initial value: sum, prod, min and max do");
  EXPECT_EQ(message_of<unsupported_error>([&] { reduce(op_kind::prod, x, state); }),
            "a state of this prod of f32 is not served: it is rounded on the way, as products of floating point are");
  state.wanted = accuracy::fast;
  EXPECT_EQ(message_of<unsupported_error>([&] { reduce(op_kind::mean, x, state); }),
            "a state of this mean of f32 is not served: it is rounded on the way with accuracy fast: ask for exact");
}

TEST(operands, stay_exact_whatever_is_asked_for) {
  const array_view x = view({6}, {1});
  reduce_options fast = on_host();
  fast.wanted = accuracy::fast;
  EXPECT_EQ(reduce(op_kind::dot, x, x, fast).achieved, accuracy::exact);
  EXPECT_EQ(reduce(op_kind::describe, x, fast).achieved, accuracy::exact);
}

}  // namespace
}  // namespace multifold
