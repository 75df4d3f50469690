// The CPU engine: runs a plan over an array in host memory on every core the process may use. Files are src/stream's.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "multifold/plan.hpp"
#include "multifold/stop_signal.hpp"

namespace multifold::inline v0_1::host {

/// Threads that the process may run at once: its affinity mask and its cgroup's quota, at least 1.
int usable_threads();

/// This processor as make_plan wants it: `units` threads (0: usable_threads()).
engine_traits traits(int threads = 0);

struct run_options {
  int threads = 0;  // 0: usable_threads()
  stop_signal stop;
  std::function<void(std::int64_t bytes)> progress;  // bytes read so far; called from one thread at a time
};

/// One of several reductions of the same array, or of the same two.
struct job {
  const plan* p;
  void* results;
};

/// A second array of the extents of the first, which lies as it likes: its elements and those of the first are pairs,
/// or it says which elements of the first take part.
struct operand_apart {
  const array_view& x;  // the first one
  const array_view& second;
  const std::vector<std::int64_t>& axes;  // that are reduced
  const std::int64_t* counts = nullptr;   // of the elements of each result that take part, if that is what it says
};

/// As below, for each of `jobs`, whose forms are those of operations that keep the index of elements. Cost: reads each
/// element once for all those whose forms are the same and whose bits do not depend on the order of elements, and once
/// for each of the others; from the cache, an operation takes as long as by itself.
void run(std::span<const job> jobs, const operands& data, const run_options& options = {},
         const operand_apart* apart = nullptr);

/// Runs `p` over the host array at `data` (or two of them) that its form was made from, whatever its strides and
/// alignment.
/// Shapes:   `results` holds form.results() * result_bytes(what).
/// Memory:   partial results, as the plan says; the array is not copied.
/// Numerics: the same bits for any number of threads, any SIMD level, and any floating-point environment of the caller.
/// Throws:   overflow_error, shape_error, cancelled_error, out_of_memory; `results` is then unspecified.
/// Cost:     reads each element once.
void run(const plan& p, const operands& data, void* results, const run_options& options = {});

}  // namespace multifold::inline v0_1::host
