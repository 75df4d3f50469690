// What the kernels of exact sums do with a batch: round it to the result, merge it, or have it added again.
#pragma once

#include <cstdint>

#include "device/exact/fixed_sum.cuh"
#include "device/exact/words.cuh"
#include "device/output.cuh"
#include "multifold/exact/near.hpp"
#include "multifold/ops/gathered_sum.hpp"

namespace multifold::cuda::exact {

using cuda::detail::built_in_output;
using cuda::detail::result_layout;
using multifold::detail::near_quotient;
using multifold::detail::nearest;
using multifold::detail::round_if_certain;

/// Batches whose accumulators were lost: a bit each. Long ones are added by many blocks, into words of their own.
struct lost_batches {
  unsigned* bits;
  std::int64_t* words;  // words<T>::count a batch, if long; not cleared until a batch is lost
  unsigned* arrivals;   // as well
};

// Out of line, like all that is a lot of code and rarely needed.
template <floating_storage T>
__device__ __noinline__ void store_exactly(op_kind op, const exact_sum<T>& sum, const initial_value& initial,
                                           dtype type, void* out) {
  store(finish_scalar(op, sum, initial), type, out);
}

__device__ __noinline__ inline void round_and_store(const exact_value& value, dtype type, void* out) {
  round_to(value, type, out);
}

// The sum of `count` elements that is not lost, as it is merged.
template <floating_storage T>
__device__ __noinline__ exact_sum<T> exact_of(const fixed_sum& fixed, std::int64_t count) {
  constexpr int half = 62;
  exact_sum<T> sum;
  sum.add_counts({count, 0, 0, 0, count > 0 && fixed.other()});
  sum.add_quanta(static_cast<std::int64_t>(fixed.value & ((int128_t{1} << half) - 1)), fixed.exponent);
  sum.add_quanta(static_cast<std::int64_t>(fixed.value >> half), fixed.exponent + half);
  return sum;
}

template <floating_storage T>
struct exact_output {
  built_in_output to;
  lost_batches lost;
  bool is_long;

  /// The sum of a batch, whole.
  __device__ void deliver(std::int64_t batch, const exact_sum<T>& sum) const {
    if (refused()) return;
    const std::int64_t place = to.layout.at(batch);
    if (to.merge) {
      static_cast<exact_sum<T>*>(to.data)[place].merge(sum);
      return;
    }
    store_exactly<T>(to.op, sum, to.initial, to.result, static_cast<char*>(to.data) + place * item_bytes(to.result));
    if (to.only) *to.status_word = static_cast<std::uint32_t>(status::ok);
  }

  /// The same, from words that hold it and are not needed any more: one thread, some hundred nanoseconds.
  __device__ __noinline__ void deliver(std::int64_t batch, std::int64_t* w, std::int64_t length, nan_policy nan) const {
    using at = words<T>;
    if (to.merge || to.initial.given) return deliver(batch, sum_of<T>(w, length, nan));
    if (refused()) return;
    const bool omit = nan == nan_policy::omit;
    const std::int64_t n = length - (omit ? w[at::nan] : 0);
    exact_value value;
    if ((w[at::nan] != 0 && !omit) || (w[at::positive_infinity] != 0 && w[at::negative_infinity] != 0)) {
      value = exact_value::of_nan();
    } else if (w[at::positive_infinity] != 0 || w[at::negative_infinity] != 0) {
      value = exact_value::of_infinity(w[at::negative_infinity] != 0);
    } else {
      value = leading_of<T>(w);
      if (value.zero()) value.negative = n > 0 && w[at::not_negative_zero] == 0;
      if (to.op == op_kind::mean) value = n > 0 ? exact_quotient(value, n) : exact_value::of_nan();
    }
    round_and_store(value, to.result, static_cast<char*>(to.data) + to.layout.at(batch) * item_bytes(to.result));
    if (to.only) *to.status_word = static_cast<std::uint32_t>(status::ok);
  }

  /// The same, from a sum in fixed point that is not lost.
  __device__ __noinline__ void deliver(std::int64_t batch, fixed_sum sum) const {
    const std::int64_t n = to.count;
    if (to.merge || to.initial.given || n == 0) return deliver(batch, exact_of<T>(sum, n));
    if (refused()) return;
    exact_value value = value_of(sum);
    if (to.op == op_kind::mean) value = exact_quotient(value, n);
    const std::int64_t place = to.layout.at(batch);
    round_and_store(value, to.result, static_cast<char*>(to.data) + place * item_bytes(to.result));
    if (to.only) *to.status_word = static_cast<std::uint32_t>(status::ok);
  }

  __device__ void mark_lost(std::int64_t batch) const {
    if (is_long) {
      for (int i = 0; i < words<T>::count; ++i) lost.words[batch * words<T>::count + i] = 0;
      lost.arrivals[batch] = 0;
    }
    atomicOr(lost.bits + batch / 32, 1u << (batch % 32));
  }

