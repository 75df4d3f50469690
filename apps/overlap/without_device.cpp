// Stands in for the GPU's ways where the library was built without CUDA.
#include "overlap/device.hpp"

#if !MULTIFOLD_HAS_CUDA

namespace multifold::overlap {

std::vector<section> device_sections(const device_measurement&) { return {}; }

}  // namespace multifold::overlap

#endif
