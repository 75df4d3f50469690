// Operations out of lambdas.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

#include "multifold/fold/elements.hpp"

namespace multifold::inline v0_1 {
namespace detail {

// Lambdas that capture can be copied, but not assigned.
template <class F>
class assignable {
 public:
  explicit assignable(F f) : f_(std::move(f)) {}
  assignable(const assignable&) = default;
  assignable(assignable&&) = default;
  ~assignable() = default;
  assignable& operator=(const assignable& other) {
    if (this != &other) f_.emplace(*other.f_);
    return *this;
  }
  assignable& operator=(assignable&& other) {
    if (this != &other) f_.emplace(std::move(*other.f_));
    return *this;
  }
  const F& get() const { return *f_; }

 private:
  std::optional<F> f_;
};

template <std::copyable F>
class assignable<F> {
 public:
  explicit assignable(F f) : f_(std::move(f)) {}
  const F& get() const { return f_; }

 private:
  [[no_unique_address]] F f_;
};

// Becomes an index, but no element.
struct any_index {
  template <std::integral T>
  requires(sizeof(T) == sizeof(std::int64_t)) operator T() const { return 0; }
};

template <class From, class To>
inline constexpr bool cuts_off = std::is_floating_point_v<From>&& std::is_integral_v<To>;

template <bool Ordered, class Values, class Accumulator, class Lift, class Combine, class Lower>
class lambda_fold;

template <bool Ordered, class... Values, class Accumulator, class Lift, class Combine, class Lower>
class lambda_fold<Ordered, std::tuple<Values...>, Accumulator, Lift, Combine, Lower> {
  static constexpr bool by_values = std::is_invocable_v<const Lift&, Values...>;
  static constexpr bool by_index = !by_values && std::is_invocable_v<const Lift&, Values..., any_index>;
  static constexpr bool counts = std::is_invocable_v<const Lower&, Accumulator, std::int64_t>;
  static_assert(by_values || by_index,
                "lift takes an element of each array, and if it wants to an index of type std::int64_t");
  static_assert(std::is_invocable_r_v<Accumulator, const Combine&, Accumulator, Accumulator>,
                "combine takes two accumulators, of the type of the identity, and returns one");
  static_assert(counts || std::is_invocable_v<const Lower&, Accumulator>,
                "lower takes an accumulator, and if it wants to how many elements there were");

 public:
  using value_type =
      std::conditional_t<sizeof...(Values) == 1, std::tuple_element_t<0, std::tuple<Values...>>, std::tuple<Values...>>;
  using accumulator = Accumulator;
  static constexpr bool ordered = Ordered;
  static constexpr bool uses_index = by_index;

  lambda_fold(Accumulator neutral, Lift lifts, Combine combines, Lower lowers)
      : identity_(std::move(neutral)),
        lift_(std::move(lifts)),
        combine_(std::move(combines)),
        lower_(std::move(lowers)) {}

  accumulator identity() const { return identity_; }

  accumulator lift(const value_type& value, std::int64_t index) const {
    const auto call = [&](const Values&... x) {
      if constexpr (by_values) return checked(lift_.get()(x...));
      else return checked(lift_.get()(x..., index));
    };
    if constexpr (sizeof...(Values) == 1) return call(value);
    else return std::apply(call, value);
  }

  accumulator combine(accumulator a, accumulator b) const {
    return checked(combine_.get()(std::move(a), std::move(b)));
  }

  auto lower(accumulator a, std::int64_t count) const {
    if constexpr (counts) return lower_.get()(std::move(a), count);
    else return lower_.get()(std::move(a));
  }

 private:
  template <class T>
  static accumulator checked(T&& x) {
    static_assert(
        !cuts_off<std::remove_cvref_t<T>, Accumulator>,
        "the accumulator, of the type of the identity, is an integer, and what it would hold is not: say 0.0");
    return static_cast<accumulator>(std::forward<T>(x));
  }

  Accumulator identity_;
  [[no_unique_address]] assignable<Lift> lift_;
  [[no_unique_address]] assignable<Combine> combine_;
  [[no_unique_address]] assignable<Lower> lower_;
};

}  // namespace detail

/// An operation on elements of types Values, one of each array, out of functions: `lift(x...)` or `lift(x..., index)`,
/// `combine(a, b)`, and `lower(a)` or `lower(a, count)`, without which results are accumulators.
///
///   auto largest_gap = make_fold<float, float>(0.0f, [](float x, float y) { return std::abs(x - y); },
///                                              [](float a, float b) { return std::max(a, b); });
///
/// Accumulators have the type of `identity`, which is neutral for `combine`; that is associative and commutative (up to
/// rounding), and is called with accumulators that it may move from. The index is a std::int64_t. Functions are called
/// from several threads at a time.
template <storage_type... Values, class Identity, class Lift, class Combine, class Lower = std::identity>
requires(sizeof...(Values) > 0) auto make_fold(Identity identity, Lift lift, Combine combine, Lower lower = {}) {
  return detail::lambda_fold<false, std::tuple<Values...>, Identity, Lift, Combine, Lower>(
      std::move(identity), std::move(lift), std::move(combine), std::move(lower));
}

/// The same for a `combine` that is not commutative: elements meet in C order of the reduced axes.
template <storage_type... Values, class Identity, class Lift, class Combine, class Lower = std::identity>
requires(sizeof...(Values) > 0) auto make_ordered_fold(Identity identity, Lift lift, Combine combine,
                                                       Lower lower = {}) {
  return detail::lambda_fold<true, std::tuple<Values...>, Identity, Lift, Combine, Lower>(
      std::move(identity), std::move(lift), std::move(combine), std::move(lower));
}

}  // namespace multifold::inline v0_1
