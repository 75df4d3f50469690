// What becomes of the moments of a batch that tiles have gathered: its result, where some tens of operations are
// certain of the rounding; sums to be merged; or a bit that says that it has to be read again.
// See docs/exact-sums.md, 17.
#pragma once

#include "device/moments/finish.cuh"
#include "device/moments/gather.cuh"
#include "device/moments/integer_results.cuh"
#include "device/moments/store_summary.cuh"
#include "device/moments/tiles/column_moments.cuh"
#include "device/moments/totals.cuh"
#include "multifold/exact/expansions/spread_of_two.hpp"
#include "multifold/exact/near/rough.hpp"
#include "multifold/exact/near/rough_near.hpp"

namespace multifold::inline v0_1::cuda::moments {

using multifold::detail::near_covariance;
using multifold::detail::near_of;
using multifold::detail::near_root;
using multifold::detail::off_zero;

__device__ inline void store_zero(bool negative, dtype type, void* out) {
  const double zero = negative ? -0.0 : 0.0;
  if (type == dtype::f64) *static_cast<double*>(out) = zero;
  else if (type == dtype::f32) *static_cast<float*>(out) = static_cast<float>(zero);
  else *static_cast<std::uint16_t*>(out) = negative ? 0x8000 : 0;
}

template <storage_type Carrier, moment_set Set>
struct moment_output {
  using partial = moment_partial<Carrier, Set>;
  static constexpr bool real = floating_storage<Carrier>;
  static constexpr bool describes = Set == moment_set::description;
  static constexpr bool deviates = Set == moment_set::spread || Set == moment_set::joint || describes;
  output to;
  unsigned* lost;
  kernels::device_length length;
  bool in_order = false;  // results one behind the other, without a status each, of floating point in its dtype

  /// Whether a run of tiles may be handed over as a whole batch: what is merged has to be exact.
  bool takes_whole_runs() const { return !to.merge; }

  template <class Fold>
  __device__ void operator()(const Fold&, std::int64_t batch, const partial& of) const {
    if (!is_lost(of) && (to.merge ? merged(batch, of) : delivered(batch, totals_of(of)))) return;
    mark_lost(batch);
  }
  template <class Fold>
  __device__ void operator()(const Fold&, std::int64_t batch, const near_totals& of) const {
    if (of.lost || !delivered(batch, of)) mark_lost(batch);
  }
  template <class Fold, class Sums>
  requires requires(const Sums sums) { sums.totals(); }
  __device__ void operator()(const Fold& fold, std::int64_t batch, const Sums& of) const {
    (*this)(fold, batch, of.totals());
  }
  /// The same of a result that is stored with no more ado, which is a T; false: it is not.
  template <floating_storage T>
  __device__ bool store_in_order(std::int64_t batch, const near_totals& of) const {
    const std::int64_t n = length;
    return in_order && n > 0 && stored_at(of, n, static_cast<T*>(to.data)[batch]);
  }
  /// The same of what some tens of operations are sure of.
  template <floating_storage T>
  __device__ __forceinline__ bool store_if_sure(std::int64_t batch, std::int64_t n, const near_totals& of) const {
    if (!in_order || n == 0 || of.up != 0) return false;
    T& out = static_cast<T*>(to.data)[batch];
    const near_value& total = Set == moment_set::absolute ? of.x : of.products;
    const bool none = of.x.high == 0 && of.y.high == 0 && of.products.high == 0;
    if (none && of.x.error == 0 && of.y.error == 0 && of.products.error == 0 && (!deviates || to.reciprocal > 0)) {
      out = multifold::detail::nearest<T>(of.minus_products ? -0.0 : 0.0);
      return true;
    }
    if constexpr (!deviates && sizeof(T) == 8) {
      if (to.op != op_kind::norm2) return multifold::detail::round_if_certain(total, out);
    }
    return multifold::detail::round_if_sure(rough_result(of, n), out);
  }
  /// The results of a thread's columns. Returns a bit for each that is not stored: they are delivered one by one.
  template <class Columns, int Width, class Sums>
  __device__ unsigned store_in_order(const Columns& columns, const kernels::whole_sums<Width, Sums>& sums) const {
    if (!in_order) return ~0u;
    const std::int64_t n = length;
    auto* out = static_cast<typename Sums::element*>(to.data) + columns.batch;
    unsigned left = 0;
#pragma unroll
    for (int j = 0; j < Width; ++j, out += columns.apart) {
      if (!columns.has(j)) continue;
      const near_totals totals = sums.of[j].totals();
      if (totals.lost || !stored_at(totals, n, *out)) left |= 1u << j;
    }
    return left;
  }
  /// The result of a batch without elements, but for descriptions.
  __device__ bool store_nothing(std::int64_t batch) const {
    return !describes && !to.merge && deliver(batch, deviates ? exact_value::of_nan() : exact_value{});
  }
  /// Stores the result of what is known so far, if that makes it certain.
  __device__ bool deliver(std::int64_t batch, const near_totals& of) const { return delivered(batch, of); }
  /// The result that is a total, or its root.
  __device__ bool deliver(std::int64_t batch, const exact_value& total) const {
    void* const out = static_cast<char*>(to.data) + to.layout.at(batch) * to.result_size();
    const status fits = store_value(to.op == op_kind::norm2 ? exact_root(total) : total, to.result, out);
    if (to.only) *to.status_word = static_cast<std::uint32_t>(fits);
    else if (fits != status::ok) atomicMax(to.status_word, static_cast<std::uint32_t>(fits));
    return true;
  }

