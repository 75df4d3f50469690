// How a thread goes through the elements of a batch that a tile has of it: straight; bent, where each row begins
// elsewhere within a line; or turned, where neighbouring runs would read one bank.
#pragma once

#include <cstddef>
#include <cstdint>

#include "multifold/cuda/kernels/run_lanes.cuh"

namespace multifold::cuda::kernels {

/// Ways through a run in shared memory, for lane `lane` of `lanes`: take() says where the next element stands and gives
/// its number in the run, or, where nothing is left (`here` is false), any element of it. Where a walk
/// `ascends`, a lane's numbers do, and `lane` is the first.
struct straight_walk {
  static constexpr bool ascends = true;
  const std::byte *first, *at;
  int step, number, lanes;

  __device__ straight_walk(const std::byte* first, int stride, int lane, int lanes)
      : first(first), at(first + lane * stride), step(lanes * stride), number(lane), lanes(lanes) {}
  __device__ const std::byte* take(bool here, int& which) {
    const std::byte* const place = here ? at : first;
    which = number;
    number += lanes;
    at += step;
    return place;
  }
};

/// Element l stands (shift + l bend) % line bytes behind its place: its row begins there in memory.
struct bent_walk {
  static constexpr bool ascends = true;
  const std::byte *first, *at;
  int step, number, lanes;
  unsigned shift, bend;

  __device__ bent_walk(const std::byte* first, int stride, unsigned shift, unsigned bend, int lane, int lanes)
      : first(first),
        at(first + lane * stride),
        step(lanes * stride),
        number(lane),
        lanes(lanes),
        shift(shift + static_cast<unsigned>(lane) * bend),
        bend(static_cast<unsigned>(lanes) * bend) {}
  __device__ const std::byte* take(bool here, int& which) {
    const std::byte* const place = here ? at + (shift & (tile_line_bytes - 1u)) : first;
    which = number;
    number += lanes;
    at += step;
    shift += bend;
    return place;
  }
};

/// The run begins with its element `begin` and goes round: so threads of neighbouring runs read different banks.
struct turned_walk {
  static constexpr bool ascends = false;
  const std::byte* at;
  int step, number, lanes, count, round;

  __device__ turned_walk(const std::byte* first, int stride, int count, int begin, int lane, int lanes)
      : step(lanes * stride), number((lane + begin) % count), lanes(lanes), count(count), round(count * stride) {
    at = first + number * stride;
  }
  __device__ const std::byte* take(bool, int& which) {
    const std::byte* const place = at;
    which = number;
    number += lanes;
    at += step;
    if (number >= count) {
      number -= count;
      at -= round;
    }
    return place;
  }
};

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

static_assert(takes_columns<integer_product<std::int8_t>> && takes_several<float_product<float>>);

/// An operation that takes less for two elements at once, if they are there.
template <class Op>
concept takes_two = requires(const Op op, typename run_lane<Op>::type lane, typename Op::value_type x) {
  absorb_two(op, lane, x, x);
};

static_assert(takes_two<float_product<double>>);

/// An operation that takes less to gather elements whose numbers ascend.
template <class Op>
concept gathers_in_order = requires(const Op op, typename run_lane<Op>::type lane, typename Op::value_type x) {
  run_lane<Op>::absorb_next(op, lane, x, 0);
};

/// Where the columns of a thread stand in shared memory: `span` bytes from each other.
template <class Element, class Walk>
struct column_walk {
  static constexpr bool ascends = Walk::ascends;
  Walk walk;
  int span;

  template <int Width>
  __device__ void take(bool here, Element (&x)[Width], int& which) {
    const std::byte* const place = walk.take(here, which);
#pragma unroll
    for (int j = 0; j < Width; ++j) x[j] = *reinterpret_cast<const Element*>(place + j * span);
  }
};

/// The same of two arrays side by side, as pairs.
template <class Element, class Walk>
struct pair_walk {
  static constexpr bool ascends = Walk::ascends;
  Walk x, y;

