// Rung 7: exact. The library that this program comes with.
//
// Elements are added without any rounding: in plain lanes as long as the processor says that it rounded nothing, else
// in an accumulator that is as wide as the format's whole range. The one rounding is the last, so that the result is
// the nearest number to the true sum, whatever the order, the number of threads and the machine. It reads the memory as
// fast as rung 6 does, because the additions that make it exact fit into the time that a core waits for memory anyway.
#pragma once

#include "cpu/common.hpp"
#include "multifold/multifold.hpp"

namespace multifold::ladder::cpu {

template <class T>
reduce_result exact(op_kind op, const elements<T>& in, int threads) {
  reduce_options options;
  options.engine = engine_choice::host;
  options.threads = threads;
  const array_view x = make_view(in.x + in.first, dtype_of<T>, {in.end - in.first});
  if (op != op_kind::dot) return reduce(op, x, options);
  return reduce(op, x, make_view(in.y + in.first, dtype_of<T>, {in.end - in.first}), options);
}

}  // namespace multifold::ladder::cpu
