// The elements of a run, or of a thread's columns, that are a lane's, into what it gathers, on any walk.
#pragma once

#include "multifold/cuda/kernels/rows/masked_rows.cuh"
#include "multifold/cuda/kernels/tiles/walks.cuh"
#include "multifold/cuda/kernels/word_lanes.cuh"

namespace multifold::inline v0_1::cuda::kernels {

/// An operation that takes several elements at once, wherever they stand; those that are not there are made of its
/// padding.
template <class Op>
concept takes_columns = requires(const Op op, typename run_lane<Op>::type (&lanes)[2],
                                 const typename Op::value_type (&x)[4][2]) {
  absorb_columns(op, lanes, x);
};
template <class Op>
concept takes_several = takes_columns<Op> ||
    requires(const Op op, typename run_lane<Op>::type lane, const typename Op::value_type (&x)[4]) {
  absorb_several(op, lane, x);
  { padding_of(op) } -> std::same_as<typename Op::value_type>;
};

static_assert(takes_columns<carried_product<any_byte>> && takes_several<float_product<float>>);

/// An operation that takes less for two elements at once, if they are there.
template <class Op>
concept takes_two = requires(const Op op, typename run_lane<Op>::type lane, typename Op::value_type x) {
  absorb_two(op, lane, x, x);
};

static_assert(takes_two<float_product<double>>);

/// Calls f(op) with what lanes have to know of an operation's order at compile time.
template <class Op, class F>
__device__ __forceinline__ void with_order_of_lanes(const Op& op, const F& f) {
  if constexpr (requires { run_lane<Op>::knows_order; }) f(op);
  else with_known_order(op, f);
}

/// An operation that is told what integers of 1 or 2 bytes stand for.
template <class Op>
concept carries_narrow_integers = std::is_same_v<decltype(Op::kind), integer_kind> &&
                                  sizeof(typename Op::with_sign) <= 2;

/// An operation that takes less to gather elements whose numbers ascend.
template <class Op>
concept gathers_in_order = requires(const Op op, typename run_lane<Op>::type lane, typename Op::value_type x) {
  run_lane<Op>::absorb_next(op, lane, x, 0);
};

/// What a lane asks for before it uses the first: so many rows, where nothing but that hides the time that memory takes.
template <class Walk, int Usual>
inline constexpr int rows_in_flight = Usual;
template <class Walk, int Usual>
requires requires { Walk::rows_in_flight; }
inline constexpr int rows_in_flight<Walk, Usual> = Walk::rows_in_flight;

/// absorb_run of an operation that knows what narrow integers stand for.
template <int Width, class Op, class Value, class Walk>
__device__ __forceinline__ void absorb_known_run(const Op& op, Value (&mine)[Width], Walk walk, int count, int lane,
                                                 int lanes, const run_indices& index) {
  using T = typename Op::value_type;
  using gathers = run_lane<Op>;
  // In registers at once: of elements of 4 bytes four times as many as of accumulators of 16 or more.
  constexpr int usual = (sizeof(T) <= 8    ? 8
                         : sizeof(T) <= 16 ? 4
                                           : 2) /
                        (Width > 2 ? 2 : 1),
                most = rows_in_flight<Walk, usual>;
  constexpr bool in_order = Walk::ascends && gathers_in_order<Op>;
  int l = lane;
  if (l >= count) return;
  typename gathers::type into[Width];
#pragma unroll
  for (int j = 0; j < Width; ++j) {
    into[j] = mine[j].begin(op);
    if constexpr (in_order && !requires { Value::is_lone; }) into[j].number = lane;
  }
  const auto some = [&]<int Loads>(bool all) {
    T x[Loads][Width];
    const auto numbers = walk.numbers();
#pragma unroll
    for (int k = 0; k < Loads; ++k) walk.take(all || l + k * lanes < count, x[k]);
    if constexpr (takes_several<Op>) {
#pragma unroll
      for (int k = 0; k < Loads; ++k) {
#pragma unroll
        for (int j = 0; j < Width; ++j) x[k][j] = all || l + k * lanes < count ? x[k][j] : padding_of(op);
      }
      if constexpr (takes_columns<Op>) {
        absorb_columns(op, into, x);
      } else {
#pragma unroll
        for (int j = 0; j < Width; ++j) {
          T column[Loads];
#pragma unroll
          for (int k = 0; k < Loads; ++k) column[k] = x[k][j];
          absorb_several(op, into[j], column);
        }
      }
    } else if constexpr (takes_two<Op> && Loads % 2 == 0) {  // all are there
#pragma unroll
      for (int j = 0; j < Width; ++j) {
#pragma unroll
        for (int k = 0; k < Loads; k += 2) absorb_two(op, into[j], x[k][j], x[k + 1][j]);
      }
    } else {
      with_order_of_lanes(op, [&](const Op& known) {
#pragma unroll
        for (int j = 0; j < Width; ++j) {
#pragma unroll
          for (int k = 0; k < Loads; ++k) {
            if (!all && l + k * lanes >= count) continue;
            if constexpr (in_order) gathers::absorb_next(known, into[j], x[k][j], numbers[k]);
            else gathers::absorb(known, into[j], x[k][j], numbers[k], index);
          }
        }
      });
    }
    l += Loads * lanes;
  };
#pragma unroll 1
  while (l + (most - 1) * lanes < count) some.template operator()<most>(true);
  if constexpr (most > 8) {
#pragma unroll 1
    while (l + 3 * lanes < count) some.template operator()<4>(true);
  } else if constexpr (most > 4) {
    if (l + 3 * lanes < count) some.template operator()<4>(true);
  }
  if constexpr (takes_several<Op>) {
    if (l < count) some.template operator()<(most > 4 ? 4 : most) - 1>(false);
  } else {
    if constexpr (most > 2) {
      if (l + lanes < count) some.template operator()<2>(true);
    }
    if (l < count) some.template operator()<1>(true);
  }
#pragma unroll
  for (int j = 0; j < Width; ++j) mine[j].end(op, into[j], index);
}

/// The elements of the runs of a thread's columns, or of a single run, that are this lane's: a Value, run_value or
/// lone_value, for each. Loads of narrow integers extend their sign, or do not, so each kind has a loop.
template <int Width, class Op, class Value, class Walk>
__device__ void absorb_run(const Op& op, Value (&mine)[Width], Walk walk, int count, int lane, int lanes,
                           const run_indices& index) {
  const auto absorb = [&](const Op& known) { absorb_known_run(known, mine, walk, count, lane, lanes, index); };
  if constexpr (carries_narrow_integers<Op>) with_known_kind(op, absorb);
  else absorb(op);
}

/// The next words of a thread's columns, wherever those begin.
template <class Walk, int Words>
__device__ __forceinline__ void take_words(Walk& walk, unsigned (&w)[Words]) {
  if constexpr (requires { walk.take_words(w); }) {
    walk.take_words(w);
  } else {
    const std::byte* const at = walk.take(true);
    // They may begin within a word, and end within another one.
    const auto bits = 8 * static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(at));  // of which 5 count
    const auto* const from = reinterpret_cast<const unsigned*>(at - reinterpret_cast<std::uintptr_t>(at) % 4);
    unsigned loaded[Words + 1];
#pragma unroll
    for (int i = 0; i <= Words; ++i) loaded[i] = from[i];
#pragma unroll
    for (int i = 0; i < Words; ++i) w[i] = __funnelshift_r(loaded[i], loaded[i + 1], bits);
  }
}

