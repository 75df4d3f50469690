// Views as people make them (transposed, sliced, flipped, repeated) on the GPU: every operation and element type, tame
// data and data that narrow kernels lose, against the interpreter.
#include <array>
#include <cstdint>
#include <iterator>
#include <string>
#include <vector>

#include "core/random_view.hpp"
#include "device/device_fixture.hpp"
#include "device/exact/device_data.hpp"
#include "multifold/error.hpp"

namespace multifold::device_tests {
namespace {

using testing_views::make_random_view;
using testing_views::random_axes;
using testing_views::random_view;

class views_on_device : public device_test {
 protected:
  random_engine rng{17};

  void expect_agreement(const reduction& what, const random_view& made, const std::vector<std::int64_t>& axes,
                        data_family family) {
    SCOPED_TRACE(std::string(name(what.op)) + " of " + std::string(name(what.input)) + ", extents " +
                 to_string(made.view.extents) + ", strides " + to_string(made.view.strides) + ", axes " +
                 to_string(axes) + ", data: " + std::string(name(family)));
    const auto elements = [&] {
      return is_floating(what.input) ? exact_elements(what.input, made.buffer_elements, family, rng)
                                     : random_elements(what.input, made.buffer_elements, what.op, rng);
    };
    const std::vector<std::byte> x = elements(), y = elements();
    const batches form = normalise(made.view, axes, order_of(what.op));
    if (form.length == 0 && form.results() > 0 && !has_identity(what.op)) return;
    const plan p = make_plan(what, form, {}, cuda::device_traits());
    const device_array x_there(x), y_there(y);
    const std::int64_t first = made.first * item_bytes(what.input);
    const auto at = [&](const void* data) -> const void* { return static_cast<const std::byte*>(data) + first; };
    const operands here(at(x.data()), at(y.data())), there(at(x_there.data()), at(y_there.data()));
    std::vector<std::byte> expected;
    try {
      expected = run_interpreted(p, here);
    } catch (const overflow_error&) {
      EXPECT_THROW(run_on_device(p, there), overflow_error);
      return;
    } catch (const shape_error&) {  // a minimum of nothing but omitted elements
      EXPECT_THROW(run_on_device(p, there), shape_error);
      return;
    }
    ASSERT_EQ(run_on_device(p, there), expected) << explain(p);
  }
};

random_view dense_view(dtype type, std::vector<std::int64_t> extents, std::vector<std::int64_t> strides) {
  random_view made;
  made.view.type = type;
  made.view.extents = std::move(extents);
  made.view.strides = std::move(strides);
  made.buffer_elements = made.view.elements();
  return made;
}

// Products of floating point round on the way, along another tree than the interpreter's.
bool same_bits_everywhere(op_kind op, dtype type) { return op != op_kind::prod || !is_floating(type); }

TEST_F(views_on_device, at_random) {
  const std::array families{data_family::normal, data_family::wide, data_family::any_bits, data_family::specials};
  for (int turn = 0; turn < 6000; ++turn) {
    const op_kind op = all_ops[rng() % std::size(all_ops)];
    const dtype type = all_dtypes[rng() % std::size(all_dtypes)];
    if (!same_bits_everywhere(op, type)) continue;
    const random_view made = make_random_view(rng, type, turn % 10 == 0 ? 6000 : 600);
    const nan_policy nan = rng() % 4 == 0 && is_floating(type) ? nan_policy::omit : nan_policy::propagate;
    const std::vector<std::int64_t> axes = random_axes(rng, made.view.rank());
    ASSERT_NO_FATAL_FAILURE(expect_agreement(make_reduction(op, type, nan), made, axes, families[rng() % 4]));
  }
}

// Kept axes whose order in memory is not that of the results, as few and as many as kernels tell apart.
TEST_F(views_on_device, of_transposed_arrays) {
  struct transposed {
    std::vector<std::int64_t> extents, strides, axes;
  };
  const std::vector<transposed> shapes{
      {{16, 416, 33, 3}, {1, 1584, 16, 528}, {-3, -1}},
      {{3, 1572}, {1, 3}, {}},
      {{2, 1303, 1}, {1, 2, 1}, {}},
      {{40, 90, 70}, {1, 2800, 40}, {1}},
      {{5, 300}, {1, 5}, {}},
  };
  for (const transposed& shape : shapes) {
    for (const op_kind op : all_ops) {
      for (const dtype type : {dtype::u64, dtype::i8, dtype::f16, dtype::f32, dtype::f64}) {
        if (!same_bits_everywhere(op, type)) continue;
        const random_view made = dense_view(type, shape.extents, shape.strides);
        for (const data_family family : {data_family::wide, data_family::specials}) {
          if (!is_floating(type) && family != data_family::wide) continue;
          ASSERT_NO_FATAL_FAILURE(expect_agreement(make_reduction(op, type), made, shape.axes, family));
        }
      }
    }
  }
}

class views_Sanitized : public views_on_device {};

TEST_F(views_Sanitized, at_random) {
  for (int turn = 0; turn < 120; ++turn) {
    const op_kind op = all_ops[rng() % std::size(all_ops)];
    const dtype type = all_dtypes[rng() % std::size(all_dtypes)];
    if (!same_bits_everywhere(op, type)) continue;
    const random_view made = make_random_view(rng, type);
    const std::vector<std::int64_t> axes = random_axes(rng, made.view.rank());
    ASSERT_NO_FATAL_FAILURE(expect_agreement(make_reduction(op, type), made, axes, data_family::wide));
  }
}

}  // namespace
}  // namespace multifold::device_tests
