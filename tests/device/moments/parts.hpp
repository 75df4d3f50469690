// Moments that are gathered in parts on the GPU, against the plan that is interpreted on the CPU.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "device/exact/expected.hpp"
#include "device/interpreted.hpp"
#include "multifold/plan/recipe.hpp"

namespace multifold::device_tests {

inline constexpr op_kind moment_ops[] = {op_kind::norm1, op_kind::norm2, op_kind::var,
                                         op_kind::dot,   op_kind::cov,   op_kind::describe};

/// Of two arrays from where their memory begins, in elements.
struct shifts {
  std::int64_t x = 0, y = 0;
};

class parts_on_device : public exact_on_device {
 protected:
  // By the blocks of one SM, which have several batches each, or parts of them. `view` is of x.
  static void expect_parts(step_kind kind, const reduction& what, const array_view& view,
                           const std::vector<std::int64_t>& axes, const std::vector<std::byte>& x,
                           const std::vector<std::byte>& y, const shifts& shift = {}) {
    engine_traits card = cuda::device_traits();
    card.units = 1;
    const plan p = make_plan(what, normalise(view, axes, order_of(what.op)), {}, card);
    const recipe made = recipe_of(p, recipe_end::results);
    ASSERT_TRUE(std::any_of(made.steps().begin(), made.steps().end(), [&](const auto& s) { return s.kind == kind; }))
        << explain(p);
    const std::int64_t item = item_bytes(what.input);
    const device_array x_there(x, shift.x * item), y_there(y, shift.y * item);
    ASSERT_EQ(run_on_device(p, {x_there.data(), y_there.data()}), run_interpreted(p, {x.data(), y.data()}))
        << explain(p);
  }
};

}  // namespace multifold::device_tests
