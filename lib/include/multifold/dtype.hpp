// The element types: their names, sizes, and the two 16-bit formats that C++20 lacks. No arithmetic.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "multifold/error.hpp"
#include "multifold/export.hpp"

#if defined(__CUDACC__)
#define MULTIFOLD_HD __host__ __device__
#else
#define MULTIFOLD_HD
#endif

struct __half;         // of CUDA's cuda_fp16.h
struct __nv_bfloat16;  // of its cuda_bf16.h

namespace multifold::inline v0_1 {

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

/// bfloat16: the upper half of a float, stored as its bits.
struct bf16 {
  std::uint16_t bits;
};

/// std::bit_cast, which device code may not call.
template <class To, class From>
requires(sizeof(To) == sizeof(From)) MULTIFOLD_HD constexpr To bit_copy(const From& from) noexcept {
  return __builtin_bit_cast(To, from);
}

MULTIFOLD_EXPORT std::string_view name(dtype type) noexcept;

/// Reads names as `name` writes them and NumPy's ("float32", "int8", "bool"); empty if there is no such type.
MULTIFOLD_EXPORT std::optional<dtype> parse_dtype(std::string_view text) noexcept;

namespace detail {

// The logarithms of the dtypes' sizes, two bits each. Kernels build an array on their stack whenever they look into it.
inline constexpr std::uint32_t item_shifts = [] {
  std::uint32_t shifts = 0;
  int place = 0;
  for (const unsigned shift : {0u, 0u, 1u, 2u, 3u, 0u, 1u, 2u, 3u, 1u, 1u, 2u, 3u}) shifts |= shift << (2 * place++);
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
MULTIFOLD_STORAGE(signed char, i8)
MULTIFOLD_STORAGE(short, i16)
MULTIFOLD_STORAGE(int, i32)
MULTIFOLD_STORAGE(long long, i64)
MULTIFOLD_STORAGE(unsigned char, u8)
MULTIFOLD_STORAGE(unsigned short, u16)
MULTIFOLD_STORAGE(unsigned, u32)
MULTIFOLD_STORAGE(unsigned long long, u64)
MULTIFOLD_STORAGE(f16, f16)
MULTIFOLD_STORAGE(bf16, bf16)
MULTIFOLD_STORAGE(float, f32)
MULTIFOLD_STORAGE(double, f64)
#if defined(__STDCPP_FLOAT16_T__) || (defined(__clang__) && defined(__FLT16_MAX__) && !defined(__CUDACC__))
MULTIFOLD_STORAGE(_Float16, f16)  // std::float16_t
#endif
#if defined(__STDCPP_BFLOAT16_T__)
MULTIFOLD_STORAGE(decltype(0.0bf16), bf16)  // std::bfloat16_t
#endif
MULTIFOLD_STORAGE(__half, f16)
MULTIFOLD_STORAGE(__nv_bfloat16, bf16)
#undef MULTIFOLD_STORAGE

template <>
inline constexpr bool is_storage<long> = true;
template <>
inline constexpr dtype dtype_of<long> = sizeof(long) == 8 ? dtype::i64 : dtype::i32;
template <>
inline constexpr bool is_storage<unsigned long> = true;
template <>
inline constexpr dtype dtype_of<unsigned long> = sizeof(long) == 8 ? dtype::u64 : dtype::u32;

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

}  // namespace multifold::inline v0_1
