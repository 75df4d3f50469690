// How a thread goes through the elements of a batch that a tile has of it: straight; bent, where each row begins
// elsewhere within sixteen bytes; or turned, where neighbouring runs would read one bank.
#pragma once

#include <cstddef>
#include <cstdint>

#include "multifold/cuda/kernels/absorb.cuh"

namespace multifold::cuda::kernels {

/// Ways through a run in shared memory, for lane `lane` of `lanes`: take() gives the next element and its number in the
/// run, or, where nothing is left (`here` is false), any element of it.
template <class T>
struct straight_walk {
  const std::byte *first, *at;
  int step, number, lanes;

  __device__ straight_walk(const std::byte* first, int stride, int lane, int lanes)
      : first(first), at(first + lane * stride), step(lanes * stride), number(lane), lanes(lanes) {}
  __device__ T take(bool here, int& which) {
    const T x = *reinterpret_cast<const T*>(here ? at : first);
    which = number;
    number += lanes;
    at += step;
    return x;
  }
};

/// Element l stands (shift + l bend) % 16 bytes behind its place: its row begins there in memory.
template <class T>
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
  __device__ T take(bool here, int& which) {
    const T x = *reinterpret_cast<const T*>(here ? at + (shift & 15u) : first);
    which = number;
    number += lanes;
    at += step;
    shift += bend;
    return x;
  }
};

/// The run begins with its element `begin` and goes round: so threads of neighbouring runs read different banks.
template <class T>
struct turned_walk {
  const std::byte* at;
  int step, number, lanes, count, round;

  __device__ turned_walk(const std::byte* first, int stride, int count, int begin, int lane, int lanes)
      : step(lanes * stride), number((lane + begin) % count), lanes(lanes), count(count), round(count * stride) {
    at = first + number * stride;
  }
  __device__ T take(bool, int& which) {
    const T x = *reinterpret_cast<const T*>(at);
    which = number;
    number += lanes;
    at += step;
    if (number >= count) {
      number -= count;
      at -= round;
    }
    return x;
  }
};

/// Two arrays side by side, as pairs.
template <class Pair, class Walk>
struct pair_walk {
  Walk x, y;
  __device__ Pair take(bool here, int& which) {
    const auto first = x.take(here, which);
    return {first, y.take(here, which)};
  }
};

/// An operation that takes several elements at once. Those that are not there are made of padding().
template <class Op>
concept takes_several = requires(const Op op, typename Op::lane l, const typename Op::value_type (&x)[4]) {
  op.absorb_several(l, x);
  { Op::padding() } -> std::same_as<typename Op::value_type>;
};

/// The index of a run's element in its batch.
struct run_indices {
  std::int64_t first, step;
  __device__ std::int64_t operator[](int number) const { return first + number * step; }
};

/// The elements of a run that are this lane's.
template <class Op, class Walk>
__device__ void absorb_run(const Op& op, thread_value<Op>& mine, Walk walk, int count, int lane, int lanes,
                           const run_indices& index) {
  using T = typename Op::value_type;
  // In registers at once: four times as many elements of 4 bytes as accumulators of 16 or more.
  constexpr int most = sizeof(T) <= 8 ? 8 : sizeof(T) <= 16 ? 4 : 2;
  int l = lane;
  const auto some = [&]<int Loads>(bool all) {
    T x[Loads];
    int number[Loads];
#pragma unroll
    for (int k = 0; k < Loads; ++k) x[k] = walk.take(all || l + k * lanes < count, number[k]);
    mine.make_room(op, Loads);
    if constexpr (takes_several<Op>) {
#pragma unroll
      for (int k = 0; k < Loads; ++k) {
        if (!all && l + k * lanes >= count) x[k] = Op::padding();
      }
      if (all || l < count) op.absorb_several(mine.current, x);
    } else {
#pragma unroll
      for (int k = 0; k < Loads; ++k) {
        if (all || l + k * lanes < count) mine.absorb(op, x[k], index[number[k]]);
      }
    }
    l += Loads * lanes;
  };
#pragma unroll 1
  while (l + (most - 1) * lanes < count) some.template operator()<most>(true);
  if constexpr (most > 4) {
    if (l + 3 * lanes < count) some.template operator()<4>(true);
  }
  some.template operator()<(most > 4 ? 4 : most) - 1>(false);
}

}  // namespace multifold::cuda::kernels
