// Exact sums in little memory: what an accumulator of an exact sum is, and what happens to one that a pair cannot hold.
// Pairs: docs/exact-sums.md, 5.
#pragma once

#include <cstdint>
#include <memory>
#include <type_traits>

#include "host/elements/packed.hpp"
#include "host/exact/sum_arena.hpp"
#include "multifold/exact/expansions/pair.hpp"

namespace multifold::inline v0_1::host {

/// An exact sum: a pair as long as it is exact, which it nearly always is; else `low` is NaN, and the bits of `high`
/// are the address of a sum in the arena of the run. Not its own count of elements: that is the batch's.
struct exact_partial {
  exact_pair pair;

  bool spilled() const { return pair.lost(); }
};

/// The same of the elements that are not NaN, and how many those are.
struct counted_partial : exact_partial {
  std::int64_t count = 0;
};

/// What is done to neighbouring elements of one batch out of line, by SIMD level.
template <floating_storage T>
struct exact_kernels {
  /// Adds them to a sum, whatever they are. Their number is not counted, their specials are.
  void (*add_all)(exact_sum<T>& sum, const packed<T>* x, std::int64_t count);
  /// The sum of a tile if lanes of pairs hold it, of f16 if all are finite; else it is lost.
  exact_pair (*sum_tile)(const packed<T>* x, std::int64_t count);
};

namespace detail {

/// A sum of pairs for which `a + b` is not enough: all errors move down before the last one has to be exact.
inline exact_pair add_thoroughly(const exact_pair& a, const exact_pair& b) {
  using multifold::detail::add_exactly;
  const auto high = add_exactly(a.high, b.high), low = add_exactly(a.low, b.low);
  const auto middle = add_exactly(high.error, low.sum), top = add_exactly(high.sum, middle.sum);
  const double rest = multifold::detail::add_or_lose(middle.error, low.error);
  return {top.sum, multifold::detail::add_or_lose(top.error, rest)};
}

}  // namespace detail

/// The operation of the engine's exact sums. Accumulators that are spilled belong to one that holds their bits, once:
/// `merge` and `take_exactly` empty what they read.
template <floating_storage T, bool Omit>
struct exact_gather {
  using value_type = T;
  using accumulator = std::conditional_t<Omit, counted_partial, exact_partial>;

  sum_arena<exact_sum<T>>* arena;
  const exact_kernels<T>* kernels;

  accumulator identity() const { return {}; }

  /// Adds a pair, which is not lost.
  void add(exact_partial& into, const exact_pair& pair) const {
    if (!into.spilled()) {
      const exact_pair sum = into.pair + pair;
      if (!sum.lost()) {
        into.pair = sum;
        return;
      }
    }
    add_or_spill(into, pair);
  }

  void merge(accumulator& into, const accumulator& from) const {
    if constexpr (Omit) into.count += from.count;
    if (!from.spilled()) return add(into, from.pair);
    exact_sum<T>& more = sum_of(from);
    if (into.spilled()) {
      sum_of(into).merge(more);
      arena->release(more);
    } else {
      add_exact(more, into.pair);
      into.pair = from.pair;
    }
  }

  /// Merges a sum that counts its elements, as GPUs gather them.
  void merge_whole(accumulator& into, const exact_sum<T>& whole) const {
    const std::int64_t count = whole.counters().n;
    if (count == 0) return;
    if constexpr (Omit) into.count += count;
    if (into.spilled()) {
      sum_of(into).merge(whole);
    } else {
      exact_sum<T>& sum = arena->acquire();
      sum = whole;
      add_pair(sum, into.pair, 1);  // which marks it unless it is nothing but -0
      sum.add_counts({-1, 0, 0, 0, 0});
      into.pair = spilled_to(sum);
    }
    sum_of(into).add_counts({-count, 0, 0, 0, 0});
  }

  /// The sum of a partial that may be a pair still, and is spilled from now on.
  exact_sum<T>& spill(exact_partial& partial) const {
    if (partial.spilled()) return sum_of(partial);
    exact_sum<T>& sum = arena->acquire();
    sum.add_counts({0, 0, 0, 0, 1});  // what is spilled is not a sum of nothing but -0
    add_exact(sum, partial.pair);
    partial.pair = spilled_to(sum);
    return sum;
  }

  /// Calls `use` with the sum of `count` elements, whose place in the arena is free afterwards.
  template <class Use>
  void take_exactly(const exact_partial& partial, std::int64_t count, const Use& use) const {
    if (partial.spilled()) {
      exact_sum<T>& sum = sum_of(partial);
      sum.add_counts({count, 0, 0, 0, 0});
      use(sum);
      arena->release(sum);
    } else {
      exact_sum<T> sum;
      add_pair(sum, partial.pair, count);
      use(sum);
    }
  }

 private:
  static_assert(sizeof(std::uintptr_t) == sizeof(double));

  static exact_pair spilled_to(const exact_sum<T>& sum) {
    const auto not_a_number = bit_copy<double>(std::uint64_t{0x7ff8000000000000});
    return {bit_copy<double>(reinterpret_cast<std::uintptr_t>(&sum)), not_a_number};
  }

  static exact_sum<T>& sum_of(const exact_partial& partial) {
    return *reinterpret_cast<exact_sum<T>*>(bit_copy<std::uintptr_t>(partial.pair.high));
  }

  // Without counts.
  static void add_exact(exact_sum<T>& sum, const exact_pair& pair) {
    for (const double part : {pair.high, pair.low}) {
      const auto q = multifold::detail::quanta_of(part);
      sum.add_quanta(q.value, q.exponent);
    }
  }

  [[gnu::noinline]] void add_or_spill(exact_partial& into, const exact_pair& pair) const {
    if (!into.spilled()) {
      const exact_pair sum = detail::add_thoroughly(into.pair, pair);
      if (!sum.lost()) {
        into.pair = sum;
        return;
      }
    }
    add_exact(spill(into), pair);
  }
};

}  // namespace multifold::inline v0_1::host
