// Data that is hard on exact sums, quickly made: by bits, without an oracle.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>
#include <string_view>
#include <vector>

#include "device/device_fixture.hpp"
#include "multifold/exact.hpp"

namespace multifold::device_tests {

enum class data_family {
  normal,
  uniform,
  lognormal,   // sigma 3
  wide,        // lognormal, sigma 50
  any_bits,    // any finite bits
  subnormal,   // and zeros
  cancelling,  // huge values and their negatives, and a few tiny ones
  greatest,    // the largest finite of both signs
  zeros,       // of both signs
  negative_zeros,
  specials,     // ordinary values, NaN and infinities
  empty_zeros,  // -0, and a few NaN
};
inline constexpr data_family all_families[] = {
    data_family::normal,   data_family::uniform,        data_family::lognormal,  data_family::wide,
    data_family::any_bits, data_family::subnormal,      data_family::cancelling, data_family::greatest,
    data_family::zeros,    data_family::negative_zeros, data_family::specials,   data_family::empty_zeros};

inline std::string_view name(data_family family) {
  constexpr std::string_view names[] = {"normal",   "uniform",        "lognormal",  "wide",
                                        "any bits", "subnormal",      "cancelling", "greatest",
                                        "zeros",    "negative zeros", "specials",   "-0 and NaN"};
  return names[static_cast<int>(family)];
}

/// The nearest T, or the greatest finite one.
template <floating_storage T>
T finite_near(double x) {
  T y;
  if constexpr (std::is_same_v<T, f16>) y = to_f16(x);
  else if constexpr (std::is_same_v<T, bf16>) y = to_bf16(x);
  else y = static_cast<T>(x);
  using layout = detail::float_layout<T>;
  auto bits = bit_copy<typename layout::bits_type>(y);
  if ((bits & static_cast<typename layout::bits_type>(~layout::sign)) == layout::infinity) --bits;
  return bit_copy<T>(bits);
}

template <floating_storage T>
T element_of(data_family family, std::int64_t i, random_engine& rng) {
  using layout = detail::float_layout<T>;
  using bits_type = typename layout::bits_type;
  std::normal_distribution<double> normal;
  const auto any = static_cast<bits_type>(rng());
  const auto sign = static_cast<bits_type>(any & layout::sign);
  const auto magnitude = static_cast<bits_type>(any & static_cast<bits_type>(~layout::sign));
  switch (family) {
    case data_family::normal: return finite_near<T>(normal(rng));
    case data_family::uniform: return finite_near<T>(std::ldexp(static_cast<double>(rng() >> 11), -53));
    case data_family::lognormal: return finite_near<T>(std::exp(3 * normal(rng)));
    case data_family::wide: return finite_near<T>(std::exp(50 * normal(rng)));
    case data_family::any_bits: return bit_copy<T>(static_cast<bits_type>(sign | magnitude % layout::infinity));
    case data_family::subnormal:
      return bit_copy<T>(static_cast<bits_type>(sign | (magnitude & ((bits_type{1} << layout::mantissa_bits) - 1))));
    case data_family::cancelling: {
      // Pairs of neighbours cancel; every 64th pair is tiny.
      random_engine pair(static_cast<std::uint64_t>(i / 2));
      const auto x = static_cast<bits_type>(static_cast<bits_type>(pair()) % layout::infinity &
                                            static_cast<bits_type>(~layout::sign));
      if (i / 2 % 64 == 0) return bit_copy<T>(static_cast<bits_type>(1 + i % 2));
      return bit_copy<T>(static_cast<bits_type>(x | (i % 2 != 0 ? layout::sign : 0)));
    }
    case data_family::greatest: return bit_copy<T>(static_cast<bits_type>(sign | (layout::infinity - 1)));
    case data_family::zeros: return bit_copy<T>(sign);
    case data_family::negative_zeros: return bit_copy<T>(layout::sign);
    case data_family::empty_zeros: return bit_copy<T>(rng() % 64 == 0 ? layout::quiet_nan : layout::sign);
    case data_family::specials: break;
  }
  if (rng() % 64 != 0) return finite_near<T>(normal(rng));
  return bit_copy<T>(static_cast<bits_type>(rng() % 2 == 0 ? layout::quiet_nan : layout::infinity | sign));
}

inline std::vector<std::byte> exact_elements(dtype type, std::int64_t count, data_family family, random_engine& rng) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(count * item_bytes(type)));
  visit_dtype(type, [&]<class T>() {
    if constexpr (floating_storage<T>) {
      for (std::int64_t i = 0; i < count; ++i) {
        const T x = element_of<T>(family, i, rng);
        std::memcpy(bytes.data() + i * static_cast<std::int64_t>(sizeof(T)), &x, sizeof(T));
      }
    }
  });
  return bytes;
}

}  // namespace multifold::device_tests
