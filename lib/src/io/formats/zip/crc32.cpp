// By tables of eight bytes at a time, and by folding with carry-less multiplication.
// Source: V. Gopal et al., "Fast CRC Computation for Generic Polynomials Using PCLMULQDQ Instruction", Intel, 2009.
#include "io/formats/zip/crc32.hpp"

#include <array>
#include <cstring>

#include "core/little_endian.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace multifold::inline v0_1::io {
namespace {

// Polynomials of degree below 32 over GF(2), reflected: bit 31 is the coefficient of 1, bit 0 that of x^31.
constexpr std::uint32_t modulus = 0xedb88320u, one = 0x80000000u;

constexpr std::uint32_t times_x(std::uint32_t a) noexcept { return a >> 1 ^ (a & 1 ? modulus : 0); }

constexpr std::uint32_t product(std::uint32_t a, std::uint32_t b) noexcept {
  std::uint32_t sum = 0;
  for (std::uint32_t bit = one; bit != 0; bit >>= 1, b = times_x(b)) sum ^= a & bit ? b : 0;
  return sum;
}

// x^(2^i).
constexpr auto squares = [] {
  std::array<std::uint32_t, 64> all{times_x(one)};
  for (std::size_t i = 1; i < all.size(); ++i) all[i] = product(all[i - 1], all[i - 1]);
  return all;
}();

constexpr std::uint32_t power_of_x(std::uint64_t exponent, std::size_t square = 0) noexcept {
  std::uint32_t power = one;
  for (; exponent != 0; exponent >>= 1, ++square) {
    if (exponent & 1) power = product(power, squares[square]);
  }
  return power;
}

// What byte b, followed by i bytes of 0, leaves.
constexpr auto tables = [] {
  std::array<std::array<std::uint32_t, 256>, 8> all{};
  for (std::uint32_t b = 0; b < 256; ++b) {
    std::uint32_t rest = b;
    for (int bit = 0; bit < 8; ++bit) rest = times_x(rest);
    all[0][b] = rest;
  }
  for (std::size_t i = 1; i < all.size(); ++i) {
    for (std::size_t b = 0; b < 256; ++b) all[i][b] = all[i - 1][b] >> 8 ^ all[0][all[i - 1][b] & 255];
  }
  return all;
}();

// The remainder of what `rest` stands for, followed by `bytes`.
std::uint32_t remainder(std::uint32_t rest, std::span<const std::byte> bytes) noexcept {
  for (; bytes.size() >= 8; bytes = bytes.subspan(8)) {
    const std::uint64_t word = little_endian(bytes.first(8)) ^ rest;
    rest = 0;
    for (std::size_t i = 0; i < 8; ++i) rest ^= tables[7 - i][word >> 8 * i & 255];
  }
  for (const std::byte b : bytes) rest = rest >> 8 ^ tables[0][(rest ^ std::to_integer<std::uint32_t>(b)) & 255];
  return rest;
}

#if defined(__x86_64__)
// Multiplying 64 bits by such a constant moves them by `bits`, modulo the polynomial. A product of reflected factors is
// one place short, hence the shift.
constexpr std::int64_t moving(std::uint64_t bits) {
  return static_cast<std::int64_t>(std::uint64_t{power_of_x(bits)} << 1);
}

[[gnu::target("pclmul,sse4.1")]] inline __m128i moved(__m128i a, __m128i constants) noexcept {
  return _mm_xor_si128(_mm_clmulepi64_si128(a, constants, 0x00), _mm_clmulepi64_si128(a, constants, 0x11));
}

[[gnu::target("pclmul,sse4.1")]] inline __m128i sixteen(const std::byte* from) noexcept {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
}

// Eight remainders of 128 bits, each moved over the other seven and joined to the next bytes in its place.
[[gnu::target("pclmul,sse4.1")]] std::uint32_t remainder_pclmul(std::uint32_t rest,
                                                                std::span<const std::byte> bytes) noexcept {
  constexpr std::size_t ways = 8, step = 16 * ways;
  if (bytes.size() < step) return remainder(rest, bytes);
  // The low 64 bits of a reflected register are the ones further from the end.
  const __m128i all = _mm_set_epi64x(moving(8 * step - 32), moving(8 * step + 32));
  const __m128i next = _mm_set_epi64x(moving(128 - 32), moving(128 + 32));
  __m128i sum[ways];
  for (std::size_t i = 0; i < ways; ++i) sum[i] = sixteen(bytes.data() + 16 * i);
  sum[0] = _mm_xor_si128(sum[0], _mm_cvtsi32_si128(static_cast<int>(rest)));
  for (bytes = bytes.subspan(step); bytes.size() >= step; bytes = bytes.subspan(step)) {
    for (std::size_t i = 0; i < ways; ++i) sum[i] = _mm_xor_si128(moved(sum[i], all), sixteen(bytes.data() + 16 * i));
  }
  for (std::size_t i = 1; i < ways; ++i) sum[i] = _mm_xor_si128(moved(sum[i - 1], next), sum[i]);
  std::array<std::byte, 16> last;
  std::memcpy(last.data(), &sum[ways - 1], sizeof last);
  return remainder(remainder(0, last), bytes);
}

// The same of sixteen remainders in four registers.
[[gnu::target("avx512f,vpclmulqdq")]] std::uint32_t remainder_avx512(std::uint32_t rest,
                                                                     std::span<const std::byte> bytes) noexcept {
  constexpr std::size_t ways = 4, step = 64 * ways;
  if (bytes.size() < 2 * step) return remainder_pclmul(rest, bytes);
  const __m512i all =
      _mm512_set4_epi64(moving(8 * step - 32), moving(8 * step + 32), moving(8 * step - 32), moving(8 * step + 32));
  __m512i sum[ways];
  for (std::size_t i = 0; i < ways; ++i) sum[i] = _mm512_loadu_si512(bytes.data() + 64 * i);
  sum[0] = _mm512_xor_si512(sum[0], _mm512_zextsi128_si512(_mm_cvtsi32_si128(static_cast<int>(rest))));
  for (bytes = bytes.subspan(step); bytes.size() >= step; bytes = bytes.subspan(step)) {
    for (std::size_t i = 0; i < ways; ++i) {
      const __m512i low = _mm512_clmulepi64_epi128(sum[i], all, 0x00);
      const __m512i high = _mm512_clmulepi64_epi128(sum[i], all, 0x11);
      const __m512i next = _mm512_loadu_si512(bytes.data() + 64 * i);
      sum[i] = _mm512_ternarylogic_epi64(low, high, next, 0x96);  // the exclusive or of three
    }
  }
  std::array<std::byte, step> last;
  std::memcpy(last.data(), sum, sizeof last);
  return remainder_pclmul(remainder_pclmul(0, last), bytes);
}
#endif

using remainder_function = std::uint32_t (*)(std::uint32_t, std::span<const std::byte>) noexcept;

remainder_function best_remainder() noexcept {
#if defined(__x86_64__)
  const bool narrow = __builtin_cpu_supports("pclmul") && __builtin_cpu_supports("sse4.1");
  if (narrow && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("vpclmulqdq")) return remainder_avx512;
  if (narrow) return remainder_pclmul;
#endif
  return remainder;
}

}  // namespace

std::uint32_t crc32(std::span<const std::byte> bytes, bool simd) noexcept {
  static const remainder_function best = best_remainder();
  return ~(simd ? best : remainder)(~std::uint32_t{0}, bytes);
}

std::uint32_t joined_crc32(std::uint32_t first, std::uint32_t second, std::uint64_t second_bytes) noexcept {
  return product(power_of_x(second_bytes, 3), first) ^ second;  // 2^3 bits a byte
}

}  // namespace multifold::inline v0_1::io
