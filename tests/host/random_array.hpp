// Random arrays for tests of the engine: any rank, strides of any sign, special values of every dtype.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "multifold/plan.hpp"
#include "random_bits.hpp"

namespace test {

using multifold::dtype;

/// An array with the memory it lives in; `view.data` is offset by `misalign` bytes.
struct array {
  std::vector<std::byte> memory;
  multifold::array_view view;
};

template <class T>
T random_value(test::random_bits& random) {
  const std::uint64_t bits = random();
  if constexpr (std::is_same_v<T, multifold::bool8>) {
    return {static_cast<std::uint8_t>(bits % 3 == 0 ? bits >> 8 : bits % 2)};
  } else if constexpr (multifold::floating_storage<T>) {
    // Halves of small integers tie often; now and then something special.
    constexpr double special[] = {-0.0, 0.0, INFINITY, -INFINITY, NAN};
    const bool odd = bits % 97 == 0;
    const double x = odd ? special[(bits >> 8) % 5] : static_cast<double>(static_cast<int>((bits >> 20) % 41) - 20) / 2;
    if constexpr (std::is_same_v<T, multifold::f16>) return multifold::to_f16(x);
    else if constexpr (std::is_same_v<T, multifold::bf16>) return multifold::to_bf16(x);
    else return static_cast<T>(x);
  } else {
    // Mostly small, sometimes the whole range.
    return static_cast<T>(bits % 13 == 0 ? bits >> 7 : (bits >> 32) % 5 - (std::is_signed_v<T> ? 2 : 0));
  }
}

/// Fills `bytes` with elements of `type`; the tail that holds no whole element stays as it is.
inline void fill(dtype type, std::byte* at, std::int64_t elements, test::random_bits& random) {
  multifold::visit_dtype(type, [&]<class T>() {
    for (std::int64_t i = 0; i < elements; ++i) {
      const T x = random_value<T>(random);
      std::memcpy(at + i * static_cast<std::int64_t>(sizeof(T)), &x, sizeof(T));
    }
  });
}

/// Up to three extents of at least 1, of about `most` elements together at most.
inline std::vector<std::int64_t> random_extents(test::random_bits& random, std::int64_t most) {
  std::vector<std::int64_t> extents(random() % 4);
  for (std::int64_t& each : extents) {
    const std::int64_t room = random() % 3 == 0 ? std::min<std::int64_t>(most, 5) : most;
    each = 1 + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(room));
    most = std::max<std::int64_t>(1, most / each);
  }
  std::shuffle(extents.begin(), extents.end(), random);
  return extents;
}

/// A view with `extents` over memory of its own: axes in random order in memory, with gaps, reversed or repeated.
inline array random_array(dtype type, const std::vector<std::int64_t>& extents, test::random_bits& random) {
  array a;
  a.view.type = type;
  a.view.extents = extents;
  a.view.strides.assign(extents.size(), 0);
  std::vector<std::size_t> order(extents.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  if (random() % 2 == 0) std::shuffle(order.begin(), order.end(), random);
  std::int64_t stride = random() % 4 == 0 ? 2 : 1, first = 0;
  for (std::size_t i = order.size(); i-- > 0;) {
    const std::size_t axis = order[i];
    const std::int64_t extent = std::max<std::int64_t>(extents[axis], 1);
    if (random() % 12 == 0) continue;  // stride 0
    a.view.strides[axis] = stride;
    if (random() % 6 == 0) {
      a.view.strides[axis] = -stride;
      first += stride * (extent - 1);
    }
    stride *= extent;
    if (random() % 6 == 0) stride += static_cast<std::int64_t>(random() % 3);
  }
  const std::int64_t item = multifold::item_bytes(type);
  const std::int64_t misalign = random() % 3 == 0 ? static_cast<std::int64_t>(random() % 8) : 0;
  a.memory.resize(static_cast<std::size_t>((stride + 1) * item + misalign));
  fill(type, a.memory.data() + misalign, stride + 1, random);
  a.view.data = a.memory.data() + misalign + first * item;
  return a;
}

inline std::vector<std::int64_t> random_axes(std::int64_t rank, test::random_bits& random) {
  std::vector<std::int64_t> axes;
  for (std::int64_t axis = 0; axis < rank; ++axis) {
    if (random() % 2 == 0) axes.push_back(random() % 2 == 0 ? axis : axis - rank);
  }
  return axes;
}

}  // namespace test
