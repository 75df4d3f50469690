// The element types: their names, sizes, and the two 16-bit formats that C++20 lacks. No arithmetic.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "multifold/error.hpp"

#if defined(__CUDACC__)
#define MULTIFOLD_HD __host__ __device__
#else
#define MULTIFOLD_HD
#endif

namespace multifold {

__extension__ typedef __int128 int128_t;
__extension__ typedef unsigned __int128 uint128_t;

enum class dtype : std::uint8_t { boolean, i8, i16, i32, i64, u8, u16, u32, u64, f16, bf16, f32, f64 };

/// One byte; every non-zero byte is true.
struct bool8 {
  std::uint8_t bits;
};

/// IEEE 754 binary16, stored as its bits.
struct f16 {
  std::uint16_t bits;
};

/// bfloat16: the upper half of a binary32, stored as its bits.
struct bf16 {
  std::uint16_t bits;
};

/// std::bit_cast, which device code may not call.
template <class To, class From>
requires(sizeof(To) == sizeof(From)) MULTIFOLD_HD constexpr To bit_copy(const From& from) noexcept {
  return __builtin_bit_cast(To, from);
}

std::string_view name(dtype type) noexcept;

/// Reads names as `name` writes them and NumPy's ("float32", "int8", "bool"); empty if there is no such type.
std::optional<dtype> parse_dtype(std::string_view text) noexcept;

namespace detail {

// The logarithms of the dtypes' sizes, two bits each. Kernels build an array on their stack whenever they look into it.
inline constexpr std::uint32_t item_shifts = [] {
  std::uint32_t shifts = 0;
  int place = 0;
  for (const unsigned shift : {0, 0, 1, 2, 3, 0, 1, 2, 3, 1, 1, 2, 3}) shifts |= shift << (2 * place++);
  return shifts;
}();

}  // namespace detail

MULTIFOLD_HD constexpr std::int64_t item_bytes(dtype type) noexcept {
  return std::int64_t{1} << (detail::item_shifts >> (2 * static_cast<int>(type)) & 3u);
}

MULTIFOLD_HD constexpr bool is_floating(dtype type) noexcept { return type >= dtype::f16; }
MULTIFOLD_HD constexpr bool is_unsigned(dtype type) noexcept { return type >= dtype::u8 && type <= dtype::u64; }

template <class T>
inline constexpr bool is_storage = false;
template <class T>
inline constexpr dtype dtype_of = dtype::boolean;

#define MULTIFOLD_STORAGE(TYPE, VALUE)           \
  template <>                                    \
  inline constexpr bool is_storage<TYPE> = true; \
  template <>                                    \
  inline constexpr dtype dtype_of<TYPE> = dtype::VALUE;
MULTIFOLD_STORAGE(bool8, boolean)
MULTIFOLD_STORAGE(bool, boolean)
MULTIFOLD_STORAGE(std::int8_t, i8)
MULTIFOLD_STORAGE(std::int16_t, i16)
MULTIFOLD_STORAGE(std::int32_t, i32)
MULTIFOLD_STORAGE(std::int64_t, i64)
MULTIFOLD_STORAGE(std::uint8_t, u8)
MULTIFOLD_STORAGE(std::uint16_t, u16)
MULTIFOLD_STORAGE(std::uint32_t, u32)
MULTIFOLD_STORAGE(std::uint64_t, u64)
MULTIFOLD_STORAGE(f16, f16)
MULTIFOLD_STORAGE(bf16, bf16)
MULTIFOLD_STORAGE(float, f32)
MULTIFOLD_STORAGE(double, f64)
#undef MULTIFOLD_STORAGE

/// A C++ type that an array may hold.
template <class T>
concept storage_type = is_storage<T>;

template <class T>
concept floating_storage =
    std::same_as<T, f16> || std::same_as<T, bf16> || std::same_as<T, float> || std::same_as<T, double>;

/// Calls `f.template operator()<T>()` with the storage type of `type`.
template <class F>
constexpr decltype(auto) visit_dtype(dtype type, F&& f) {
  switch (type) {
    case dtype::boolean: return f.template operator()<bool8>();
    case dtype::i8: return f.template operator()<std::int8_t>();
    case dtype::i16: return f.template operator()<std::int16_t>();
    case dtype::i32: return f.template operator()<std::int32_t>();
    case dtype::i64: return f.template operator()<std::int64_t>();
    case dtype::u8: return f.template operator()<std::uint8_t>();
    case dtype::u16: return f.template operator()<std::uint16_t>();
    case dtype::u32: return f.template operator()<std::uint32_t>();
    case dtype::u64: return f.template operator()<std::uint64_t>();
    case dtype::f16: return f.template operator()<f16>();
    case dtype::bf16: return f.template operator()<bf16>();
    case dtype::f32: return f.template operator()<float>();
    case dtype::f64: break;
  }
  return f.template operator()<double>();
}

/// The same for a floating-point `type`. Throws: unsupported_error for all others.
template <class F>
constexpr decltype(auto) visit_floating(dtype type, F&& f) {
  switch (type) {
    case dtype::f16: return f.template operator()<f16>();
    case dtype::bf16: return f.template operator()<bf16>();
    case dtype::f32: return f.template operator()<float>();
    case dtype::f64: return f.template operator()<double>();
    case dtype::boolean:
    case dtype::i8:
    case dtype::i16:
    case dtype::i32:
    case dtype::i64:
    case dtype::u8:
    case dtype::u16:
    case dtype::u32:
    case dtype::u64: break;
  }
  throw unsupported_error(std::string(name(type)) + " is no floating-point type");
}

}  // namespace multifold
