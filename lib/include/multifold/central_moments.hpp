// Moments of up to the fourth order, about the mean or any number, skewness and kurtosis: exact, and rounded once.
//
//   const double third = multifold::moment(x, 3), about_zero = multifold::moment(x, 2, {.shift = 0});
//   const float tail = multifold::kurtosis(x);
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "multifold/error.hpp"
#include "multifold/exact/finish.hpp"
#include "multifold/fold.hpp"
#include "multifold/ops/exact_powers.hpp"
#include "multifold/view.hpp"

namespace multifold::inline v0_1 {

struct moment_options {
  std::optional<dyadic> shift = {};  // what comes off each element, exactly; the exact mean unless it is given
};

struct skewness_options {
  bool bias = true;  // false: sqrt(n (n - 1)) / (n - 2) times as much, as samples estimate that of a population
};

struct kurtosis_options {
  bool fisher = true;  // 0 of a normal distribution; false: 3, as Pearson has it
  bool bias = true;    // false: (n - 1) / ((n - 2) (n - 3)) ((n + 1) k + 6), as samples estimate that of a population
};

namespace detail {

// bool and std::float16_t are read as what they are the bits of.
template <storage_type T>
using bits_as = std::conditional_t<
    dtype_of<T> == dtype::boolean, bool8,
    std::conditional_t<dtype_of<T> == dtype::f16, f16, std::conditional_t<dtype_of<T> == dtype::bf16, bf16, T>>>;

}  // namespace detail

/// A moment, the skewness or the kurtosis as an operation for fold: moment_of, skewness_of and kurtosis_of make one.
/// Memory:   of ordinary elements about 800 bytes a result, of doubles of all magnitudes up to 6 KB, for which sources
///           find room; while elements are read, 3 KB more a thread, and of columns each of them.
/// Numerics: correctly rounded to T, of integers to double: neither the shift nor the mean nor a power of an element is
///           rounded. NaN if an element is NaN or infinite, and of nothing.
template <storage_type T>
class central_moment_fold {
  static_assert(std::is_same_v<T, detail::bits_as<T>>, "moment_fold, skewness_fold and kurtosis_fold name the type");

 public:
  using value_type = T;
  using accumulator = exact_powers;
  using result_type = std::conditional_t<floating_storage<T>, T, double>;
  static constexpr bool uses_index = false;
  static constexpr std::int64_t accumulator_bytes = exact_powers::most_bytes(power_bins<T>::exponents);

  /// Throws: unsupported_error for a power that is not 1, 2, 3 or 4.
  central_moment_fold(int power, moment_options options) : power_(power), shift_(std::move(options.shift)) {
    if (power < 1 || power > exact_powers::highest) {
      throw unsupported_error("a moment of order " + std::to_string(power) + "; expected 1, 2, 3 or 4");
    }
  }
  explicit central_moment_fold(const skewness_options& options)
      : what_(statistic::skewness), power_(3), bias_(options.bias) {}
  explicit central_moment_fold(const kurtosis_options& options)
      : what_(statistic::kurtosis), power_(4), bias_(options.bias), fisher_(options.fisher) {}

  exact_powers identity() const { return {}; }
  exact_powers lift(const T& x, std::int64_t) const {
    power_bins<T> bins;
    bins.add(x, power_);
    return bins.take();
  }
  exact_powers combine(exact_powers a, const exact_powers& b) const {
    a.merge(b);
    return a;
  }
  result_type lower(const exact_powers& powers, std::int64_t count) const {
    return round_to<result_type>(value(powers, count));
  }

  /// Elements are added to bins, which are too large to be handed from call to call.
  class lane {
   public:
    lane() = default;
    lane(lane&&) noexcept = default;
    lane& operator=(lane&&) noexcept = default;
    lane(const lane& other) : bins_(other.bins_ ? std::make_unique<power_bins<T>>(*other.bins_) : nullptr) {}
    lane& operator=(const lane& other) { return *this = lane(other); }
    ~lane() = default;

