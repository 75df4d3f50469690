// Accumulators as the elements of a further reduction: what passes over partial results fold.
#pragma once

#include "multifold/ops.hpp"

namespace multifold::inline v0_1 {

/// An operation whose accumulators know the index of an element, and where that is if the whole batch starts later.
template <class Op>
concept keeps_index = requires(const Op op, typename Op::accumulator a, std::int64_t by) {
  { op.moved(a, by) } -> std::same_as<typename Op::accumulator>;
};

/// What passes over accumulators fold: `op`, or, with the same results, what many operations have in common there.
template <class Op>
MULTIFOLD_HD constexpr auto merging(const Op& op) {
  if constexpr (requires { op.merging(); }) return op.merging();
  else return op;
}

/// `op` over its own accumulators. Their indices count from the index that an accumulator comes with.
template <class Op>
struct merge_of {
  using value_type = typename Op::accumulator;
  using accumulator = typename Op::accumulator;
  static constexpr int most_columns = 1;
  Op op;

  MULTIFOLD_HD accumulator identity() const { return op.identity(); }
  MULTIFOLD_HD accumulator lift(const value_type& a, std::int64_t index) const {
    if constexpr (keeps_index<Op>) return op.moved(a, index);
    else return a;
  }
  MULTIFOLD_HD accumulator combine(const accumulator& a, const accumulator& b) const { return op.combine(a, b); }
  MULTIFOLD_HD decltype(auto) lower(const accumulator& a, std::int64_t count) const { return op.lower(a, count); }
};

}  // namespace multifold::inline v0_1
