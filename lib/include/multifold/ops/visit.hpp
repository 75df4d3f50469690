// From the run-time names of an operation to its struct: the one place that lists the built-in folds.
#pragma once

#include <limits>

#include "multifold/ops/extremum.hpp"
#include "multifold/ops/product.hpp"
#include "multifold/ops/sum.hpp"

namespace multifold {

/// The built-in operations fall into families that share a struct: mean is a sum, max is a flipped min.
enum class op_family : std::uint8_t { sum, product, extremum, arg_extremum };

constexpr op_family family_of(op_kind op) noexcept {
  switch (op) {
    case op_kind::sum:
    case op_kind::mean: return op_family::sum;
    case op_kind::prod: return op_family::product;
    case op_kind::min:
    case op_kind::max: return op_family::extremum;
    case op_kind::argmin:
    case op_kind::argmax: break;
  }
  return op_family::arg_extremum;
}

/// Calls `f(op)` with the struct of `op` over elements of T.
template <op_family Family, storage_type T, class F>
decltype(auto) visit_fold(op_kind op, nan_policy nan, F&& f) {
  if constexpr (Family == op_family::sum) {
    if constexpr (floating_storage<T>) {
      if (nan == nan_policy::omit) return f(float_sum_omit<T>{});
      return f(float_sum<T>{});
    } else {
      return f(integer_sum<T>{});
    }
  } else if constexpr (Family == op_family::product) {
    if constexpr (floating_storage<T>) {
      return f(float_product<T>{nan == nan_policy::omit ? 1.0 : std::numeric_limits<double>::quiet_NaN()});
    } else {
      return f(integer_product<T>{});
    }
  } else if constexpr (Family == op_family::extremum) {
    return f(extremum<T>{key_policy<key_of<T>>::make(op == op_kind::max, nan)});
  } else {
    return f(arg_extremum<T>{key_policy<key_of<T>>::make(op == op_kind::argmax, nan)});
  }
}

/// The same, with the element type named at run time.
template <op_family Family, class F>
decltype(auto) visit_fold(op_kind op, dtype type, nan_policy nan, F&& f) {
  return visit_dtype(type, [&]<class T>() -> decltype(auto) { return visit_fold<Family, T>(op, nan, f); });
}

/// The same, for every family.
template <class F>
decltype(auto) visit_fold(op_kind op, dtype type, nan_policy nan, F&& f) {
  switch (family_of(op)) {
    case op_family::sum: return visit_fold<op_family::sum>(op, type, nan, f);
    case op_family::product: return visit_fold<op_family::product>(op, type, nan, f);
    case op_family::extremum: return visit_fold<op_family::extremum>(op, type, nan, f);
    case op_family::arg_extremum: break;
  }
  return visit_fold<op_family::arg_extremum>(op, type, nan, f);
}

}  // namespace multifold