/// The elements of the runs of a thread's columns that are neighbours, by words; `op` knows its order. What stands
/// behind them in the last word comes to nothing.
template <int Width, class Op, class Walk>
__device__ __forceinline__ void gather_words(const Op& op, word_lanes<Op, Width>& into, Walk walk, int count, int lane,
                                             int lanes) {
  constexpr int words = words_of_columns<typename Op::value_type, Width>, most = rows_in_flight<Walk, 4>;
  int l = lane;
  const auto some = [&]<int Loads>() {
    unsigned w[Loads][words];
    const auto numbers = walk.numbers();
#pragma unroll
    for (int k = 0; k < Loads; ++k) take_words(walk, w[k]);
    if constexpr (fills_up<word_lanes<Op, Width>>) into.make_room(Loads);
#pragma unroll
    for (int k = 0; k < Loads; ++k) into.see(op, w[k], numbers[k]);
    l += Loads * lanes;
  };
#pragma unroll 1
  while (l + (most - 1) * lanes < count) some.template operator()<most>();
  if constexpr (most > 4) {
    if (l + 3 * lanes < count) some.template operator()<4>();
  }
  if (l + lanes < count) some.template operator()<2>();
  if (l < count) some.template operator()<1>();
}

/// The same of lanes that share runs.
template <int Width, class Op, class Walk>
requires takes_words<Op, Width> __device__ void absorb_words(const Op& op, run_value<Op> (&mine)[Width], Walk walk,
                                                             int count, int lane, int lanes, const run_indices& index) {
  if (lane >= count) return;
  with_order_of_lanes(op, [&](const Op& known) {
    word_lanes<Op, Width> into(known);
    gather_words(known, into, walk, count, lane, lanes);
#pragma unroll
    for (int j = 0; j < Width; ++j) mine[j].merge(known, into.of_column(known, j, index));
  });
}

