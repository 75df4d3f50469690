// Rung 14: the exact result.
//
// All rungs below round at each addition, so they differ from each other and from the sum of the elements. multifold
// adds without rounding, and rounds once, at the end: the result is the number nearest to the sum, whatever the order.
// So it has the same bits in any grid, on a CPU, and for all time. Its kernels read memory as rung 11 does. What a
// thread adds to is a pair of numbers or several, which lose nothing, and what a block leaves is a wide accumulator.
// A plan says which kernels run on which grid; the work itself is enqueued on a stream, like any launch.
#pragma once

#include <memory>

#include "common.cuh"
#include "multifold/cuda/buffer.hpp"
#include "multifold/cuda/reduce_async.hpp"
#include "multifold/cuda/traits.hpp"
#include "multifold/plan.hpp"

namespace multifold::ladder::gpu {

/// The plan of a run and the memory that it needs. The result has the type of Op's accumulators.
template <class Op>
class exact {
 public:
  explicit exact(const run<Op>& r) : r_(r), plan_(plan_of(r)), workspace_(plan_.workspace_bytes()) {}

  void launch() const { cuda::reduce_async(plan_, {r_.x, r_.y}, r_.result, workspace_.bytes(), r_.stream); }

 private:
  static plan plan_of(const run<Op>& r) {
    const reduction what = make_reduction(Op::kind, dtype_of<typename Op::value_type>);
    const array_view all = make_view(r.x, {r.count}, place::device);
    return make_plan(what, normalise(all, {0}, order_of(Op::kind)), {}, cuda::device_traits());
  }

  const run<Op> r_;
  const plan plan_;
  const cuda::device_buffer workspace_;
};

}  // namespace multifold::ladder::gpu
