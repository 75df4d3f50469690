// Of a build without CUDA.
#include "device/device.hpp"

namespace multifold::ladder {

std::optional<climb> climb_device(const problem&, int, std::string& reason) {
  reason = "this build has no GPU engine: it was compiled without CUDA";
  return std::nullopt;
}

std::vector<order_trial> device_orders(std::int64_t, int) { return {}; }

}  // namespace multifold::ladder
