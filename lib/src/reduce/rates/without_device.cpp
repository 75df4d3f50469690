// Stands in for the GPU's rates where the library was built without CUDA.
#include "reduce/rates/device.hpp"

#if !MULTIFOLD_HAS_CUDA

namespace multifold::inline v0_1::detail {

std::string device_uuid() { return ""; }
bool is_pinned(const void*) { return false; }
void measure_device(machine_rates&, const std::function<void(std::span<std::byte>)>&) {}

}  // namespace multifold::inline v0_1::detail

#endif