  __device__ void take(bool here, element_pair<Element> (&pair)[1], int& which) {
    const std::byte* const place = x.take(here, which);
    pair[0] = {*reinterpret_cast<const Element*>(place), *reinterpret_cast<const Element*>(y.take(here, which))};
  }
};

/// The elements of the runs of a thread's columns, or of a single run, that are this lane's.
template <int Width, class Op, class Walk>
__device__ void absorb_run(const Op& op, run_value<Op> (&mine)[Width], Walk walk, int count, int lane, int lanes,
                           const run_indices& index) {
  using T = typename Op::value_type;
  using gathers = run_lane<Op>;
  // In registers at once: of elements of 4 bytes four times as many as of accumulators of 16 or more.
  constexpr int most = (sizeof(T) <= 8 ? 8 : sizeof(T) <= 16 ? 4 : 2) / (Width > 2 ? 2 : 1);
  constexpr bool in_order = Walk::ascends && gathers_in_order<Op>;
  int l = lane;
  if (l >= count) return;
  typename gathers::type into[Width];
#pragma unroll
  for (int j = 0; j < Width; ++j) {
    into[j] = mine[j].begin(op);
    if constexpr (in_order) into[j].number = lane;
  }
  const auto some = [&]<int Loads>(bool all) {
    T x[Loads][Width];
    int number[Loads];
#pragma unroll
    for (int k = 0; k < Loads; ++k) walk.take(all || l + k * lanes < count, x[k], number[k]);
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
      with_known_nan(op, [&](const Op& known) {
#pragma unroll
        for (int j = 0; j < Width; ++j) {
#pragma unroll
          for (int k = 0; k < Loads; ++k) {
            if (!all && l + k * lanes >= count) continue;
            if constexpr (in_order) gathers::absorb_next(known, into[j], x[k][j], number[k]);
            else gathers::absorb(known, into[j], x[k][j], number[k], index);
          }
        }
      });
    }
    l += Loads * lanes;
  };
#pragma unroll 1
  while (l + (most - 1) * lanes < count) some.template operator()<most>(true);
  if constexpr (most > 4) {
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

/// Neighbours in shared memory, sixteen bytes at a time but for the ends. A lane's numbers ascend.
template <class T>
struct neighbour_walk {
  static constexpr int width = vector_elements<T>;
  const std::byte* first;
  int count, head, vectors;

  __device__ neighbour_walk(const std::byte* first, int count) : first(first), count(count) {
    const int behind = static_cast<int>(reinterpret_cast<std::uintptr_t>(first) % 16 / sizeof(T));
    head = min(count, (width - behind) % width);
    vectors = (count - head) / width;
  }
  __device__ const vector_word& vector(int v) const {
    return reinterpret_cast<const vector_word*>(first + head * static_cast<int>(sizeof(T)))[v];
  }
  __device__ int number_of(int v) const { return head + v * width; }

  /// one(x, number) and some(vectors, number of the first, from one to the next), for lane `lane` of `lanes`.
  template <class One, class Some>
  __device__ __forceinline__ void each(int lane, int lanes, const One& one, const Some& some) const {
    const auto element = [&](int l) { one(*reinterpret_cast<const T*>(first + l * static_cast<int>(sizeof(T))), l); };
    const auto few = [&]<int Loads>(int v) {
      vector_word loaded[Loads];
#pragma unroll
      for (int k = 0; k < Loads; ++k) loaded[k] = vector(v + k * lanes);
      some(loaded, number_of(v), lanes * width);
    };
#pragma unroll 1
    for (int l = lane; l < head; l += lanes) element(l);
    int v = lane;
#pragma unroll 1
    for (; v + lanes < vectors; v += 2 * lanes) few.template operator()<2>(v);
    if (v < vectors) few.template operator()<1>(v);
#pragma unroll 1
    for (int l = number_of(vectors) + lane; l < count; l += lanes) element(l);
  }
};

/// The elements of such a run that are this lane's.
template <class Op>
__device__ void absorb_neighbours(const Op& op, run_value<Op>& mine, const neighbour_walk<typename Op::value_type>& run,
                                  int lane, int lanes, const run_indices& index) {
  using T = typename Op::value_type;
  constexpr bool holds_all = lane_of<Op>::capacity >= most_run_share;
  thread_value<Op> into(op);
  run.each(
      lane, lanes,
      [&](T x, int number) {
        if constexpr (!holds_all) into.make_room(op, 1);
        into.absorb(op, x, index[number]);
      },
      [&]<int Loads>(const vector_word(&loaded)[Loads], int number, int step) {
        if constexpr (!holds_all) into.make_room(op, Loads * vector_elements<T>);
#pragma unroll
        for (int k = 0; k < Loads; ++k) absorb_vector(op, into, loaded[k], index[number + k * step]);
      });
  mine.merge(op, into.value(op));
}

/// Extrema of floating point by the instructions for them.
template <class T>
requires order_words<T>::are_bits __device__ void absorb_neighbours(const extremum<T>& op, run_value<extremum<T>>& mine,
                                                                    const neighbour_walk<T>& run, int lane, int lanes,
                                                                    const run_indices& index) {
  using gathers = run_lane<extremum<T>>;
  using words = order_words<T>;
  with_known_nan(op, [&](const extremum<T>& known) {
    auto least = gathers::identity(known);
    run.each(
        lane, lanes, [&](T x, int number) { gathers::absorb(known, least, x, number, index); },
        [&]<int Loads>(const vector_word(&loaded)[Loads], int, int) {
#pragma unroll
          for (const vector_word& v : loaded)
            least = words::lesser(known.policy, least, words::least_of(known.policy, v));
        });
    mine.end(known, least, index);
  });
}

/// Indices of extrema: a lane finds the first vector that has the least, and looks into it when it has seen all.
template <class T>
__device__ void absorb_neighbours(const arg_extremum<T>& op, run_value<arg_extremum<T>>& mine,
                                  const neighbour_walk<T>& run, int lane, int lanes, const run_indices& index) {
  using words = order_words<T>;
  with_known_nan(op, [&](const arg_extremum<T>& known) {
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

}  // namespace multifold::cuda::kernels
