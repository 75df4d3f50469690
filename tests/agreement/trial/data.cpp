// The families of numbers, as bits of a binary format or of an integer.
#include "agreement/trial/data.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

#include "agreement/reference/number.hpp"

namespace multifold::agreement {
namespace {

// Draws from one hash after the other.
class draw {
 public:
  draw(std::uint64_t seed, std::uint64_t at) : seed_(seed), hash_(mixed(seed, at)) {}
  std::uint64_t bits() { return hash_ = mixed(seed_, hash_); }
  std::int64_t between(std::int64_t least, std::int64_t greatest) {
    return least + static_cast<std::int64_t>(bits() % static_cast<std::uint64_t>(greatest - least + 1));
  }
  bool one_in(int n) { return bits() % static_cast<std::uint64_t>(n) == 0; }

 private:
  std::uint64_t seed_, hash_;
};

class floating {
 public:
  explicit floating(format f) : f_(f), hidden_(std::uint64_t{1} << (f.precision - 1)) {}

  std::uint64_t of(const numbers& n, std::uint64_t at) const {
    draw d(n.seed, at);
    if (n.nan_in != 0 && d.one_in(n.nan_in))
      return of_sign(n, f_.infinity() | (d.bits() & (hidden_ - 1)) | 1, d.bits());
    if (n.infinite_in != 0 && d.one_in(n.infinite_in)) return of_sign(n, f_.infinity(), d.bits());
    if (n.kind == family::cancelling) {
      draw pair(n.seed, at / 2 + (std::uint64_t{1} << 40));
      if (!pair.one_in(8)) return of_sign(n, magnitude(family::wild, pair), at % 2 == 0 ? ~std::uint64_t{0} : 0);
    }
    if (n.kind == family::constant) d = draw(n.seed, 0);
    return of_sign(n, magnitude(n.kind, d), d.bits());
  }

 private:
  std::uint64_t of_sign(const numbers& n, std::uint64_t magnitude, std::uint64_t random) const {
    const bool negative = n.sign != 0 ? n.sign < 0 : (random & 1024) != 0;
    return magnitude | (negative ? f_.sign() : 0);
  }
  // 2^exponent * (1 + fraction), as near as the format comes.
  std::uint64_t power(std::int64_t exponent, std::uint64_t fraction) const {
    const std::int64_t field = exponent + f_.bias;
    if (field <= 0) return std::max<std::uint64_t>(hidden_ >> std::min<std::int64_t>(1 - field, 60), 1);
    return (static_cast<std::uint64_t>(std::min<std::int64_t>(field, 2 * f_.bias)) << (f_.precision - 1)) |
           (fraction & (hidden_ - 1));
  }
  std::uint64_t magnitude(family kind, draw& d) const {
    const std::uint64_t one = power(0, 0), finite = f_.infinity() - 1;
    switch (kind) {
      case family::ordinary: return d.one_in(8) ? power(d.between(0, 6), 0) : power(d.between(-3, 3), d.bits());
      case family::wide: return power(d.between(-40, 40), d.bits());
      case family::wild:
      case family::cancelling: return d.bits() % f_.infinity();
      case family::zeros: return d.one_in(64) ? power(d.between(-3, 3), d.bits()) : 0;
      case family::subnormal: return d.one_in(16) ? hidden_ : d.bits() & (hidden_ - 1);
      case family::extremes: {
        const std::uint64_t half = power(f_.bias - f_.precision, 0);  // of the greatest one's last place
        const std::array<std::uint64_t, 9> all{finite,      finite - 1, half, half - hidden_, 1, hidden_,
                                               hidden_ - 1, one,        0};
        return all[d.bits() % all.size()];
      }
      case family::ties: return tie(d);
      case family::constant: return d.one_in(2) ? power(d.between(-40, 40), d.bits()) : d.bits() % f_.infinity();
      case family::factors: return d.one_in(8) ? power(d.between(-2, 2), 0) : power(-d.between(0, 1), d.bits());
    }
    return one;
  }
  // 1 and what half a last place of it is made of, and something far below.
  std::uint64_t tie(draw& d) const {
    const int p = f_.precision;
    const std::array<std::int64_t, 8> exponents{0, 0, 1, -p, -p, -p - 1, -2 * p, -2 * p - 40};
    return power(exponents[d.bits() % exponents.size()], d.one_in(8) ? ~std::uint64_t{0} : 0);
  }

