// What is measured on the GPU: a table of cases. Nothing is run here.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "device/data.hpp"
#include "device/peers/peers.hpp"
#include "multifold/plan.hpp"

namespace bench {

/// Somebody who does the work of a case.
struct contender {
  enum class kind {
    ours,   // multifold over the case's axes
    whole,  // multifold over all axes: what the same bytes can be reduced at
    peer,
    read,  // the plain read of the same bytes
    copy,  // half of the bytes to the other half, read and written
  };
  std::string name;
  kind what = kind::ours;
  multifold::plan_options forced;
  multifold::accuracy numerics = multifold::accuracy::fast;  // of ours: exact sums are asked for
  peer_function peer = nullptr;
  multifold::dtype result = multifold::dtype::f32;  // of a peer
  tolerance allowed = tolerance::exact;             // of a peer
  std::optional<multifold::op_kind> op = {};        // of ours, instead of the case's
};

/// How calls follow each other.
enum class pace {
  stream,    // contenders one after the other on a busy stream: throughput
  single,    // one call at a time on an idle device: latency, with the launches in it
  captured,  // many calls in a graph: what a call costs in a pipeline
};

struct bench_case {
  std::string name;
  multifold::op_kind op = multifold::op_kind::sum;
  multifold::dtype type = multifold::dtype::f32;
  std::vector<std::int64_t> extents;  // {0}: the whole buffer
  std::vector<std::int64_t> axes;
  std::vector<contender> contenders;  // the first is the one that ratios are told of
  std::int64_t shift = 0;             // elements from an aligned address
  pace how = pace::stream;
  data_set data = data_set::integers;
};

/// Every case. The contender that ratios are taken to is named "cub".
std::vector<bench_case> device_cases();

/// Those of exact sums, which are among them. Their first contender is exact.
std::vector<bench_case> exact_cases();

/// Those of norms, dot products, variances and descriptions, which are among them, too.
std::vector<bench_case> moment_cases();

/// Whether a case reads two arrays: its input and as much behind it.
inline bool reads_two_arrays(const bench_case& c) { return multifold::takes_two_arrays(c.op); }

/// The view of one copy of a case's input, or of its first array, for a buffer of `buffer_bytes`.
multifold::array_view view_of(const bench_case& c, const void* data, std::int64_t buffer_bytes);

/// The plan of an `ours` or `whole` contender.
multifold::plan plan_of(const bench_case& c, const contender& who, const multifold::array_view& view,
                        const multifold::engine_traits& engine);

}  // namespace bench
