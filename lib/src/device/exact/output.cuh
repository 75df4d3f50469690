// What the kernels of exact sums do with a batch: round it to the result, merge it, or have it added again.
#pragma once

#include <cmath>
#include <cstdint>

#include "device/exact/fixed_sum.cuh"
#include "device/exact/half_sums.cuh"
#include "device/exact/run_sums.cuh"
#include "device/exact/short_sums.cuh"
#include "device/exact/words.cuh"
#include "device/output.cuh"
#include "multifold/exact/near/near.hpp"
#include "multifold/exact/near/near_windows.hpp"
#include "multifold/exact/near/rough_near.hpp"
#include "multifold/exact/short_sum.hpp"
#include "multifold/ops/exact_sum.hpp"
#include "multifold/ops/gathered_sum.hpp"

namespace multifold::inline v0_1::cuda::exact {

using cuda::detail::built_in_output;
using cuda::detail::result_layout;
using kernels::special_marks;
using multifold::detail::is_power_of_two;
using multifold::detail::most_odd_divisor;
using multifold::detail::near_quotient;
using multifold::detail::nearest;
using multifold::detail::odd_fraction;
using multifold::detail::round_if_certain;

/// Batches whose accumulators were lost: a bit each. If they are read again in parts, those meet in words.
struct lost_batches {
  unsigned* bits;
  std::int64_t* words;  // words<T>::count a batch, or null; not cleared until a batch is lost
  unsigned* arrivals;   // one counter a batch, likewise
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

/// 1 / x, rounded, of a positive integer, by the steps that the compiler takes for ordinary numbers. It calls a function
/// for others, and in a loop with a call there are few registers.
__device__ inline double rounded_reciprocal(double x) {
  double near;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(near) : "d"(x));
  const double error = fma(-x, near, 1.0);
  near = fma(near, fma(error, error, error), near);
  return fma(near, fma(-x, near, 1.0), near);
}

template <floating_storage T>
struct exact_output {
  built_in_output to;
  lost_batches lost;
  bool in_order = false;  // plain results without a status each, one behind the other

