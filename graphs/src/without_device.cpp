// Stands in for what needs a GPU where the library was built without CUDA.
#include "multifold/error.hpp"
#include "multifold/graphs/topology.hpp"

#if !MULTIFOLD_HAS_CUDA

namespace multifold::inline v0_1::graphs {

topology driver_topology_of(const plan&) {
  throw engine_error("this build of multifold has no GPU engine: it was compiled without CUDA");
}

}  // namespace multifold::inline v0_1::graphs

#endif
