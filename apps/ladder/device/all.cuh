// The ladder as a table: what each rung is called, and how it is run.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "device/comparisons.hpp"
#include "device/expected.cuh"
#include "rungs/00_atomics.cuh"
#include "rungs/00_one_thread.cuh"
#include "rungs/01_divergent.cuh"
#include "rungs/02_bank_conflicts.cuh"
#include "rungs/03_sequential.cuh"
#include "rungs/04_first_add.cuh"
#include "rungs/05_last_warp.cuh"
#include "rungs/06_unrolled.cuh"
#include "rungs/07_cascading.cuh"
#include "rungs/08_shuffle.cuh"
#include "rungs/09_batched.cuh"
#include "rungs/10a_two_passes.cuh"
#include "rungs/10b_three_passes.cuh"
#include "rungs/10c_atomic_finish.cuh"
#include "rungs/10d_last_block.cuh"
#include "rungs/10e_grid_sync.cuh"
#include "rungs/10f_clusters.cuh"
#include "rungs/11_vectors.cuh"
#include "rungs/12_bulk_copies.cuh"
#include "rungs/13_graph.cuh"
#include "rungs/13_host_array.cuh"
#include "rungs/14_exact.cuh"

namespace multifold::ladder::gpu {

/// Enqueues a run on its stream, as often as it is called.
using prepared_run = std::function<void()>;

template <class Op>
struct rung {
  int number;
  const char *name, *file, *gain, *defect;
  std::int64_t (*additions)(const run<Op>&);                              // that its error bound counts (expected.cuh)
  std::function<prepared_run(const run<Op>&)> prepare;                    // what is not to be timed
  std::int64_t most_elements = std::numeric_limits<std::int64_t>::max();  // in a twentieth of a second
  int least_threads = 1;                                                  // of a block
  const void* hopper_kernel = nullptr;  // a kernel that is empty unless it is compiled for Hopper
  const char* against = nullptr;        // whom its gain is over, as in climb.hpp
  const char* no_gain = "";

  /// Runs it, and waits for its end.
  void launch(const run<Op>& r) const {
    const prepared_run work = prepare(r);
    work();
    check(cudaStreamSynchronize(r.stream));
  }

