// Results of built-in operations that wait, by their size.
#include <cstdint>

#include "device/dispatch.hpp"
#include "multifold/cuda/launch.cuh"
#include "multifold/summary.hpp"

namespace multifold::inline v0_1::cuda::detail {

void place_any_results(const plan& p, const void* waiting, void* results, bound_recipe& steps) {
  if (p.what.op == op_kind::describe) return place_results(p, waiting, static_cast<summary*>(results), steps);
  const std::int64_t bytes = item_bytes(p.what.result);
  if (bytes == 1) place_results(p, waiting, static_cast<std::uint8_t*>(results), steps);
  else if (bytes == 2) place_results(p, waiting, static_cast<std::uint16_t*>(results), steps);
  else if (bytes == 4) place_results(p, waiting, static_cast<std::uint32_t*>(results), steps);
  else place_results(p, waiting, static_cast<std::uint64_t*>(results), steps);
}

}  // namespace multifold::inline v0_1::cuda::detail
