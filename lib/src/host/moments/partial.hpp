// Sums of moments of floating point in little memory: what their accumulators are, and what happens to one that a few
// numbers cannot hold.
#pragma once

#include <cstdint>
#include <memory>

#include "host/exact/sum_arena.hpp"
#include "host/exact/tile.hpp"
#include "host/moments/terms.hpp"
#include "multifold/ops/moments/moments.hpp"

namespace multifold::inline v0_1::host {

/// Where the sums of a set lie in a row of numbers. Each is that of two or three of them, exactly: elements of double
/// have 53 bits, their products 106.
template <class C, moment_set Set>
struct moment_parts {
  static constexpr int product_count = sizeof(C) == 8 ? 3 : 2;
  static constexpr int x = 0;
  static constexpr int y = x + (sums_elements(Set) ? 2 : 0);
  static constexpr int products = y + (Set == moment_set::joint ? 2 : 0);
  static constexpr int count = products + (sums_products(Set) ? product_count : 0);
};

/// Marks, which only a description has.
struct no_marks {
  void merge(const no_marks&) {}
};
template <class C, moment_set Set>
using partial_marks_of = std::conditional_t<Set == moment_set::description, description_marks<C>, no_marks>;

/// The sums of a set, and the number of elements that take part. As soon as one sum is lost, which its last number
/// tells by being NaN, all of them lie in the arena of the run, and `count` is the address.
template <class C, moment_set Set>
struct moment_partial {
  using parts = moment_parts<C, Set>;
  double part[parts::count];
  std::int64_t count;
  [[no_unique_address]] partial_marks_of<C, Set> marks;

  bool spilled() const { return part[parts::count - 1] != part[parts::count - 1]; }
};

/// Calls `f(first, count)` for the numbers of each sum.
template <class C, moment_set Set, class F>
MULTIFOLD_INLINE void for_each_sum(const F& f) {
  using parts = moment_parts<C, Set>;
  if constexpr (sums_elements(Set)) f(std::integral_constant<int, parts::x>{}, std::integral_constant<int, 2>{});
  if constexpr (Set == moment_set::joint) f(std::integral_constant<int, parts::y>{}, std::integral_constant<int, 2>{});
  if constexpr (sums_products(Set)) {
    f(std::integral_constant<int, parts::products>{}, std::integral_constant<int, parts::product_count>{});
  }
}

template <class T, moment_set Set>
struct moment_level;

/// The operation of the engine's moments. Accumulators that are spilled belong to one that holds their bits, once:
/// `merge` and `release` empty what they read.
template <floating_storage T, moment_set Set>
struct moment_gather {
  using element = T;
  using carrier = carrier_of<T>;
  using parts = moment_parts<carrier, Set>;
  using accumulator = moment_partial<carrier, Set>;
  using sums = moment_sums<T, Set>;
  static constexpr moment_set set = Set;

  exact_moments<T, Set> moments;
  sum_arena<sums>* arena;
  const moment_level<T, Set>* level;

  static accumulator identity() {
    accumulator a{};
    for_each_sum<carrier, Set>([&](int first, int) { a.part[first] = -0.0; });
    return a;
  }

  static sums& wide_of(const accumulator& a) { return *reinterpret_cast<sums*>(static_cast<std::uintptr_t>(a.count)); }

  /// The wide sums of an accumulator, which has spilled from now on.
  sums& spill(accumulator& a) const {
    if (a.spilled()) return wide_of(a);
    sums& wide = arena->acquire();
    add_to(wide, a);
    a = identity();
    for (double& part : a.part) part = std::numeric_limits<double>::quiet_NaN();
    a.count = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(&wide));
    return wide;
  }

  void merge(accumulator& into, const accumulator& from) const {
    if (from.spilled()) {
      sums& more = wide_of(from);
      if (into.spilled()) {
        wide_of(into).merge(more);
        arena->release(more);
      } else {
        add_to(more, into);
        into = from;
      }
      return;
    }
    if (!into.spilled()) {
      accumulator sum = into;
      if (add(sum, from)) {
        into = sum;
        return;
      }
    }
    add_to(spill(into), from);
  }

  /// Adds an accumulator that has not spilled.
  static void add_to(sums& wide, const accumulator& a) {
    if constexpr (sums_elements(Set)) add_parts<2>(wide.x, a.part + parts::x, a.count);
    if constexpr (Set == moment_set::joint) add_parts<2>(wide.y, a.part + parts::y, a.count);
    if constexpr (sums_products(Set)) {
      add_parts<parts::product_count>(wide.products, a.part + parts::products, a.count);
    }
    if constexpr (Set == moment_set::description) wide.marks.merge(a.marks);
  }

 private:
  static_assert(sizeof(std::uintptr_t) == sizeof(std::int64_t));

  template <int Count, exact_format Format>
  static void add_parts(exact_accumulator<Format>& sum, const double* part, std::int64_t count) {
    bool negative_zero = std::signbit(part[0]);
    for (int i = 0; i < Count; ++i) negative_zero = negative_zero && part[i] == 0;
    sum.add_counts({count, 0, 0, 0, count > 0 && !negative_zero ? 1 : 0});
    for (int i = 0; i < Count; ++i) add_part(sum, part[i], 0);
  }

  // False if one of the sums is lost; `into` is then of no use.
  static bool add(accumulator& into, const accumulator& from) {
    bool kept = true;
    for_each_sum<carrier, Set>([&](auto first, auto count) {
      for (int i = 0; i < count; ++i) {
        double x = from.part[first + i];
        for (int k = i; k + 1 < count; ++k) {
          const auto s = multifold::detail::add_exactly(into.part[first + k], x);
          into.part[first + k] = s.sum;
          x = s.error;
        }
        double& last = into.part[first + count - 1];
        last = multifold::detail::add_or_lose(last, x);
      }
      kept = kept && into.part[first + count - 1] == into.part[first + count - 1];
    });
    into.count += from.count;
    into.marks.merge(from.marks);
    return kept;
  }
};

}  // namespace multifold::inline v0_1::host
