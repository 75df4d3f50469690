// Operations whose results tell which elements met, with which indices, and in which order. For tests of folds.
#pragma once

#include <cstdint>
#include <vector>

#include "core/random_view.hpp"
#include "multifold/fold.hpp"
#include "random_bits.hpp"

namespace multifold {

inline std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return x ^ x >> 31;
}

/// Each element with its index, once, in any order.
struct marked_elements {
  using value_type = std::int32_t;
  using accumulator = std::uint64_t;
  std::uint64_t identity() const { return 0; }
  std::uint64_t lift(std::int32_t x, std::int64_t index) const {
    return mixed(static_cast<std::uint64_t>(index) << 32 ^ static_cast<std::uint32_t>(x));
  }
  std::uint64_t combine(std::uint64_t a, std::uint64_t b) const { return a + b; }
  std::uint64_t lower(std::uint64_t sum, std::int64_t count) const { return sum ^ static_cast<std::uint64_t>(count); }
};

/// Affine maps a x + b modulo a prime, one after the other: associative, and as good as never commutative.
struct affine_map {
  std::uint64_t a, b;
};

struct composed_maps {
  static constexpr std::uint64_t prime = 2147483647;
  static constexpr bool ordered = true;
  using value_type = std::int32_t;
  using accumulator = affine_map;
  affine_map identity() const { return {1, 0}; }
  affine_map lift(std::int32_t x, std::int64_t index) const {
    const std::uint64_t bits = mixed(static_cast<std::uint64_t>(index) << 32 ^ static_cast<std::uint32_t>(x));
    return {1 + bits % (prime - 1), (bits >> 32) % prime};
  }
  affine_map combine(affine_map f, affine_map g) const { return {f.a * g.a % prime, (f.a * g.b + f.b) % prime}; }
  std::uint64_t lower(affine_map f, std::int64_t) const { return f.a << 32 | f.b; }
};

/// What `op` makes of a view, element by element in C order.
template <class Op>
std::vector<fold_result<Op>> fold_slowly(const Op& op, const array_view& view, const std::vector<std::int64_t>& axes) {
  std::vector<fold_result<Op>> results;
  for (const std::vector<std::int64_t>& offsets : testing_views::offsets_by_result(view, axes)) {
    auto all = op.identity();
    std::int64_t index = 0;
    for (const std::int64_t at : offsets) {
      all = op.combine(all, op.lift(static_cast<const typename Op::value_type*>(view.data)[at], index++));
    }
    results.push_back(op.lower(all, index));
  }
  return results;
}

inline std::vector<std::int32_t> random_integers(std::int64_t count, std::uint64_t seed = 1) {
  test::random_bits random(seed);
  std::vector<std::int32_t> x(static_cast<std::size_t>(count));
  for (std::int32_t& value : x) value = static_cast<std::int32_t>(random() % 2001) - 1000;
  return x;
}

}  // namespace multifold
