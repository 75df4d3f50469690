// A kernel that hardly any device can run.
#pragma once

namespace multifold::device_tests {

/// Machine code for devices of compute capability 7.5 alone, without PTX.
const void* kernel_of_another_architecture();

}  // namespace multifold::device_tests
