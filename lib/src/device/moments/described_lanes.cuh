// Descriptions of integers as a lane of a tile gathers them: sums, zeros, and extremes by their numbers in the run; of
// 1 and 2 bytes by whole vectors where the elements of a run are neighbours.
#pragma once

#include "device/moments/tiles/fold.cuh"

namespace multifold::inline v0_1::cuda::moments {

/// Vectors that a lane has seen, whose numbers ascend. A lane of a run has fewer than 2^12 elements, so that 2^15 for
/// each zero fit a word.
template <storage_type T>
requires(!floating_storage<T> && sizeof(T) <= 2) struct described_vectors {
  using key = key_of<T>;
  using policy_type = key_policy<key>;
  using carrier = order_carrier<T>;
  using op_type = moment_fold<carrier, moment_set::description>;
  using least_type = kernels::first_least<carrier>;
  static constexpr bool bytes = sizeof(T) == 1;
  static constexpr unsigned ones = bytes ? 0x01010101u : 0x00010001u, signs = ones << (8 * sizeof(T) - 1);
  static_assert(most_run_share <= 1 << 12);

  typename op_type::lane sums{};
  unsigned zeros = 0;  // the sign bit's value for each
  least_type least, greatest;

  /// Of a lane whose first vector has this number.
  __device__ explicit described_vectors(int first) : least(lowest(), first), greatest(highest(), first) {}

  __device__ static policy_type lowest() { return policy_of(false); }
  __device__ static policy_type highest() { return policy_of(true); }

  __device__ void see(const kernels::vector_word& v, int number) {
    unsigned low = 0, high = 0;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const unsigned word = std::is_same_v<T, bool8> ? __vsetne4(v.words[i], 0u) : v.words[i];
      if constexpr (bytes) add_bytes<T, false>(sums, word);
      // An element that is not 0 has its sign, or a bit that carries into it.
      const unsigned set = ((word & ~signs) + ~signs) | word | ~signs;
      if constexpr (bytes) zeros = __dp4a(~set, 0x01010101u, zeros);
      else zeros = __dp2a_lo(~set, 0x0101u, zeros);
      const unsigned keys = std::is_unsigned_v<T> ? word ^ signs : word;
      unsigned a = keys, b = keys;
      if constexpr (bytes) {
        // Bytes 0 and 2, and 1 and 3, as numbers of 16 bits.
        asm("prmt.b32 %0, %1, 0, 0xa280;" : "=r"(a) : "r"(keys));
        asm("prmt.b32 %0, %1, 0, 0xb391;" : "=r"(b) : "r"(keys));
      }
      low = i == 0 ? __vmins2(a, b) : __vmins2(low, __vmins2(a, b));
      high = i == 0 ? __vmaxs2(a, b) : __vmaxs2(high, __vmaxs2(a, b));
    }
    if constexpr (!bytes) {
      const auto x = bit_copy<kernels::elements_of<T>>(v);
#pragma unroll
      for (const T& each : x.values) op_type::add(sums, each, each);
    }
    const int bottom = min(static_cast<int>(static_cast<std::int16_t>(low)), static_cast<int>(low) >> 16);
    const int top = max(static_cast<int>(static_cast<std::int16_t>(high)), static_cast<int>(high) >> 16);
    least.see_next(lowest(), bottom, number);
    greatest.see_next(highest(), ~top, number);
  }

  /// All of it, beside what was gathered of the run's other elements.
  template <class Lane>
  __device__ void merge_into(Lane& l, const kernels::neighbour_walk<carrier>& run) const {
    l.sums.x += sums.x;
    l.sums.products += sums.products;
    l.marks.zeros += static_cast<int>(zeros >> (8 * sizeof(T) - 1));
    const auto see_first = [&](const policy_type& policy, const least_type& of) {
      const kernels::vector_word& v = run.vector((of.number - run.head) / run.width);
      const int place = kernels::order_words<carrier>::place_of(policy, v, of.least);
      l.marks.see_extremes(bit_copy<kernels::elements_of<T>>(v).values[place], of.number + place);
    };
    see_first(lowest(), least);
    see_first(highest(), greatest);
  }

 private:
  __device__ static policy_type policy_of(bool greatest) {
    return order_policy<carrier>(greatest, nan_policy::propagate, dtype_of<T>);
  }
};

}  // namespace multifold::inline v0_1::cuda::moments

namespace multifold::inline v0_1::cuda::kernels {

struct taken_one_by_one {
  static constexpr bool one_by_one = true;
};
struct taken_by_vectors {};

template <class C>
requires(!floating_storage<C>) struct run_lane<moments::moment_fold<C, moment_set::description>>
    : std::conditional_t<sizeof(C) <= 2, taken_by_vectors, taken_one_by_one> {
  using op_type = moments::moment_fold<C, moment_set::description>;
  using accumulator = typename op_type::accumulator;
  struct type {
    typename op_type::lane sums;
    moments::run_marks<C> marks;

    template <class T>
    __device__ void add(T x, int number) {
      op_type::add(sums, x, x);
      marks.see(x, number);
    }
  };
  static constexpr bool stays = false;

  __device__ static type identity(const op_type& op) { return {op.lane_identity(), {}}; }
  __device__ static void absorb(const op_type& op, type& l, C x, int number, const run_indices&) {
    op.with_element([&]<class T>(T) { l.add(bit_copy<T>(x), number); });
  }
  __device__ static accumulator widen(const op_type& op, const type& l, const run_indices& index) {
    accumulator a = op.widen(l.sums);
    a.marks = l.marks.marks(index);
    return a;
  }
};

/// Long runs of neighbours, of which every lane has whole vectors.
template <class C>
requires(!floating_storage<C> && sizeof(C) <= 2) __device__
    void absorb_neighbours(const moments::moment_fold<C, moment_set::description>& op,
                           run_value<moments::moment_fold<C, moment_set::description>>& mine,
                           const neighbour_walk<C>& run, int lane, int lanes, const run_indices& index) {
  using gathers = run_lane<moments::moment_fold<C, moment_set::description>>;
  static_assert(least_row_by_vectors(sizeof(C), false, 1) > 16 / static_cast<int>(sizeof(C)));
  auto ends = gathers::identity(op);
  op.with_element([&]<class T>(T) {
    moments::described_vectors<T> vectors(run.number_of(lane));
    run.each(
        lane, lanes, [&](C x, int number) { ends.add(bit_copy<T>(x), number); },
        [&]<int Loads>(const vector_word(&loaded)[Loads], int number, int step) {
#pragma unroll
          for (int k = 0; k < Loads; ++k) vectors.see(loaded[k], number + k * step);
        });
    vectors.merge_into(ends, run);
  });
  mine.end(op, ends, index);
}

}  // namespace multifold::inline v0_1::cuda::kernels
