// Rung 6: threads. Each core reduces a part by rung 5, and the parts are combined in their order.
//
// A core has some ten cache lines on their way from the memory at a time, so that it reads at most as many bytes in the
// memory's latency; several cores fill the memory's bandwidth, and from then on more of them change nothing. The parts
// are the same ones from run to run, for this number of threads: the bits are, too. With another number of threads they
// are not.
//
// The next rung has the same bits for any number of threads, in any order, and they are the right ones.
#pragma once

#include <thread>
#include <vector>

#include "cpu/common.hpp"

namespace multifold::ladder::cpu {

/// `part` reduces elements by one thread.
template <class Op, class Part>
typename Op::acc threads(const elements<typename Op::value_type>& in, int count, const Part& part) {
  std::vector<typename Op::acc> totals(static_cast<std::size_t>(count), Op::identity());
  const std::int64_t each = (in.end - in.first + count - 1) / count;
  {
    std::vector<std::jthread> crew;
    for (int t = 0; t < count; ++t) {
      const std::int64_t first = std::min(in.first + t * each, in.end), end = std::min(first + each, in.end);
      crew.emplace_back([&, t, first, end] { totals[static_cast<std::size_t>(t)] = part(in.part(first, end)); });
    }
  }  // waits for all of them
  typename Op::acc all = Op::identity();
  for (const auto& total : totals) all = Op::combine(all, total);
  return all;
}

}  // namespace multifold::ladder::cpu
