// Arithmetic on limbs of 64 bits: as at school, and division as in Knuth, The Art of Computer Programming 2, 4.3.1, D.
#include "multifold/exact/dyadic.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>

#include "multifold/error.hpp"
#include "multifold/exact/finish.hpp"

namespace multifold::inline v0_1 {
namespace {

template <floating_storage T>
dyadic of_number(T x) {
  const detail::unpacked parts = detail::unpack(x);
  if (!parts.finite()) throw unsupported_error("NaN and infinities are no exact numbers; expected a finite one");
  return dyadic(parts.significand, detail::float_layout<T>::least_exponent + parts.position, parts.negative);
}

std::uint64_t low_half(uint128_t x) { return static_cast<std::uint64_t>(x); }
std::uint64_t high_half(uint128_t x) { return static_cast<std::uint64_t>(x >> 64); }

// `from` times 2^shift, of which `into` takes what is not below its first bit; whether anything was.
bool shift_into(std::span<std::uint64_t> into, std::span<const std::uint64_t> from, std::int64_t shift) {
  const std::int64_t size = static_cast<std::int64_t>(from.size());
  const auto at = [&](std::int64_t i) { return i >= 0 && i < size ? from[static_cast<std::size_t>(i)] : 0; };
  const std::int64_t whole = shift >> 6, bits = shift & 63;
  for (std::size_t i = 0; i < into.size(); ++i) {
    const std::int64_t place = static_cast<std::int64_t>(i) - whole;
    into[i] = bits == 0 ? at(place) : at(place) << bits | at(place - 1) >> (64 - bits);
  }
  if (shift >= 0) return false;
  const std::int64_t cut = -whole;  // limbs below the first bit, the uppermost of them in part
  for (std::int64_t i = 0; i + 1 < cut && i < size; ++i)
    if (at(i) != 0) return true;
  return bits == 0 ? at(cut - 1) != 0 : at(cut - 1) << bits != 0;
}

std::int64_t bits_of(std::span<const std::uint64_t> limbs) {
  return 64 * static_cast<std::int64_t>(limbs.size()) - std::countl_zero(limbs.back());
}

// Takes digit * v from the upper end of u, u[at] to u[at + v.size()]; whether that was too much.
bool take_multiple(std::span<std::uint64_t> u, std::size_t at, std::span<const std::uint64_t> v, std::uint64_t digit) {
  std::uint64_t carry = 0;
  for (std::size_t i = 0; i < v.size(); ++i) {
    const uint128_t product = static_cast<uint128_t>(v[i]) * digit + carry;
    carry = high_half(product) + (u[at + i] < low_half(product) ? 1 : 0);
    u[at + i] -= low_half(product);
  }
  std::uint64_t& top = u[at + v.size()];
  const bool below = top < carry;
  top -= carry;
  return below;
}

// Whether that made up for what was taken too much.
bool give_back(std::span<std::uint64_t> u, std::size_t at, std::span<const std::uint64_t> v) {
  uint128_t carry = 0;
  for (std::size_t i = 0; i < v.size(); ++i) {
    carry += static_cast<uint128_t>(u[at + i]) + v[i];
    u[at + i] = low_half(carry);
    carry >>= 64;
  }
  carry += u[at + v.size()];
  u[at + v.size()] = low_half(carry);
  return high_half(carry) != 0;
}

}  // namespace

dyadic::dyadic(double x) : dyadic(of_number(x)) {}
dyadic::dyadic(f16 x) : dyadic(of_number(x)) {}
dyadic::dyadic(bf16 x) : dyadic(of_number(x)) {}

dyadic::dyadic(std::uint64_t significand, int exponent, bool negative) {
  if (significand == 0) return;
  grow({&significand, 1}, exponent);
  trim();
  negative_ = negative;
}

void dyadic::reserve(int from, int to) {
  if (limbs_.empty()) base_ = from;
  if (from < base_) {
    limbs_.insert(limbs_.begin(), static_cast<std::size_t>(base_ - from), 0);
    base_ = from;
  }
  if (to > top()) limbs_.resize(static_cast<std::size_t>(to - base_));
}

void dyadic::grow(std::span<const std::uint64_t> limbs, int exponent) {
  while (!limbs.empty() && limbs.back() == 0) limbs = limbs.first(limbs.size() - 1);
  if (limbs.empty()) return;
  const int place = exponent >> 6, bits = exponent & 63, size = static_cast<int>(limbs.size());
  reserve(place, place + size + (bits + std::bit_width(limbs.back()) > 64 ? 1 : 0));
  auto at = static_cast<std::size_t>(place - base_);
  uint128_t carry = 0;
  std::uint64_t below = 0;
  for (const std::uint64_t limb : limbs) {
    carry += static_cast<uint128_t>(limbs_[at]) + (bits == 0 ? limb : limb << bits | below);
    below = bits == 0 ? 0 : limb >> (64 - bits);
    limbs_[at++] = low_half(carry);
    carry >>= 64;
  }
  for (carry += below; carry != 0; carry >>= 64, ++at) {
    if (at == limbs_.size()) limbs_.push_back(0);
    carry += limbs_[at];
    limbs_[at] = low_half(carry);
  }
}

// For a magnitude that is not greater.
void dyadic::subtract(const dyadic& less) {
  reserve(less.base_, less.top());
  std::uint64_t borrow = 0;
  for (auto at = static_cast<std::size_t>(less.base_ - base_); at < limbs_.size(); ++at) {
    const std::uint64_t taken = less.limb(base_ + static_cast<int>(at)), here = limbs_[at];
    limbs_[at] = here - taken - borrow;
    borrow = here < taken || (here == taken && borrow != 0) ? 1 : 0;
  }
}

// Neither end is zero.
void dyadic::trim() {
  while (!limbs_.empty() && limbs_.back() == 0) limbs_.pop_back();
  const auto first = std::find_if(limbs_.begin(), limbs_.end(), [](std::uint64_t limb) { return limb != 0; });
  base_ = limbs_.empty() ? 0 : base_ + static_cast<int>(first - limbs_.begin());
  limbs_.erase(limbs_.begin(), first);
  negative_ = negative_ && !zero();
}

dyadic operator+(const dyadic& a, const dyadic& b) {
  if (b.zero()) return a;
  if (a.zero()) return b;
  if (a.negative_ == b.negative_) {
    dyadic sum = a;
    sum.grow(b);
    sum.trim();
    return sum;
  }
  int place = std::max(a.top(), b.top()) - 1;
  const int last = std::min(a.base_, b.base_);
  while (place > last && a.limb(place) == b.limb(place)) --place;
  const bool greater = a.limb(place) >= b.limb(place);
  dyadic difference = greater ? a : b;
  difference.subtract(greater ? b : a);
  difference.trim();
  return difference;
}

dyadic operator*(const dyadic& a, const dyadic& b) {
  dyadic product;
  product.limbs_.resize(a.limbs_.size() + b.limbs_.size());
  product.base_ = a.base_ + b.base_;
  product.negative_ = a.negative_ != b.negative_;
  for (std::size_t i = 0; i < a.limbs_.size(); ++i) {
    std::uint64_t carry = 0;
    for (std::size_t j = 0; j < b.limbs_.size(); ++j) {
      const uint128_t sum = static_cast<uint128_t>(a.limbs_[i]) * b.limbs_[j] + product.limbs_[i + j] + carry;
      product.limbs_[i + j] = low_half(sum);
      carry = high_half(sum);
    }
    product.limbs_[i + b.limbs_.size()] = carry;
  }
  product.trim();
  return product;
}

exact_value quotient(const dyadic& a, const dyadic& b) {
  exact_value value;
  std::vector<std::uint64_t> v = b.limbs_, rest(v.size() + 3);
  dyadic dividend = a;
  dividend.trim();
  if (dividend.zero()) return value;
  // v has its highest bit at the top, and the dividend the bit below that, three limbs above: the quotient has 191 or
  // 192 bits, and no digit of it passes 64.
  const std::int64_t a_bits = bits_of(dividend.limbs_), b_bits = bits_of(b.limbs_);
  shift_into(v, b.limbs_, 64 * static_cast<std::int64_t>(v.size()) - b_bits);
  bool more = shift_into(rest, dividend.limbs_, 64 * static_cast<std::int64_t>(rest.size()) - 1 - a_bits);
  std::uint64_t digits[3];
  for (std::size_t i = 3; i-- > 0;) {
    const std::uint64_t top = rest[i + v.size()];
    const uint128_t upper = static_cast<uint128_t>(top) << 64 | rest[i + v.size() - 1];
    digits[i] = top >= v.back() ? UINT64_MAX : low_half(upper / v.back());  // too much by 2 at most
    if (!take_multiple(rest, i, v, digits[i])) continue;
    do --digits[i];
    while (!give_back(rest, i, v));
  }
  for (const std::uint64_t limb : rest) more = more || limb != 0;
  const int unused = std::countl_zero(digits[2]);
  value.significand = static_cast<uint128_t>(digits[2]) << 64 | digits[1];
  if (unused != 0) value.significand = value.significand << unused | digits[0] >> (64 - unused);
  value.sticky = more || (digits[0] << unused) != 0;
  value.exponent = static_cast<int>(a_bits - b_bits) - 127 - unused + 64 * (dividend.base_ - b.base_);
  value.negative = a.negative_ != b.negative_;
  return value;
}

}  // namespace multifold::inline v0_1
