// Data for exact sums that needs no oracle's library: families that are hard on exponents, on cancellation, on lanes.
#pragma once

#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "host/random_array.hpp"
#include "multifold/exact.hpp"
#include "multifold/types/float16.hpp"
#include "random_bits.hpp"

namespace test {

enum class family {
  normal,
  uniform,
  halves,
  lognormal_1,
  lognormal_10,
  lognormal_50,
  any_finite,
  subnormal,
  largest,
  largest_cancelling,
  beside_largest,
  zeros,
  negative_zeros,
  opposites,
  tiny_then_huge,
  scales_by_lane,
  scales_by_tile,
  specials,
};
inline constexpr int families = static_cast<int>(family::specials) + 1;

template <class T>
T from_double(double x) {
  if constexpr (std::is_same_v<T, multifold::f16>) return multifold::to_f16(x);
  else if constexpr (std::is_same_v<T, multifold::bf16>) return multifold::to_bf16(x);
  else return static_cast<T>(x);
}

/// The nearest finite one.
template <class T>
T finite_from(double x) {
  using layout = multifold::detail::float_layout<T>;
  const double largest =
      multifold::to_double(std::bit_cast<T>(static_cast<typename layout::bits_type>(layout::infinity - 1)));
  return from_double<T>(std::fmin(std::fmax(x, -largest), largest));
}

template <class T>
T random_finite(test::random_bits& random) {
  using bits = typename multifold::detail::float_layout<T>::bits_type;
  while (true) {
    const T x = std::bit_cast<T>(static_cast<bits>(random()));
    if (multifold::detail::unpack(x).finite()) return x;
  }
}

template <class T>
T element_of(family f, std::int64_t i, std::int64_t count, test::random_bits& random) {
  using layout = multifold::detail::float_layout<T>;
  using bits = typename layout::bits_type;
  std::normal_distribution<double> normal;
  const double sign = random() % 2 == 0 ? 1 : -1;
  const T largest = std::bit_cast<T>(static_cast<bits>(layout::infinity - 1));
  switch (f) {
    case family::normal: return from_double<T>(normal(random));
    case family::uniform: return from_double<T>(static_cast<double>(random() >> 11) * 0x1p-53);
    case family::halves: return from_double<T>(static_cast<double>(static_cast<int>(random() % 41) - 20) / 2);
    case family::lognormal_1: return finite_from<T>(std::exp(normal(random)));
    case family::lognormal_10: return finite_from<T>(sign * std::exp(10 * normal(random)));
    case family::lognormal_50: return finite_from<T>(std::exp(50 * normal(random)));
    case family::any_finite: return random_finite<T>(random);
    case family::subnormal:
      return std::bit_cast<T>(static_cast<bits>(random() & (layout::sign | ((bits{1} << layout::mantissa_bits) - 1))));
    case family::largest: return largest;
    case family::largest_cancelling: return i % 2 == 0 ? largest : finite_from<T>(-multifold::to_double(largest));
    case family::beside_largest: {  // sums that round to the largest number, or to infinity
      const double top = multifold::to_double(largest),
                   half = std::ldexp(1, std::ilogb(top) - layout::mantissa_bits - 1);
      const double all[] = {half, half / 2, -half / 2, half / 8, 1, -1, top, -top};
      return i == 0 ? largest : finite_from<T>(all[random() % std::size(all)]);
    }
    case family::zeros:
      return random() % 10 == 0 ? random_finite<T>(random) : from_double<T>(random() % 2 == 0 ? 0.0 : -0.0);
    case family::negative_zeros: return from_double<T>(-0.0);
    case family::opposites: {
      test::random_bits both(static_cast<std::uint64_t>(i / 2));
      const double x = multifold::to_double(random_finite<T>(both));
      return i + 1 == count ? std::bit_cast<T>(bits{1}) : from_double<T>(i % 2 == 0 ? x : -x);
    }
    case family::tiny_then_huge: return finite_from<T>(i < 4096 && i < count / 2 ? 0x1p-130 * sign : 0x1p200 * sign);
    case family::scales_by_lane: return finite_from<T>(normal(random) * std::ldexp(1.0, (i % 16) * 9 - 70));
    case family::scales_by_tile: return finite_from<T>(normal(random) * ((i / 1024) % 2 == 0 ? 0x1p-60 : 0x1p60));
    case family::specials: break;
  }
  constexpr double special[] = {-0.0, 0.0, INFINITY, -INFINITY, NAN, NAN, NAN};
  return random() % 37 == 0 ? from_double<T>(special[random() % std::size(special)]) : from_double<T>(normal(random));
}

/// Elements of one family, one after the other in memory, from `at` on.
inline void fill_family(dtype type, family f, std::byte* at, std::int64_t count, test::random_bits& random) {
  multifold::visit_dtype(type, [&]<class T>() {
    if constexpr (multifold::floating_storage<T>) {
      for (std::int64_t i = 0; i < count; ++i) {
        const T x = element_of<T>(f, i, count, random);
        std::memcpy(at + i * static_cast<std::int64_t>(sizeof(T)), &x, sizeof(T));
      }
    }
  });
}

/// random_array, with elements of a family.
inline array random_array_of(dtype type, family f, const std::vector<std::int64_t>& extents,
                             test::random_bits& random) {
  array a = random_array(type, extents, random);
  const std::int64_t item = multifold::item_bytes(type);
  const std::int64_t start = reinterpret_cast<std::uintptr_t>(a.view.data) % static_cast<std::uintptr_t>(item) -
                             reinterpret_cast<std::uintptr_t>(a.memory.data()) % static_cast<std::uintptr_t>(item);
  const std::int64_t first = (start + item) % item;
  fill_family(type, f, a.memory.data() + first, (static_cast<std::int64_t>(a.memory.size()) - first) / item, random);
  return a;
}

/// A dense array of a family, `misalign` bytes off.
inline array dense_array_of(dtype type, family f, const std::vector<std::int64_t>& extents, test::random_bits& random,
                            std::int64_t misalign = 0) {
  array a;
  a.view = multifold::make_view(nullptr, type, extents);
  const std::int64_t bytes = a.view.elements() * multifold::item_bytes(type);
  a.memory.resize(static_cast<std::size_t>(bytes + misalign));
  fill_family(type, f, a.memory.data() + misalign, a.view.elements(), random);
  a.view.data = a.memory.data() + misalign;
  return a;
}

inline multifold::reduction exact_reduction(multifold::op_kind op, dtype type, dtype result,
                                            multifold::nan_policy nan = multifold::nan_policy::propagate) {
  multifold::reduction what = multifold::make_reduction(op, type, nan, multifold::accuracy::exact);
  what.result = result;
  return what;
}

}  // namespace test
