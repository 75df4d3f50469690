// From an operation on elements of any dtype to that on those that there are.
#pragma once

#include "multifold/cuda/kernels/order_words.cuh"
#include "multifold/ops/any_element.hpp"

namespace multifold::inline v0_1::cuda::kernels {

/// Calls f(fold) with the fold of the elements of `op`, which knows at compile time what integers stand for if it
/// gathers them in lanes.
template <class Op, class F>
__device__ __forceinline__ void with_fold(const Op& op, const F& f) {
  const auto known = [&]<class Fold>(const Fold& fold) {
    if constexpr (carries_integers<Fold>) with_known_kind(fold, f);
    else f(fold);
  };
  if constexpr (folds_any_element<Op>) op.with_fold(known);
  else known(op);
}

}  // namespace multifold::inline v0_1::cuda::kernels
