// No graphs here: every reduction is launched.
#include "multifold/graphs/capture.hpp"
#include "multifold/graphs/graph_cache.hpp"

namespace multifold::inline v0_1::graphs {

struct graph_cache::entry {};

graph_cache::graph_cache(const cache_limits& limits) : limits_(limits) {}
graph_cache::~graph_cache() = default;
void refuse_captured(cuda::stream_handle) {}  // nor captures
bool graph_cache::run(const plan&, const operands&, void*, cuda::stream_handle) { return false; }

}  // namespace multifold::inline v0_1::graphs
