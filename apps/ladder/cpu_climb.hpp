// The CPU's ladder: climbed where there is no GPU, or where it is asked for.
#pragma once

#include "climb.hpp"

namespace multifold::ladder {

/// How the CPU's ladder is climbed.
struct cpu_wish {
  int threads = 0;  // 0: all that this process may use
  int repeats = 20;
};

/// Every rung from the bottom to the top. Memory: problem::bytes().
/// Throws: what reduce throws, std::bad_alloc.
climb climb_cpu(const problem& what, const cpu_wish& how);

/// f32 sums of the same array by atomics, by a fixed tree, and exactly, `runs` times each.
std::vector<order_trial> cpu_orders(std::int64_t count, int threads, int runs);

}  // namespace multifold::ladder
