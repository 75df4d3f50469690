// A kernel as machine code of one old architecture, and of no other.
#include "device/other_architecture/kernel.hpp"

namespace multifold::device_tests {
namespace {

__global__ void nothing() {}

}  // namespace

const void* kernel_of_another_architecture() { return reinterpret_cast<const void*>(&nothing); }

}  // namespace multifold::device_tests