 private:
  __device__ void mark_lost(std::int64_t batch) const { atomicOr(lost + batch / 32, 1u << (batch % 32)); }

  // Integers stay as they are.
  __device__ static decltype(auto) totals_of(const partial& of) {
    if constexpr (real) {
      near_totals near;
      if constexpr (sums_elements(Set)) near.x = near_of(of.x), near.minus_x = of.x.only_negative_zeros();
      if constexpr (Set == moment_set::joint) near.y = near_of(of.y);
      if constexpr (sums_products(Set)) near.products = near_of(of.products);
      if constexpr (partial::has_errors) {
        const auto widen = [&](near_value& v, int which) { v.error = (v.error + of.errors[which]) * (1 + 0x1p-50); };
        widen(near.x, multifold::detail::error_of_x);
        widen(near.y, multifold::detail::error_of_y);
        widen(near.products, multifold::detail::error_of_products);
      }
      if constexpr (Set == moment_set::products) near.minus_products = of.products.only_negative_zeros();
      if constexpr (describes) near.marks = of.marks;
      return near;
    } else {
      return (of);
    }
  }
  __device__ static near_value near_of_total(const near_value& v) { return v; }
  template <class Total>
  __device__ static near_value near_of_total(const Total& v) {
    return near_of(v);
  }

  // What is merged has to be exact.
  __device__ bool is_lost(const partial& of) const {
    bool any = false;
    if constexpr (real) {
      if constexpr (partial::has_errors) any = to.merge && !of.errors.none();
      if constexpr (sums_elements(Set)) any = any || of.x.lost();
      if constexpr (Set == moment_set::joint) any = any || of.y.lost();
      if constexpr (sums_products(Set)) any = any || of.products.lost();
    }
    return any;
  }

