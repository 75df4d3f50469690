// The chunk pipeline of the CPU engine: reduces a source of any size in bounded memory.
#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>

#include "multifold/plan.hpp"
#include "multifold/source.hpp"
#include "multifold/trace.hpp"
#include "multifold/transfer.hpp"
#include "stream/inputs.hpp"

namespace multifold::stream {

inline constexpr std::int64_t default_memory_bytes = INT64_C(256) << 20;

struct host_options {
  int threads = 0;                // 0: as many as the process may use
  std::int64_t memory_bytes = 0;  // of chunk buffers; 0: default_memory_bytes
  std::stop_token stop;
  std::function<void(std::int64_t bytes)> progress;  // bytes read so far; called from one thread at a time
  trace_sink trace = {};
  transfer way = transfer::automatic;  // of the GPU engine alone
};

/// Runs the reduction of `p` over `input`, whose layout is the dense array that p.form was made from (with the strides
/// of its order in memory). A stream of unknown length has a full reduction only, and its form does not matter; two
/// sources have a length.
/// Shapes:   `results` holds form.results() * result_bytes(what).
/// Memory:   at most memory_bytes of buffers, and accumulators of the results of one slab: the elements behind the
///           slowest axes that are kept.
/// Numerics: the same bits for any number of threads, and for any memory_bytes of 256 KiB and more.
/// Throws:   what the source throws, overflow_error, shape_error, cancelled_error, out_of_memory; `results` is then
///           unspecified.
/// Returns:  the number of elements read, of each source.
/// Cost:     reads each element once.
std::int64_t run_host(const plan& p, const inputs& input, void* results, const host_options& options = {});

}  // namespace multifold::stream