  __device__ void operator()(const pair_sum<T>&, std::int64_t batch, const exact_pair& pair) const {
    if (pair.lost()) return mark_lost(batch);
    if (!store_pair(batch, pair, to.count)) deliver_pair(batch, pair, to.count);
  }
  __device__ void operator()(const expansion_sum<T>& fold, std::int64_t batch,
                             const typename expansion_sum<T>::accumulator& sum) const {
    if (sum.lost()) return mark_lost(batch);
    if (!sum.wide()) {
      const exact_pair pair{sum.part[0], sum.part[1]};
      if (!store_pair(batch, pair, to.count)) deliver_pair(batch, pair, to.count);
    } else if (!store_wide(batch, sum)) {
      deliver_wide(batch, sum);
    }
  }
  __device__ void operator()(const pair_sum_omit<T>&, std::int64_t batch,
                             const typename pair_sum_omit<T>::accumulator& value) const {
    if (value.pair.lost()) return mark_lost(batch);
    if (!store_pair(batch, value.pair, value.count)) deliver_pair(batch, value.pair, value.count);
  }
  __device__ void operator()(const exact_float_sum<T>&, std::int64_t batch, const exact_sum<T>& sum) const {
    deliver(batch, sum);
  }
  template <class Half>
  requires(std::is_same_v<typename Half::value_type, f16>)  //
      __device__ void
      operator()(const Half& fold, std::int64_t batch, const typename Half::accumulator& value) const {
    deliver(batch, fold.lower(value, to.count));
  }

 private:
  // Whether there is no result, because somebody's count is wrong.
  __device__ bool refused() const {
    if (to.count.in_range()) return false;
    if (to.only) *to.status_word = static_cast<std::uint32_t>(status::bad_count);
    return true;
  }

  __device__ void deliver_pair(std::int64_t batch, const exact_pair& pair, std::int64_t count) const {
    if (to.merge || to.initial.given || count == 0) return deliver(batch, pair_sum<T>{}.lower(pair, count));
    if (refused()) return;
    exact_value value = value_of(pair);
    if (to.op == op_kind::mean) value = exact_quotient(value, count);
    round_and_store(value, to.result, static_cast<char*>(to.data) + to.layout.at(batch) * item_bytes(to.result));
    if (to.only) *to.status_word = static_cast<std::uint32_t>(status::ok);
  }

  // By value, as all that goes out of line: a sum whose address is taken lies in memory from its first element on.
  __device__ __noinline__ void deliver_wide(std::int64_t batch, typename expansion_sum<T>::accumulator sum) const {
    deliver(batch, expansion_sum<T>{}.lower(sum, to.count));
  }

  // Of a copy: settling may overflow.
  __device__ bool store_wide(std::int64_t batch, typename expansion_sum<T>::accumulator sum) const {
    if (!to.plain || to.merge || to.op == op_kind::mean || !sum.settle()) return false;
    if (sum.part[0] == 0) return false;
    static_cast<T*>(to.data)[to.layout.at(batch)] = multifold::detail::nearest_of_settled<T>(sum);
    if (to.only) *to.status_word = static_cast<std::uint32_t>(status::ok);
    return true;
  }

  // A few instructions for sums and means in their own dtype: short rows have one for every few elements.
  __device__ bool store_pair(std::int64_t batch, const exact_pair& pair, std::int64_t count) const {
    if (!to.plain || to.merge || count == 0) return false;
    T* const out = static_cast<T*>(to.data) + to.layout.at(batch);
    if (to.op == op_kind::mean) {
      if (!round_if_certain(near_quotient(pair, count), *out)) return false;
    } else {
      *out = nearest<T>(pair);
    }
    if (to.only) *to.status_word = static_cast<std::uint32_t>(status::ok);
    return true;
  }
};

/// What becomes of short rows in their own dtype, without an initial value: nothing but a few instructions. A result
/// for every few elements is written here, so a kernel that can do more is slower even where it does not.
template <floating_storage T, bool Mean>
struct short_row_output {
  T* results;
  result_layout layout;
  unsigned* lost;
  std::int64_t count;
  double reciprocal;  // of the count

  __device__ void operator()(const range_sum<T>& fold, std::int64_t batch,
                             const typename range_sum<T>::accumulator& value) const {
    const exact_pair pair = fold.pair(value, count);
    const T result = nearest<T>(Mean ? quotient(pair.high) : pair.high);
    if (!pair.lost()) results[layout.at(batch)] = result;
    else atomicOr(lost + batch / 32, 1u << (batch % 32));
  }

 private:
  // To odd, for the one rounding behind it. The remainder is exact, and one step by it makes the quotient the nearest
  // one, or leaves it beside that (Markstein, IBM Journal of Research and Development 34, 1990): what is left then says
  // on which side the quotient lies.
  __device__ double quotient(double sum) const {
    const auto n = static_cast<double>(count);
    const double first = sum * reciprocal;
    const double rest = fma(-first, n, sum);
    const double near = rest == 0 ? first : fma(rest, reciprocal, first);  // -0 keeps its sign
    return multifold::detail::rounded_to_odd({near, fma(-near, n, sum) * reciprocal});
  }
};

}  // namespace multifold::cuda::exact