  /// Whether a run of tiles may be handed over as a whole batch.
  bool takes_whole_runs() const { return true; }

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
    }
    deliver_total(batch, value, n);
  }

  /// The same, from the total of `count` elements, which is neither merged nor added to anything.
  __device__ void deliver_total(std::int64_t batch, const exact_value& total, std::int64_t count) const {
    if (refused()) return;
    exact_value value = total;
    if (to.op == op_kind::mean) value = count > 0 ? exact_quotient(total, count) : exact_value::of_nan();
    round_and_store(value, to.result, static_cast<char*>(to.data) + to.layout.at(batch) * item_bytes(to.result));
    if (to.only) *to.status_word = static_cast<std::uint32_t>(status::ok);
  }

  /// The same, from a sum in fixed point that is not lost.
  __device__ __noinline__ void deliver(std::int64_t batch, fixed_sum sum) const {
    const std::int64_t n = to.count;
    if (to.merge || to.initial.given || n == 0) return deliver(batch, exact_of<T>(sum, n));
    deliver_total(batch, value_of(sum), n);
  }

  /// Whether sums are stored with no more ado: in order, and, but for means of doubles, which take a pair, or more.
  __device__ bool takes_numbers_in_order() const {
    return in_order && (to.op != op_kind::mean || (sizeof(T) < 8 && to.count.most <= most_odd_divisor));
  }
  __device__ void store_ordinary(std::int64_t batch, double sum) const {
    T* const out = static_cast<T*>(to.data) + batch;
    if (sizeof(T) < 8 && to.op == op_kind::mean) round(sum, to.count.most, out);
    else *out = nearest<T>(sum);
  }
  __device__ void store_ordinary(std::int64_t batch, const exact_pair& sum) const {
    static_cast<T*>(to.data)[batch] = nearest<T>(sum);
  }

  /// The sum of a batch without elements, where results are in order.
  __device__ bool store_nothing(std::int64_t batch) const {
    if (!in_order) return false;
    constexpr auto nan = multifold::detail::float_layout<T>::quiet_nan;
    static_cast<T*>(to.data)[batch] = bit_copy<T>(to.op == op_kind::mean ? nan : decltype(nan){0});
    return true;
  }

  /// The sum of a batch of a length of its own, a number or a pair that is not lost, where results are in order. False:
  /// it is not certain.
  template <class Sum>
  __device__ bool store_plainly(std::int64_t batch, const Sum& sum, std::int64_t length) const {
    if (length == 0) return store_nothing(batch);
    T* const out = static_cast<T*>(to.data) + batch;
    if (to.op != op_kind::mean) {
      *out = nearest<T>(sum);
      return true;
    }
    const double reciprocal = rounded_reciprocal(static_cast<double>(length));
    if constexpr (std::is_same_v<Sum, double>)
      return multifold::detail::round_mean(exact_pair{sum, 0.0}, length, reciprocal, *out);
    else return multifold::detail::round_mean(sum, length, reciprocal, *out);
  }

  /// The sum of a batch that is neither merged nor added to anything, where it is known well enough.
  __device__ bool store_near(std::int64_t batch, const multifold::detail::near_value& sum) const {
    if (!to.plain) return false;
    T& out = static_cast<T*>(to.data)[to.layout.at(batch)];
    const multifold::detail::near_value result = result_of(sum);
    bool sure = false;
    if constexpr (sizeof(T) < 8) sure = multifold::detail::round_if_near(result, out);
    if (!sure && !round_if_certain(result, out)) return false;
    if (to.only) *to.status_word = static_cast<std::uint32_t>(status::ok);
    return true;
  }
  /// The same of 0, and of one 2^up of itself.
  __device__ bool store_zero(std::int64_t batch, bool negative) const {
    if (!to.plain || to.count.most == 0) return false;
    static_cast<T*>(to.data)[to.layout.at(batch)] = nearest<T>(negative ? -0.0 : 0.0);
    if (to.only) *to.status_word = static_cast<std::uint32_t>(status::ok);
    return true;
  }
  __device__ bool store_far(std::int64_t batch, const multifold::detail::near_value& sum, int up) const {
    if constexpr (std::is_same_v<T, double>) {
      double& out = static_cast<double*>(to.data)[to.layout.at(batch)];
      if (!to.plain || !multifold::detail::round_far_if_certain(result_of(sum), up, out)) return false;
      if (to.only) *to.status_word = static_cast<std::uint32_t>(status::ok);
      return true;
    }
    return false;
  }

  __device__ void note_lost(std::int64_t batch) const {
    if (lost.words != nullptr) {
#pragma unroll 1
      for (int i = 0; i < words<T>::count; ++i) lost.words[batch * words<T>::count + i] = 0;
      lost.arrivals[batch] = 0;
    }
    atomicOr(lost.bits + batch / 32, 1u << (batch % 32));
  }
  __device__ __noinline__ void mark_lost(std::int64_t batch) const { note_lost(batch); }

  __device__ void operator()(const pair_sum<T>&, std::int64_t batch, const exact_pair& pair) const {
    if (pair.lost()) return mark_lost(batch);
    if (!store_pair(batch, pair, to.count.most)) deliver_pair(batch, pair, to.count);
  }
  __device__ void operator()(const expansion_sum<T>&, std::int64_t batch, const exact_pair& pair) const {
    (*this)(pair_sum<T>{}, batch, pair);
  }
  /// Of a sum that is a double, and finite.
  __device__ void operator()(const expansion_sum<T>&, std::int64_t batch, double sum) const {
    if (!store_number(batch, sum)) deliver_pair(batch, {sum, 0.0}, to.count);
  }
  template <int Parts>
  __device__ void operator()(const expansion_sum<T>& fold, std::int64_t batch, const expansion<Parts>& sum) const {
    if (sum.lost()) return mark_lost(batch);
    if (!sum.wide()) return (*this)(fold, batch, exact_pair{sum.part[0], sum.part[1]});
    deliver_wide(batch, sum);
  }
  __device__ void operator()(const expansion_sum<T>&, std::int64_t batch, special_marks marks) const {
    deliver_special(batch, marks);
  }
  __device__ void operator()(const pair_sum_omit<T>&, std::int64_t batch,
                             const typename pair_sum_omit<T>::accumulator& value) const {
    if (value.pair.lost()) return mark_lost(batch);
    if (!store_pair(batch, value.pair, value.count)) deliver_pair(batch, value.pair, value.count);
  }
  __device__ void operator()(const exact_float_sum<T>&, std::int64_t batch, const exact_sum<T>& sum) const {
    deliver(batch, sum);
  }
  /// Sums of a thread's columns that are numbers, pairs that are not lost, or short sums. Returns a bit for each that
  /// is not stored: they are delivered one by one.
  template <class Columns, int Width, class Sum>
  __device__ unsigned store_in_order(const Columns& columns, const kernels::whole_sums<Width, Sum>& sums) const {
    return in_order ? store_side_by_side(columns, sums) : ~0u;
  }
  template <class Columns, int Width, class Sum>
  __device__ unsigned store_side_by_side(const Columns& columns, const kernels::whole_sums<Width, Sum>& sums) const {
    T* out = static_cast<T*>(to.data) + columns.batch;
    unsigned left = 0;
#pragma unroll
    for (int j = 0; j < Width; ++j, out += columns.apart) {
      if (columns.has(j) && !round(sums.of[j], to.count.most, out)) left |= 1u << j;
    }
    return left;
  }
  /// Of f16, infinite or NaN where the sum is.
  __device__ void operator()(const half_sum& fold, std::int64_t batch, double sum) const {
    if (!store_number(batch, sum)) (*this)(fold, batch, fold.widen(sum));
  }
  template <class Half>
  requires(std::is_same_v<typename Half::value_type, f16>)  //
      __device__ void
      operator()(const Half& fold, std::int64_t batch, const typename Half::accumulator& value) const {
    const bool omits = std::is_same_v<Half, half_sum_omit>;
    if (!store_units(batch, value, omits ? value.count : std::int64_t{to.count})) {
      deliver(batch, fold.lower(value, to.count));
    }
  }

 private:
  // A sum, or the mean that it makes.
  __device__ multifold::detail::near_value result_of(const multifold::detail::near_value& sum) const {
    if (to.op != op_kind::mean) return sum;
    multifold::detail::near_value mean = near_quotient(exact_pair{sum.high, sum.low}, to.count, to.reciprocal);
    mean.error += sum.error / static_cast<double>(to.count) * 1.01;
    return mean;
  }

  // Whether there is no result, because somebody's count is wrong.
  __device__ bool refused() const {
    if (to.count.in_range()) return false;
    if (to.only) *to.status_word = static_cast<std::uint32_t>(status::bad_count);
    return true;
  }

  __device__ __noinline__ void deliver_pair(std::int64_t batch, exact_pair pair, std::int64_t count) const {
    if (to.merge || to.initial.given || count == 0) return deliver(batch, pair_sum<T>{}.lower(pair, count));
    deliver_total(batch, value_of(pair), count);
  }

  __device__ __noinline__ void deliver_special(std::int64_t batch, special_marks marks) const {
    exact_sum<T> sum;
    const auto has = [&](unsigned mark) { return std::int64_t{(marks.bits & mark) != 0}; };
    sum.add_counts({to.count, has(marks.nan), has(marks.positive_infinity), has(marks.negative_infinity), 1});
    deliver(batch, sum);
  }

  // By value, as all that goes out of line: a sum whose address is taken lies in memory from its first element on.
  template <int Parts>
  __device__ __noinline__ void deliver_wide(std::int64_t batch, expansion<Parts> wide) const {
    if (store_wide(batch, wide)) return;
    exact_sum<T> sum;
    add_expansion(sum, wide, to.count);
    deliver(batch, sum);
  }

  // Of a copy: settling may overflow.
  template <int Parts>
  __device__ bool store_wide(std::int64_t batch, expansion<Parts> sum) const {
    if (!to.plain) return false;
    if (to.op == op_kind::mean) return store_near(batch, multifold::detail::near_of(sum));
    if (!sum.settle() || sum.part[0] == 0) return false;
    static_cast<T*>(to.data)[to.layout.at(batch)] = multifold::detail::nearest_of_settled<T>(sum);
    if (to.only) *to.status_word = static_cast<std::uint32_t>(status::ok);
    return true;
  }

  // Of plain results.
  __device__ double reciprocal_of(std::int64_t count) const {
    return count == to.count.most ? to.reciprocal : 1.0 / static_cast<double>(count);
  }

  // The same of f16 in fixed point.
  __device__ bool store_units(std::int64_t batch, const half_sum::accumulator& sum, std::int64_t count) const {
    constexpr std::int64_t most = std::int64_t{1} << 53;
    const auto units = static_cast<std::int64_t>(sum.units);
    if (!to.plain || count == 0 || (sum.marks & ~std::int64_t{half_sum::not_negative_zero}) != 0) return false;
    if (units != sum.units || units > most || units < -most) return false;
    f16* const out = static_cast<f16*>(to.data) + to.layout.at(batch);
    const double value = static_cast<double>(units) * 0x1p-24;
    if (units == 0) {
      *out = to_f16(sum.marks == 0 ? -0.0 : 0.0);
    } else if (to.op == op_kind::mean) {
      if (!round_if_certain(near_quotient(exact_pair{value, 0.0}, count, reciprocal_of(count)), *out)) return false;
    } else {
      *out = to_f16(value);
    }
    if (to.only) *to.status_word = static_cast<std::uint32_t>(status::ok);
    return true;
  }

  // A few instructions for sums and means in their own dtype: short rows have one for every few elements.
  __device__ bool store_pair(std::int64_t batch, const exact_pair& pair, std::int64_t count) const {
    if (!to.plain || count == 0) return false;
    if (!round(pair, count, static_cast<T*>(to.data) + to.layout.at(batch))) return false;
    if (to.only) *to.status_word = static_cast<std::uint32_t>(status::ok);
    return true;
  }
  __device__ bool round(const exact_pair& pair, std::int64_t count, T* out) const {
    if (to.op == op_kind::mean) return multifold::detail::round_mean(pair, count, reciprocal_of(count), *out);
    *out = nearest<T>(pair);
    return true;
  }
  __device__ bool round(const short_sum& sum, std::int64_t count, T* out) const {
    return sum.rest == 0 ? round(sum.pair(), count, out) : round_near(sum, count, out);
  }
  __device__ __noinline__ bool round_near(short_sum sum, std::int64_t count, T* out) const {
    if (to.op != op_kind::mean) return round_if_certain(sum, *out);
    return multifold::detail::round_mean_if_certain(sum, count, reciprocal_of(count), *out);
  }

  // The same of a sum that is a double.
  __device__ bool store_number(std::int64_t batch, double sum) const {
    if (!to.plain || !round(sum, to.count.most, static_cast<T*>(to.data) + to.layout.at(batch))) return false;
    if (to.only) *to.status_word = static_cast<std::uint32_t>(status::ok);
    return true;
  }
  __device__ bool round(double sum, std::int64_t count, T* out) const {
    if (to.op != op_kind::mean) {
      *out = nearest<T>(sum);
    } else {
      if (count > most_odd_divisor) return false;
      if (sizeof(T) < 8 && is_power_of_two(count)) {
        *out = nearest<T>(sum * reciprocal_of(count));
        return true;
      }
      if constexpr (std::is_same_v<T, double>) {
        if (sum != 0 && !(std::fabs(sum) > 0x1p-900 && std::fabs(sum) < 0x1p1000)) return false;
        *out = sum == 0 ? sum : cuda::detail::divisor{count, to.divisor, to.reciprocal}.quotient_of(sum);
      } else {
        const double mean = odd_fraction(sum, to.divisor, to.reciprocal);
        *out = nearest<T>(sum - sum == 0 ? mean : sum);
      }
    }
    return true;
  }
};

template <floating_storage T>
__device__ void set_length(exact_output<T>& output, std::int64_t length) {
  set_length(output.to, length);
}

}  // namespace multifold::inline v0_1::cuda::exact
