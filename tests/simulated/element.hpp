// How elements are read, one after the other, and results are written.
#pragma once

#include <cstdint>
#include <cstring>

#include "multifold/cuda/work_queue.hpp"
#include "multifold/ops/visit.hpp"
#include "multifold/reduction.hpp"

namespace simulated {

template <class T>
T element(const void* data, std::int64_t number) {
  T x;
  std::memcpy(&x, static_cast<const char*>(data) + number * static_cast<std::int64_t>(sizeof(T)), sizeof(T));
  return x;
}

template <class T>
struct read_element {
  T operator()(const multifold::operands& data, std::int64_t number) const { return element<T>(data.x, number); }
};
template <class T>
struct read_element<multifold::element_pair<T>> {
  multifold::element_pair<T> operator()(const multifold::operands& data, std::int64_t number) const {
    return {element<T>(data.x, number), element<T>(data.y, number)};
  }
};

/// One more element of a sum: the one at `number` of the array, whose index in the sum is `index`.
template <class Op>
void add(const Op& op, typename Op::accumulator& sum, const multifold::operands& data, std::int64_t number,
         std::int64_t index) {
  const auto x = read_element<typename Op::value_type>{}(data, number);
  if constexpr (requires { op.add(sum, x, index); }) op.add(sum, x, index);
  else sum = op.combine(sum, op.lift(x, index));
}

/// Writes result number `at`, and returns its status.
template <class Op>
std::uint32_t lowered(const multifold::reduction& what, const Op& op, const typename Op::accumulator& sum,
                      std::int64_t length, void* results, std::int64_t at) {
  const auto value = multifold::finish_scalar(what.op, op.lower(sum, length), what.initial);
  return static_cast<std::uint32_t>(
      multifold::store(value, what.result, static_cast<char*>(results) + at * result_bytes(what)));
}

}  // namespace simulated
