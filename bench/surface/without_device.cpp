// Of a build without CUDA.
#include "surface_engine.hpp"

namespace bench::surface {

std::unique_ptr<surface_engine> device_engine() { return nullptr; }

}  // namespace bench::surface
