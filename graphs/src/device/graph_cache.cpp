#include "multifold/graphs/graph_cache.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <string>
#include <utility>

#include "awaited_word.hpp"
#include "multifold/cuda/buffer.hpp"
#include "multifold/cuda/error.hpp"
#include "multifold/cuda/reduce_async.hpp"
#include "multifold/graphs/capture.hpp"
#include "multifold/plan/recipe.hpp"
#include "pass_nodes.hpp"

namespace multifold::inline v0_1::graphs {
namespace {

using cuda::check;

constexpr std::size_t remembered = 64;

std::int64_t rounded_up(std::int64_t bytes) { return (bytes + 255) / 256 * 256; }

// Whether any elements have a result that its dtype holds.
bool never_fails(const reduction& what) {
  if (takes_truths(what.op)) return what.result == default_result_dtype(what.op, what.input);
  if (!has_identity(what.op)) {
    const bool fits = what.result == default_result_dtype(what.op, what.input) && !what.initial.given;
    return fits && (what.nan == nan_policy::propagate || !is_floating(what.input));
  }
  return what.op != op_kind::describe && is_floating(what.result);
}

// Whether the first result that is stored is the last one: there are no batches that are read again.
bool is_stored_once(const plan& p) {
  const recipe steps = recipe_of(p, recipe_end::results);
  const auto& slices = steps.slices();
  return std::none_of(slices.begin(), slices.end(), [](const auto& s) { return s.use == slice_use::lost; });
}

// Enough to tell problems apart that come in turn; taking one for another costs a graph that is not needed.
std::uint64_t hash_of(int device, const plan& p) {
  std::uint64_t hash = 0;
  const auto mix = [&](auto value) {
    hash ^= std::hash<decltype(value)>{}(value) + 0x9e3779b97f4a7c15u + (hash << 6) + (hash >> 2);
  };
  mix(device);
  mix(static_cast<int>(p.what.op));
  mix(static_cast<int>(p.what.input));
  mix(static_cast<int>(p.what.result));
  mix(p.form.outer);
  mix(p.form.length);
  mix(p.form.inner);
  mix(p.passes.size());
  for (const pass& at : p.passes) mix(at.parts);
  return hash;
}

}  // namespace

/// The passes as one graph, which leaves the results in pinned memory: the only one is written there by a kernel,
/// others are copied with the status.
struct graph_cache::entry {
  entry(int on, const plan& of, const operands& data, cudaStream_t after)
      : device(on),
        stream(after),
        what(of),
        in_place(of.form.results() == 1 && never_fails(of.what)),
        result_space(rounded_up(of.form.results() * result_bytes(of.what))),
        memory(result_space + of.workspace_bytes()),
        on_host(result_space + static_cast<std::int64_t>(sizeof(std::uint32_t))),
        only_result(in_place && is_stored_once(of) ? result_bytes(of.what) : 0),
        passes(of, data, results(), memory.bytes().subspan(static_cast<std::size_t>(result_space)), copied()) {
    // What lies between the results and the status is copied, too.
    if (!in_place) check(cudaMemsetAsync(memory.data(), 0, static_cast<std::size_t>(result_space), stream));
  }

  void run(const operands& data, void* out) {
    passes.rebind(passes.current(), data, results());
    only_result.expect(on_host.data());
    passes.launch(stream);
    if (!only_result.came()) check(cudaStreamSynchronize(stream));
    if (!in_place) {
      std::uint32_t word = 0;
      std::memcpy(&word, on_host.data() + result_space, sizeof word);
      check_status(static_cast<status>(word), what.what);
    }
    std::memcpy(out, on_host.data(), static_cast<std::size_t>(what.form.results() * result_bytes(what.what)));
  }

  void* results() { return in_place ? on_host.data() : memory.data(); }

  // Results stand before the workspace, so that one copy takes them and the status, with which the workspace begins.
  copy_back copied() { return in_place ? copy_back{} : copy_back{on_host.data(), memory.data(), on_host.size()}; }

  int device;
  cudaStream_t stream;  // the caller's
  plan what;
  bool in_place;  // the only result, on_host
  std::int64_t result_space;
  cuda::device_buffer memory;
  cuda::pinned_buffer on_host;
  awaited_word only_result;
  pass_nodes passes;
};

graph_cache::graph_cache(const cache_limits& limits) : limits_(limits), seen_(remembered, 0) {}
graph_cache::~graph_cache() = default;

std::unique_ptr<graph_cache::entry> graph_cache::take(int device, const plan& p, cudaStream_t after) {
  const std::lock_guard lock(mutex_);
  const auto found = std::find_if(idle_.begin(), idle_.end(), [&](const auto& e) {
    return e->device == device && e->stream == after && e->what == p;
  });
  if (found == idle_.end()) return nullptr;
  std::unique_ptr<entry> e = std::move(*found);
  idle_.erase(found);
  return e;
}

bool graph_cache::seen_before(int device, const plan& p) {
  const std::uint64_t hash = hash_of(device, p);
  const std::lock_guard lock(mutex_);
  if (std::find(seen_.begin(), seen_.end(), hash) != seen_.end()) return true;
  seen_[next_seen_++ % remembered] = hash;
  return false;
}

void graph_cache::keep(std::unique_ptr<entry> e) {
  std::unique_ptr<entry> last;  // destroyed without the lock: freeing memory waits for the device
  const std::lock_guard lock(mutex_);
  idle_.push_front(std::move(e));
  if (idle_.size() <= limits_.graphs) return;
  last = std::move(idle_.back());
  idle_.pop_back();
}

bool graph_cache::run(const plan& p, const operands& data, void* host_results, cuda::stream_handle after) {
  if (limits_.graphs == 0 || p.form.results() == 0 || p.form.elements() == 0) return false;
  refuse_captured(after);
  const int128_t bytes = static_cast<int128_t>(p.form.results()) * result_bytes(p.what) + p.workspace_bytes();
  if (bytes > limits_.graph_bytes) return false;
  int device = 0;
  check(cudaGetDevice(&device));
  std::unique_ptr<entry> e = take(device, p, after.get());
  if (!e) {
    if (!seen_before(device, p)) return false;
    e = std::make_unique<entry>(device, p, data, after.get());
  }
  try {
    e->run(data, host_results);
  } catch (const cuda_error&) {
    throw;  // whatever is wrong with it, the graph is not kept
  } catch (...) {
    keep(std::move(e));
    throw;
  }
  keep(std::move(e));
  return true;
}

std::size_t graph_cache::size() const {
  const std::lock_guard lock(mutex_);
  return idle_.size();
}

void graph_cache::clear() {
  std::list<std::unique_ptr<entry>> all;
  const std::lock_guard lock(mutex_);
  all.swap(idle_);
}

}  // namespace multifold::inline v0_1::graphs