/// The elements of a run of neighbours that are this lane's.
template <class Op>
__device__ void absorb_neighbours(const Op& op, run_value<Op>& mine, const neighbour_walk<typename Op::value_type>& run,
                                  int lane, int lanes, const run_indices& index) {
  using T = typename Op::value_type;
  constexpr bool holds_all = lane_of<Op>::capacity >= most_run_share;
  with_known_order(op, [&](const Op& known) {
    thread_value<Op> into(known);
    run.each(
        lane, lanes,
        [&](T x, int number) {
          if constexpr (!holds_all) into.make_room(known, 1);
          into.absorb(known, x, index[number]);
        },
        [&]<int Loads>(const vector_word(&loaded)[Loads], int number, int step) {
          if constexpr (!holds_all) into.make_room(known, Loads * vector_elements<T>);
#pragma unroll
          for (int k = 0; k < Loads; ++k) absorb_vector(known, into, loaded[k], index[number + k * step]);
        });
    mine.merge(known, into.value(known));
  });
}

/// Indices of extrema: a lane finds the first vector that has the least, and looks into it when it has seen all.
template <class T>
__device__ void absorb_neighbours(const arg_extremum<T>& op, run_value<arg_extremum<T>>& mine,
                                  const neighbour_walk<T>& run, int lane, int lanes, const run_indices& index) {
  using words = order_words<T>;
  with_known_order(op, [&](const arg_extremum<T>& known) {
    const auto& policy = known.policy;
    first_least<T> least(policy, lane < run.head ? lane : run.number_of(lane));
    run.each(
        lane, lanes, [&](T x, int number) { least.see_next(policy, words::of(policy, x), number); },
        [&]<int Loads>(const vector_word(&loaded)[Loads], int number, int step) {
#pragma unroll
          for (int k = 0; k < Loads; ++k) least.see_next(policy, words::least_of(policy, loaded[k]), number + k * step);
        });
    const auto key = words::key_at(policy, least.least);
    if (key > mine.kept.key || (floating_storage<T> && key == greatest_key<key_of<T>>)) return;
    const int v = (least.number - run.head) / neighbour_walk<T>::width;
    if (least.number >= run.head && v < run.vectors)
      least.number += words::place_of(policy, run.vector(v), least.least);
    mine.merge(known, {key, index[least.number]});
  });
}

}  // namespace multifold::inline v0_1::cuda::kernels