   private:
    friend central_moment_fold;
    std::unique_ptr<power_bins<T>> bins_;
  };
  static constexpr std::int64_t lane_capacity = power_bins<T>::capacity;
  lane lane_identity() const { return {}; }
  lane absorb(lane into, const T& x, std::int64_t) const {
    if (!into.bins_) into.bins_ = std::make_unique<power_bins<T>>();
    into.bins_->add(x, power_);
    return into;
  }
  exact_powers widen(lane from) const {
    if (!from.bins_) return {};
    return from.bins_->take();
  }

 private:
  enum class statistic : std::uint8_t { moment, skewness, kurtosis };

  exact_value value(const exact_powers& powers, std::int64_t count) const {
    switch (what_) {
      case statistic::skewness: return powers.skewness(bias_, count);
      case statistic::kurtosis: return powers.kurtosis(fisher_, bias_, count);
      case statistic::moment: break;
    }
    return shift_ ? powers.moment(power_, *shift_, count) : powers.central_moment(power_, count);
  }

  statistic what_ = statistic::moment;
  int power_;
  bool bias_ = true, fisher_ = true;
  std::optional<dyadic> shift_;
};

/// The mean of (x - shift)^power, for powers of 1 to 4; about the exact mean unless a shift is given, so that the
/// second is the variance. Throws: unsupported_error for other powers.
template <storage_type T>
central_moment_fold<detail::bits_as<T>> moment_fold(int power, moment_options options = {}) {
  return {power, std::move(options)};
}
/// m3 / m2^1.5, with the central moments m2 and m3. NaN if all elements are equal.
template <storage_type T>
central_moment_fold<detail::bits_as<T>> skewness_fold(const skewness_options& options = {}) {
  return central_moment_fold<detail::bits_as<T>>(options);
}
/// m4 / m2^2 - 3 (Fisher's, or excess, kurtosis). NaN if all elements are equal.
template <storage_type T>
central_moment_fold<detail::bits_as<T>> kurtosis_fold(const kurtosis_options& options = {}) {
  return central_moment_fold<detail::bits_as<T>>(options);
}

/// Over all elements of what view.hpp takes, or over fold_options::axes of a view. Of a source:
/// fold(moment_fold<T>(3), source).
/// Memory, Numerics, Throws: as fold and central_moment_fold: the same bits on any number of threads.
/// Cost:     one read, and about 10 ns an element and core of up to 32 bits, 20 of others; up to 60 where elements are
///           of many magnitudes. Then a microsecond or two a result, more of many magnitudes.
template <viewable Array>
auto moment(const Array& array, int power, moment_options options = {}) {
  return fold(moment_fold<element_type_of<Array>>(power, std::move(options)), as_view(array)).value();
}
template <storage_type T>
auto moment(const array_view& view, int power, moment_options options = {}, const fold_options& how = {}) {
  return fold(moment_fold<T>(power, std::move(options)), view, how);
}

/// The same of the skewness: NaN if all elements are equal, and without bias of fewer than 3.
template <viewable Array>
auto skewness(const Array& array, const skewness_options& options = {}) {
  return fold(skewness_fold<element_type_of<Array>>(options), as_view(array)).value();
}
template <storage_type T>
auto skewness(const array_view& view, const skewness_options& options = {}, const fold_options& how = {}) {
  return fold(skewness_fold<T>(options), view, how);
}

/// The same of the kurtosis: NaN if all elements are equal, and without bias of fewer than 4.
template <viewable Array>
auto kurtosis(const Array& array, const kurtosis_options& options = {}) {
  return fold(kurtosis_fold<element_type_of<Array>>(options), as_view(array)).value();
}
template <storage_type T>
auto kurtosis(const array_view& view, const kurtosis_options& options = {}, const fold_options& how = {}) {
  return fold(kurtosis_fold<T>(options), view, how);
}

}  // namespace multifold::inline v0_1
