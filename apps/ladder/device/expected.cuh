// What a rung's result is held to: the exact result, by multifold, and what an order of additions may be off by.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "judge.hpp"
#include "multifold/cuda/buffer.hpp"
#include "multifold/cuda/reduce_async.hpp"
#include "multifold/cuda/stream.hpp"
#include "multifold/cuda/traits.hpp"
#include "multifold/plan.hpp"
#include "rungs/common.cuh"

namespace multifold::ladder::gpu {

/// The type that multifold has for an accumulator's: 64-bit integers go by two names.
template <class Acc>
using stored = std::conditional_t<std::is_same_v<Acc, long long>, std::int64_t, Acc>;

template <class Op>
struct expectation {
  truth exact;
  typename Op::acc rounded = {};  // the exact result, rounded once
};

/// multifold's own result, as Value.
template <class Value>
Value exactly(op_kind op, dtype input, const operands& data, std::int64_t count) {
  reduction what = make_reduction(op, input);
  what.result = dtype_of<Value>;
  const array_view all = make_view(data.x, input, {count}, place::device);
  const plan p = make_plan(what, normalise(all, {0}, order_of(op)), {}, cuda::device_traits());
  const cuda::device_buffer workspace(p.workspace_bytes()), result(sizeof(Value));
  const cuda::stream stream;
  cuda::reduce_async(p, data, result.data(), workspace.bytes(), stream.get());
  check_status(cuda::status_of(workspace.bytes(), stream.get()), what);
  Value value;
  check(cudaMemcpy(&value, result.data(), sizeof value, cudaMemcpyDeviceToHost));
  return value;
}

/// Of arrays in device memory that no work is being done on.
template <class Op>
expectation<Op> expect(elements<Op> in, std::int64_t count) {
  using value = typename Op::value_type;
  const dtype type = dtype_of<value>;
  const operands data{in.x, in.y};
  expectation<Op> e;
  e.rounded = exactly<stored<typename Op::acc>>(Op::kind, type, data, count);
  if constexpr (std::is_integral_v<value>) {
    e.exact.integer = e.rounded;
    e.exact.value = static_cast<double>(e.rounded);
  } else {
    const auto real = [&](op_kind op, const operands& of) { return exactly<double>(op, type, of, count); };
    e.exact.value = real(Op::kind, data);
    // By Cauchy and Schwarz, the magnitudes of products add up to no more than this.
    if (Op::two_arrays) e.exact.magnitudes = real(op_kind::norm2, in.x) * real(op_kind::norm2, in.y);
    else e.exact.magnitudes = real(op_kind::norm1, in.x);
  }
  return e;
}

/// Whether `value` is within the bound of a sum in which no element goes through more than `additions` roundings: each
/// is off by u times what it adds up to at most, so that all of them are off by additions * u * (sum of magnitudes).
/// Integers, extremes, and sums without roundings have to be equal.
template <class Op>
bool is_right(const expectation<Op>& e, typename Op::acc value, std::int64_t additions) {
  if (std::is_integral_v<typename Op::acc> || Op::kind == op_kind::max || additions == 0) return value == e.rounded;
  const double u = unit_roundoff(dtype_of<stored<typename Op::acc>>);
  // One more for each product, one for the result in f64; and the bound is itself computed with roundings.
  const double bound = 1.001 * (static_cast<double>(additions) + 2) * u * e.exact.magnitudes;
  return std::fabs(static_cast<double>(value) - e.exact.value) <= bound;
}

/// The distance in units of the last place; of integers, their difference.
template <class Op>
double ulps_off(const expectation<Op>& e, typename Op::acc value) {
  if constexpr (std::is_integral_v<typename Op::acc>) {
    return std::fabs(static_cast<double>(value) - static_cast<double>(e.rounded));
  } else {
    return ulps_between(static_cast<double>(value), e.exact.value, dtype_of<stored<typename Op::acc>>);
  }
}

// The most additions that an element goes through, by rung.

/// One after the other, in whatever order.
template <class Op>
std::int64_t all_additions(const run<Op>& r) {
  return r.count;
}

/// A tree of blocks that make one of 8 elements a thread at most: fewer than 8 and log2(threads) additions a pass.
template <class Op>
std::int64_t tree_additions(const run<Op>& r) {
  return std::min<std::int64_t>(r.count, 256);
}

/// A grid as large as the GPU, or rows of at least 262,144 elements; then some trees; then what at most 64 blocks an
/// SM have left.
template <class Op>
std::int64_t grid_additions(const run<Op>& r) {
  const std::int64_t a_thread = ceil_div(r.count, std::int64_t{r.multiprocessors} * r.threads) + 262144 / r.threads;
  return std::min(r.count, a_thread + std::int64_t{64} * r.multiprocessors + 256);
}

template <class Op>
std::int64_t no_roundings(const run<Op>&) {
  return 0;
}

}  // namespace multifold::ladder::gpu