  /// Why it cannot run here; empty if it can.
  std::string why_not() const {
    if (hopper_kernel == nullptr) return {};
    cudaFuncAttributes compiled = {};
    check(cudaFuncGetAttributes(&compiled, hopper_kernel));
    if (compiled.ptxVersion >= 90) return {};
    return "it needs a GPU of compute capability 9.0, and kernels that are compiled for it";
  }
};

template <class Op>
std::vector<rung<Op>> all_rungs() {
  using value = typename Op::value_type;
  constexpr std::int64_t bytes_each = static_cast<std::int64_t>(sizeof(value)) * (Op::two_arrays ? 2 : 1);
  constexpr std::int64_t any = std::numeric_limits<std::int64_t>::max(), of_host = (INT64_C(1) << 30) / bytes_each;
  const auto plain = [](void (*launch)(const run<Op>&)) {
    return [=](const run<Op>& r) { return prepared_run([=] { launch(r); }); };
  };
  const auto from_host = [](int streams) {
    return [=](const run<Op>& r) {
      const auto array = std::make_shared<host_array<Op>>(r, streams);
      return prepared_run([=] { array->launch(); });
    };
  };
  const auto by_graph = [](const run<Op>& r) {
    const auto graph = graph_of_vectors(r);
    return prepared_run([=] { graph->launch(r.stream); });
  };
  const auto exactly = [](const run<Op>& r) {
    const auto reduction = std::make_shared<exact<Op>>(r);
    return prepared_run([=] { reduction->launch(); });
  };
  const void* const clusters_code = reinterpret_cast<const void*>(&clusters<Op>);
  const void* const copies_code = reinterpret_cast<const void*>(&bulk_copies<Op>);
  std::vector<rung<Op>> rungs = {
      {0, "one thread", "rungs/00_one_thread.cuh", "the loop of a CPU, on a GPU", "all other lanes of the GPU are idle",
       all_additions<Op>, plain(launch_one_thread<Op>), 1 << 18},
      {0, "atomics", "rungs/00_atomics.cuh", "a thread for each element", "all wait in one queue, in any order",
       all_additions<Op>, plain(launch_atomics<Op>), 1 << 22},
      {1, "tree, divergent", "rungs/01_divergent.cuh", "a tree in each block's shared memory",
       "a few lanes in every warp work, and the others wait", tree_additions<Op>, plain(launch_divergent<Op>), any, 2},
      {2, "tree, strided", "rungs/02_bank_conflicts.cuh", "the lanes that work are neighbours",
       "lanes ask the same banks of shared memory", tree_additions<Op>, plain(launch_bank_conflicts<Op>), any, 2},
      {3, "tree, sequential", "rungs/03_sequential.cuh", "neighbours read neighbouring words: no bank conflicts",
       "half of the threads never add anything", tree_additions<Op>, plain(launch_sequential<Op>), any, 2},
      {4, "first add, 2 elements", "rungs/04_first_add.cuh", "each thread adds while it loads",
       "two loads under way are few", tree_additions<Op>, plain(launch_first_add<2, Op>)},
      {4, "first adds, 8 elements", "rungs/04_first_add.cuh", "eight loads under way, and fewer blocks",
       "barriers for the whole block where one warp is left", tree_additions<Op>, plain(launch_first_add<8, Op>)},
      {5, "last warp unrolled", "rungs/05_last_warp.cuh", "the last six steps need no barrier of the block",
       "the other steps are still a loop", tree_additions<Op>, plain(launch_last_warp<Op>)},
      {6, "all unrolled", "rungs/06_unrolled.cuh", "the compiler knows the size of the block",
       "a tree for every eight elements a thread", tree_additions<Op>, plain(launch_unrolled<Op>)},
      {7, "cascading", "rungs/07_cascading.cuh", "long serial sums, then a tree: Brent's theorem",
       "the tree's values go through shared memory", tree_additions<Op>, plain(launch_cascading<Op>)},
      {8, "warp shuffles", "rungs/08_shuffle.cuh", "one barrier a block, one shared value a warp",
       "many short rows, and three passes", tree_additions<Op>, plain(launch_shuffle<Op>)},
      {9, "batched, tree", "rungs/09_batched.cuh", "2048 long rows, a block each", "the grid does not suit the GPU",
       grid_additions<Op>, plain(launch_batched<block_end::tree, Op>)},
      {9, "batched, shuffles", "rungs/09_batched.cuh", "a cheaper end, which hardly shows now",
       "the grid does not suit the GPU", grid_additions<Op>, plain(launch_batched<block_end::shuffle, Op>)},
      {10, "two passes", "rungs/10a_two_passes.cuh", "as many rows as the GPU holds blocks",
       "a second kernel, of a single block", grid_additions<Op>, plain(launch_two_passes<Op>)},
      {10, "three passes", "rungs/10b_three_passes.cuh", "short rows, spread evenly", "one more kernel to start",
       grid_additions<Op>, plain(launch_three_passes<Op>)},
      {10, "atomic finish", "rungs/10c_atomic_finish.cuh", "no second pass", "another order in every run",
       grid_additions<Op>, plain(launch_atomic_finish<Op>)},
      {10, "last block done", "rungs/10d_last_block.cuh", "one kernel, and a fixed order", "the last block reads alone",
       grid_additions<Op>, plain(launch_last_block<Op>)},
      {10, "grid barrier", "rungs/10e_grid_sync.cuh", "blocks that may wait for each other",
       "all wait where one would do", grid_additions<Op>, plain(launch_grid_sync<Op>)},
      {10, "clusters", "rungs/10f_clusters.cuh", "eight blocks share their shared memory", "loads of a single element",
       grid_additions<Op>, plain(launch_clusters<Op>), any, 1, clusters_code},
      {11, "128-bit loads", "rungs/11_vectors.cuh", "64 bytes under way a thread, in a grid that stays",
       "registers hold what is under way", grid_additions<Op>, plain(launch_vectors<Op>)},
      {12, "bulk copies", "rungs/12_bulk_copies.cuh", "a copy engine fills a ring in shared memory",
       "the memory is the limit", grid_additions<Op>, plain(launch_bulk_copies<Op>), any, 1, copies_code},
      {13, "CUDA graph", "rungs/13_graph.cuh", "rung 11 with one call for both kernels",
       "worth it only for many short runs", grid_additions<Op>, by_graph},
      {13, "host array, 1 stream", "rungs/13_host_array.cuh", "the array need not fit in the GPU's memory",
       "copies and kernels take turns", grid_additions<Op>, from_host(1), of_host},
      {13, "host array, 2 streams", "rungs/13_host_array.cuh", "a chunk is copied while another is reduced",
       "gaps where one is quicker than the other", grid_additions<Op>, from_host(2), of_host},
      {13, "host array, 4 streams", "rungs/13_host_array.cuh", "no gaps", "the link is the limit", grid_additions<Op>,
       from_host(4), of_host},
      {14, "exact", "rungs/14_exact.cuh", "the nearest number to the true result, in any order", "", no_roundings<Op>,
       exactly},
  };
  for (const comparison& each : comparisons) {
    for (rung<Op>& one : rungs) {
      if (std::string_view(one.name) == each.name) one.against = each.against, one.no_gain = each.no_gain;
    }
  }
  return rungs;
}

}  // namespace multifold::ladder::gpu