  // Whether the result was certain, and is stored.
  template <class Totals>
  __device__ bool delivered(std::int64_t batch, const Totals& of) const {
    const std::int64_t n = length;
    if (n == 0) return false;
    void* const out = static_cast<char*>(to.data) + to.layout.at(batch) * to.result_size();
    if constexpr (!real) {
      if (to.result == dtype::f64 && store_at_once(to, of, n, out)) {
        if (to.only) *to.status_word = static_cast<std::uint32_t>(status::ok);
        return true;
      }
    }
    bool done;
    if constexpr (describes) {
      done = described(of, n, *static_cast<summary*>(out));
    } else if (is_floating(to.result)) {
      if (to.result != dtype::f64 && up_of(of) == 0 && stored_quickly(of, n, out)) {
        if (to.only) *to.status_word = static_cast<std::uint32_t>(status::ok);
        return true;
      }
      near_value v;
      if constexpr (deviates) v = deviation(of, n);
      else if constexpr (Set == moment_set::absolute) v = near_of_total(of.x);
      else v = near_of_total(of.products);
      bool minus = false;
      if constexpr (real) minus = Set == moment_set::products && of.minus_products;
      done = stored(v, up_of(of), minus, out);
    } else {
      done = stored_integer(of, out);
    }
    if (done && to.only) *to.status_word = static_cast<std::uint32_t>(status::ok);
    return done;
  }

  // Narrow results, nearly all of which need no more than a double for it.
  template <class Totals>
  __device__ bool stored_quickly(const Totals& of, std::int64_t n, void* out) const {
    if constexpr (real) return multifold::detail::round_if_sure(rough_result(of, n), to.result, out);
    else return false;
  }
  // The same in the elements' dtype, of ties and zeros, too.
  template <class T>
  __device__ bool stored_at(const near_totals& of, std::int64_t n, T& out) const {
    if constexpr (!deviates) {
      const near_value& total = Set == moment_set::absolute ? of.x : of.products;
      if (total.high == 0 && total.error == 0) {
        out = multifold::detail::nearest<T>(of.minus_products ? -0.0 : 0.0);
        return true;
      }
      if (Set != moment_set::squares || to.op != op_kind::norm2) return multifold::detail::round_if_certain(total, out);
    }
    if (multifold::detail::round_if_sure(rough_result(of, n), out)) return true;
    if constexpr (deviates && sizeof(T) < 8) {
      const near_value& y = Set == moment_set::joint ? of.y : of.x;
      return multifold::detail::round_fraction(of.x, y, of.products, n, to.correction, to.op == op_kind::std, out);
    }
    return false;
  }
  // Within 2^-44 of itself, or 0 where nothing is sure.
  __device__ double rough_result(const near_totals& of, std::int64_t n) const {
    double v;
    if constexpr (Set == moment_set::joint) {
      v = multifold::detail::rough_covariance(off_zero(of.x), off_zero(of.y), off_zero(of.products), n, to.reciprocal);
    } else if constexpr (deviates) {
      v = multifold::detail::rough_covariance(off_zero(of.x), off_zero(of.x), of.products, n, to.reciprocal);
    } else {
      v = rough_sum(Set == moment_set::absolute ? of.x : of.products);
    }
    constexpr bool has_root = Set == moment_set::squares || Set == moment_set::spread;
    return has_root && (to.op == op_kind::norm2 || to.op == op_kind::std) ? multifold::detail::rough_root(v) : v;
  }

  __device__ static double rough_sum(const near_value& sum) {
    return sum.error <= 0x1p-47 * fabs(sum.high) ? sum.high : 0.0;
  }

