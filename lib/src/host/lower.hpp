// Accumulators to results: one store per result, with the reason of the worst failure.
#pragma once

#include "host/fold.hpp"
#include "multifold/ops/visit.hpp"

namespace multifold::host {

template <class Op>
status lower_accumulators(const void* op, const lower_work& w) {
  const Op& o = *static_cast<const Op*>(op);
  const auto* const acc = reinterpret_cast<const typename Op::accumulator*>(w.acc);
  status worst = status::ok;
  std::byte* out = w.out;
  for (std::int64_t i = 0; i < w.results; ++i, out += w.out_step) {
    const scalar value = finish_scalar(w.what->op, o.lower(acc[i], w.count), w.what->initial);
    const status s = store(value, w.what->result, out);
    if (s > worst) worst = s;
  }
  return worst;
}

}  // namespace multifold::host