  format f_;
  std::uint64_t hidden_;
};

class integral {
 public:
  explicit integral(dtype type)
      : bits_(static_cast<int>(8 * item_bytes(type))), no_sign_(is_unsigned(type)), truth_(type == dtype::boolean) {}

  std::uint64_t of(const numbers& n, std::uint64_t at) const {
    draw d(n.seed, at);
    if (n.kind == family::constant) d = draw(n.seed, 0);
    if (truth_) return n.kind == family::zeros ? (d.one_in(64) ? 1 : 0) : d.one_in(4) ? d.bits() : d.bits() & 1;
    if (n.kind == family::cancelling) {
      draw pair(n.seed, at / 2 + (std::uint64_t{1} << 40));
      const auto half = static_cast<std::int64_t>(pair.bits()) >> (65 - bits_);
      return static_cast<std::uint64_t>(at % 2 == 0 ? half : -half);
    }
    const auto value = static_cast<std::int64_t>(element(n.kind, d));
    if (n.sign > 0 && !no_sign_) return static_cast<std::uint64_t>(value) & (greatest() >> 1 | 1);
    return static_cast<std::uint64_t>(value);
  }

 private:
  std::uint64_t greatest() const { return ~std::uint64_t{0} >> (64 - bits_ + (no_sign_ ? 0 : 1)); }
  std::uint64_t element(family kind, draw& d) const {
    switch (kind) {
      case family::ordinary: return static_cast<std::uint64_t>(d.between(no_sign_ ? 0 : -100, 100));
      case family::wide: return static_cast<std::uint64_t>(static_cast<std::int64_t>(d.bits()) >> d.between(0, 63));
      case family::zeros: return d.one_in(64) ? 1 : 0;
      case family::subnormal: return static_cast<std::uint64_t>(d.between(no_sign_ ? 0 : -1, 1));
      case family::extremes: {
        const std::uint64_t most = greatest();
        const std::array<std::uint64_t, 7> all{most, most - 1, most + 1, most + 2, 0, 1, ~std::uint64_t{0}};
        return all[d.bits() % all.size()];
      }
      case family::ties: {
        const std::uint64_t middle = bits_ == 64 ? ((std::uint64_t{1} << 53) + 1) << d.between(0, 9) : greatest() / 2;
        return middle + static_cast<std::uint64_t>(d.between(0, 1));
      }
      case family::factors: {
        const std::uint64_t factor = d.one_in(16) ? static_cast<std::uint64_t>(d.between(2, 5)) : 1;
        return no_sign_ || d.one_in(2) ? factor : ~factor + 1;
      }
      default: return d.bits();
    }
  }

  int bits_;
  bool no_sign_, truth_;
};

template <class Bits, class Maker>
void fill_with(const Maker& maker, const numbers& n, std::span<std::byte> buffer) {
  const std::size_t count = buffer.size() / sizeof(Bits);
  for (std::size_t i = 0; i < count; ++i) {
    const auto bits = static_cast<Bits>(maker.of(n, i));
    std::memcpy(buffer.data() + i * sizeof(Bits), &bits, sizeof(Bits));
  }
}

}  // namespace

void fill(const numbers& given, dtype type, int which, std::span<std::byte> buffer) {
  numbers n = given;
  if (which != 0) n.seed = mixed(n.seed, 77);
  const auto with = [&](const auto& maker) {
    switch (item_bytes(type)) {
      case 1: return fill_with<std::uint8_t>(maker, n, buffer);
      case 2: return fill_with<std::uint16_t>(maker, n, buffer);
      case 4: return fill_with<std::uint32_t>(maker, n, buffer);
      default: return fill_with<std::uint64_t>(maker, n, buffer);
    }
  };
  if (is_floating(type)) with(floating(format_of(type)));
  else with(integral(type));
}

}  // namespace multifold::agreement