  // Everything of a description, or nothing.
  template <class Totals>
  __device__ __noinline__ bool described(const Totals& of, std::int64_t n, summary& out) const {
    summary d{};
    d.count = n;
    d.zero = of.marks.zeros;
    d.argmin = of.marks.least_at;
    d.argmax = of.marks.greatest_at;
    put_key(of.marks.least, d.min);
    put_key(of.marks.greatest, d.max);
    bool minus = false;
    if constexpr (real) minus = of.minus_x;
    const int up = up_of(of) / 2;  // of elements
    const near_value x = near_of_total(of.x);
    const dtype sum_type = summary_sum_dtype(to.element, to.result);
    if constexpr (!real) {
      int128_t v;
      if (!is_floating(sum_type)) {
        if (!to_integer(of.x, v) || !multifold::detail::fits(v, sum_type)) return false;
        multifold::detail::put_integer(v, item_bytes(sum_type), d.sum);
      }
    }
    if (is_floating(sum_type) && !rounded(x, minus, sum_type, d.sum, up)) return false;
    near_value mean = multifold::detail::near_quotient(exact_pair{x.high, x.low}, n);
    mean.error += x.error / static_cast<double>(n) * 1.01;
    if (!rounded(x.high == 0 && x.error == 0 ? x : mean, minus, to.result, d.mean, up)) return false;
    double std = 0.0, norm2 = 0.0;  // of narrow results
    if constexpr (real) {
      if (to.result != dtype::f64 && up == 0) {
        std = multifold::detail::rough_root(rough_result(of, n));
        norm2 = multifold::detail::rough_root(rough_sum(of.products));
      }
    }
    if (!multifold::detail::round_if_sure(std, to.result, d.std) && !(n == 2 && deviation_of_two(of.marks, d.std)) &&
        !rounded(root_of(deviation(of, n)), false, to.result, d.std, up))
      return false;
    if (!multifold::detail::round_if_sure(norm2, to.result, d.norm2) &&
        !rounded(root_of(near_of_total(of.products)), false, to.result, d.norm2, up))
      return false;
    store_in_vectors(d, out);
    return true;
  }

  // Two elements are the extremes.
  __device__ bool deviation_of_two(const multifold::detail::partial_marks& marks, void* out) const {
    multifold::detail::two_sum difference;
    if constexpr (real) {
      const auto element = [](std::int64_t key) {
        return to_double(element_of_key<Carrier>(static_cast<key_of<Carrier>>(key)));
      };
      difference = multifold::detail::add_exactly(element(marks.greatest), -element(marks.least));
    } else {
      const auto d = static_cast<std::uint64_t>(marks.greatest) - static_cast<std::uint64_t>(marks.least);
      difference = multifold::detail::add_exactly(static_cast<double>(d >> 32) * 0x1p32,
                                                  static_cast<double>(static_cast<std::uint32_t>(d)));
    }
    const auto round = [&]<class T>(T* to_element) {
      return multifold::detail::round_spread_of_two(difference, to.correction, true, *to_element);
    };
    if (to.result == dtype::f64) return round(static_cast<double*>(out));
    if constexpr (std::is_same_v<Carrier, float>) {
      if (to.result == dtype::f32) return round(static_cast<float*>(out));
      if (to.result == dtype::bf16) return round(static_cast<bf16*>(out));
      if (to.result == dtype::f16) return round(static_cast<f16*>(out));
    }
    return false;
  }

  // The element of an order key.
  __device__ void put_key(std::int64_t key, std::byte* to_bytes) const {
    if constexpr (real) {
      put_element(element_of_key<Carrier>(static_cast<key_of<Carrier>>(key)), to.element, to_bytes);
    } else {
      const std::uint64_t word = word_of_key<Carrier>(key, to.element);
      memcpy(to_bytes, &word, sizeof(Carrier));
    }
  }
  __device__ static near_value root_of(const near_value& v) { return v.high == 0 && v.error == 0 ? v : near_root(v); }
  // Of v 2^up.
  __device__ static bool rounded(const near_value& v, bool negative_zero, dtype type, void* out, int up = 0) {
    if (v.high == 0 && v.error == 0) {
      store_zero(negative_zero, type, out);
      return true;
    }
    if constexpr (real && sizeof(Carrier) == 8) {
      if (up != 0 && type == dtype::f64)
        return multifold::detail::round_far_if_certain(v, up, *static_cast<double*>(out));
    }
    if (up == 0 && multifold::detail::round_if_near(v, type, out)) return true;
    return multifold::detail::round_if_certain(v, up, type, out);
  }

  __device__ bool stored(near_value v, int up, bool minus, void* out) const {
    if (to.op == op_kind::norm2 || to.op == op_kind::std) {
      v = root_of(v);
      up /= 2;
    }
    return rounded(v, minus, to.result, out, up);
  }
  template <class Totals>
  __device__ static int up_of(const Totals& of) {
    if constexpr (real) return of.up;
    else return 0;
  }

