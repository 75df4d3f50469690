// How a thread goes through the elements of a batch that a tile has of it: straight; bent, where each row begins
// elsewhere within a line; or turned, where neighbouring runs would read one bank.
#pragma once

#include <cstddef>
#include <cstdint>

#include "multifold/cuda/kernels/run_lanes.cuh"

namespace multifold::cuda::kernels {

/// Ways through a run in shared memory, for lane `lane` of `lanes`: take() says where the next element stands and gives
/// its number in the run, or, where nothing is left (`here` is false), any element of it.
struct straight_walk {
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
concept takes_several = requires(const Op op, typename run_lane<Op>::type lane, const typename Op::value_type (&x)[4]) {
  absorb_several(op, lane, x);
  { padding_of(op) } -> std::same_as<typename Op::value_type>;
};

static_assert(takes_several<integer_product<std::int8_t>> && takes_several<float_product<float>>);

/// Where the columns of a thread stand in shared memory: `span` bytes from each other.
template <class Element, class Walk>
struct column_walk {
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
  int l = lane;
  if (l >= count) return;
  typename gathers::type into[Width];
#pragma unroll
  for (int j = 0; j < Width; ++j) into[j] = mine[j].begin(op);
  const auto some = [&]<int Loads>(bool all) {
    T x[Loads][Width];
    int number[Loads];
#pragma unroll
    for (int k = 0; k < Loads; ++k) walk.take(all || l + k * lanes < count, x[k], number[k]);
#pragma unroll
    for (int j = 0; j < Width; ++j) {
      if constexpr (takes_several<Op>) {
        T column[Loads];
#pragma unroll
        for (int k = 0; k < Loads; ++k) column[k] = all || l + k * lanes < count ? x[k][j] : padding_of(op);
        absorb_several(op, into[j], column);
      } else {
#pragma unroll
        for (int k = 0; k < Loads; ++k) {
          if (all || l + k * lanes < count) gathers::absorb(op, into[j], x[k][j], number[k], index);
        }
      }
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

/// The same of neighbours in shared memory, sixteen bytes at a time but for the ends. A lane's indices ascend.
template <class Op>
__device__ void absorb_neighbours(const Op& op, run_value<Op>& mine, const std::byte* first, int count, int lane,
                                  int lanes, const run_indices& index) {
  using T = typename Op::value_type;
  constexpr int width = vector_elements<T>;
  constexpr bool holds_all = lane_of<Op>::capacity >= most_run_share;
  thread_value<Op> into(op);
  const auto one = [&](int l) {
    if constexpr (!holds_all) into.make_room(op, 1);
    into.absorb(op, *reinterpret_cast<const T*>(first + l * static_cast<int>(sizeof(T))), index[l]);
  };
  const int behind = static_cast<int>(reinterpret_cast<std::uintptr_t>(first) % 16 / sizeof(T));
  const int head = min(count, (width - behind) % width), vectors = (count - head) / width;
#pragma unroll 1
  for (int l = lane; l < head; l += lanes) one(l);
  const auto* const words = reinterpret_cast<const vector_word*>(first + head * static_cast<int>(sizeof(T)));
  const auto some = [&]<int Loads>(int v) {
    vector_word loaded[Loads];
#pragma unroll
    for (int k = 0; k < Loads; ++k) loaded[k] = words[v + k * lanes];
    if constexpr (!holds_all) into.make_room(op, Loads * width);
#pragma unroll
    for (int k = 0; k < Loads; ++k) absorb_vector(op, into, loaded[k], index[head + (v + k * lanes) * width]);
  };
  int v = lane;
#pragma unroll 1
  for (; v + lanes < vectors; v += 2 * lanes) some.template operator()<2>(v);
  if (v < vectors) some.template operator()<1>(v);
#pragma unroll 1
  for (int l = head + vectors * width + lane; l < count; l += lanes) one(l);
  mine.merge(op, into.value(op));
}

}  // namespace multifold::cuda::kernels
