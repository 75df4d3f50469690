// From the run-time names of an operation to its struct: the one place that lists the built-in folds.
#pragma once

#include <limits>

#include "multifold/ops/exact_sum.hpp"
#include "multifold/ops/extremum.hpp"
#include "multifold/ops/moments/finish_moments.hpp"
#include "multifold/ops/product.hpp"
#include "multifold/ops/sum.hpp"
#include "multifold/ops/tally.hpp"
#include "multifold/reduction.hpp"

namespace multifold::inline v0_1 {

/// The built-in operations fall into families that share a struct: mean is a sum, max is a flipped min.
enum class op_family : std::uint8_t { sum, exact_sum, product, extremum, arg_extremum, tally, moments };

constexpr op_family family_of(const reduction& what) noexcept {
  switch (what.op) {
    case op_kind::sum:
    case op_kind::mean: return gathers_exactly(what) ? op_family::exact_sum : op_family::sum;
    case op_kind::prod: return op_family::product;
    case op_kind::min:
    case op_kind::max: return op_family::extremum;
    case op_kind::argmin:
    case op_kind::argmax: return op_family::arg_extremum;
    case op_kind::any:
    case op_kind::all:
    case op_kind::count_nonzero: return op_family::tally;
    case op_kind::norm1:
    case op_kind::sumsq:
    case op_kind::norm2:
    case op_kind::var:
    case op_kind::std:
    case op_kind::dot:
    case op_kind::cov:
    case op_kind::describe: break;
  }
  return op_family::moments;
}

/// The order of the elements of `what`, which are T or carried by it.
template <storage_type T>
constexpr key_policy<key_of<T>> order_policy(const reduction& what) {
  return order_policy<T>(what.op == op_kind::max || what.op == op_kind::argmax, what.nan, what.input);
}

/// Calls `f(op)` with the struct of `what` over elements of T, or of a type that T is the order_carrier of; tallies are
/// over the bits_carrier of either.
template <op_family Family, storage_type T, class F>
decltype(auto) visit_fold(const reduction& what, F&& f) {
  const op_kind op = what.op;
  const nan_policy nan = what.nan;
  if constexpr (Family == op_family::sum) {
    if constexpr (floating_storage<T>) {
      if (nan == nan_policy::omit) return f(float_sum_omit<T>{});
      return f(float_sum<T>{});
    } else {
      return f(integer_sum<T>{});
    }
  } else if constexpr (Family == op_family::exact_sum) {
    static_assert(floating_storage<T>, "sums of integers are exact in op_family::sum");
    return f(exact_float_sum<T>{nan});
  } else if constexpr (Family == op_family::product) {
    if constexpr (floating_storage<T>) {
      return f(float_product<T>{nan == nan_policy::omit ? 1.0 : std::numeric_limits<double>::quiet_NaN()});
    } else {
      return f(integer_product<T>{});
    }
  } else if constexpr (Family == op_family::extremum) {
    return f(extremum<T>{order_policy<T>(what)});
  } else if constexpr (Family == op_family::arg_extremum) {
    return f(arg_extremum<T>{order_policy<T>(what)});
  } else if constexpr (Family == op_family::tally) {
    return f(make_tally<bits_carrier<T>>(op, what.input, nan));
  } else {
    switch (moments_of(op)) {
      case moment_set::absolute: return f(exact_moments<T, moment_set::absolute>{nan, what.correction});
      case moment_set::squares: return f(exact_moments<T, moment_set::squares>{nan, what.correction});
      case moment_set::spread: return f(exact_moments<T, moment_set::spread>{nan, what.correction});
      case moment_set::products: return f(exact_moments<T, moment_set::products>{nan, what.correction});
      case moment_set::joint: return f(exact_moments<T, moment_set::joint>{nan, what.correction});
      case moment_set::description: break;
    }
    return f(exact_moments<T, moment_set::description>{nan, what.correction});
  }
}

/// Calls `f.template operator()<Family, T>()` with the family and the element type of `what`.
template <class F>
decltype(auto) visit_family(const reduction& what, F&& f) {
  return visit_dtype(what.input, [&]<class T>() -> decltype(auto) {
    switch (family_of(what)) {
      case op_family::sum: return f.template operator()<op_family::sum, T>();
      case op_family::exact_sum:
        if constexpr (floating_storage<T>) return f.template operator()<op_family::exact_sum, T>();
        break;
      case op_family::product: return f.template operator()<op_family::product, T>();
      case op_family::extremum: return f.template operator()<op_family::extremum, T>();
      case op_family::tally: return f.template operator()<op_family::tally, T>();
      case op_family::moments: return f.template operator()<op_family::moments, T>();
      case op_family::arg_extremum: break;
    }
    return f.template operator()<op_family::arg_extremum, T>();
  });
}

/// Calls `f(op)` with the struct of `what`.
template <class F>
decltype(auto) visit_fold(const reduction& what, F&& f) {
  return visit_family(what,
                      [&]<op_family Family, class T>() -> decltype(auto) { return visit_fold<Family, T>(what, f); });
}

}  // namespace multifold::inline v0_1