  template <class Totals>
  __device__ bool stored_integer(const Totals& of, void* out) const {
    if constexpr (real || deviates) {
      return false;
    } else {
      int128_t v;
      bool small;
      if constexpr (Set == moment_set::absolute) small = to_integer(of.x, v);
      else small = to_integer(of.products, v);
      if (!small || !multifold::detail::fits(v, to.result)) return false;
      multifold::detail::put_integer(v, item_bytes(to.result), out);
      return true;
    }
  }

  template <class Totals>
  __device__ near_value deviation(const Totals& of, std::int64_t n) const {
    const auto& y = [&]() -> const auto& {
      if constexpr (Set == moment_set::joint) return of.y;
      else return of.x;
    }
    ();
    if constexpr (!real && sizeof(Carrier) <= 4) {
      // (n products - x y) / (n (n - correction)): the numerator is an integer below 2^117 for so many elements.
      constexpr std::int64_t most = std::int64_t{1} << 26;
      if (n <= most && to.correction < n && to.correction > -most) {
        const int128_t numerator = static_cast<int128_t>(of.products) * n - static_cast<int128_t>(of.x) * y;
        const near_value v = near_of(numerator);
        if (numerator == 0) return {0.0, 0.0, 0.0};
        if (v.error == 0) return multifold::detail::near_quotient(exact_pair{v.high, v.low}, n * (n - to.correction));
      }
    }
    return near_covariance(off_zero(near_of_total(of.x)), off_zero(near_of_total(y)),
                           off_zero(near_of_total(of.products)), n, to.correction);
  }

  template <storage_type Sums>
  __device__ Sums element_of(std::int64_t key) const {
    Sums x{};
    if constexpr (real) x = element_of_key<Carrier>(static_cast<key_of<Carrier>>(key));
    else put_key(key, reinterpret_cast<std::byte*>(&x));
    if constexpr (std::is_same_v<Sums, std::int64_t>) return key;
    return x;
  }

  // By value: moments whose address is taken lie in memory.
  __device__ __noinline__ bool merged(std::int64_t batch, partial of) const {
    if constexpr (real) merge_into<Carrier>(batch, of);
    else if (is_unsigned(to.element) || to.element == dtype::boolean) merge_into<std::uint64_t>(batch, of);
    else merge_into<std::int64_t>(batch, of);
    return true;
  }

  template <storage_type Sums>
  __device__ void merge_into(std::int64_t batch, const partial& of) const {
    auto& into = static_cast<carried_sums<Sums, Set>*>(to.data)[to.layout.at(batch)];
    const std::int64_t n = length;
    const auto add = [&](auto& sum, const auto& total) {
      bool other = n > 0;
      if constexpr (real) other = other && !total.only_negative_zeros();
      sum.add_counts({n, 0, 0, 0, other});
      add_total(sum, total);
    };
    if constexpr (sums_elements(Set)) add(into.x, of.x);
    if constexpr (Set == moment_set::joint) add(into.y, of.y);
    if constexpr (sums_products(Set)) add(into.products, of.products);
    if constexpr (describes) {
      description_marks<Sums> marks;
      marks.zero = of.marks.zeros;
      if (of.marks.least_at != of.marks.no_index) {
        marks.see(element_of<Sums>(of.marks.least), of.marks.least_at, to.nan);
        marks.see(element_of<Sums>(of.marks.greatest), of.marks.greatest_at, to.nan);
      }
      into.marks.merge(marks);
    }
  }
};

template <storage_type Carrier, moment_set Set>
__device__ void set_length(moment_output<Carrier, Set>& output, std::int64_t length) {
  if constexpr (moment_output<Carrier, Set>::deviates) set_length(output.to, length);
  output.length = {length, nullptr};
}

}  // namespace multifold::inline v0_1::cuda::moments
