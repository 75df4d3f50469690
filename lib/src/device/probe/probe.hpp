// Whether a device can run kernels of this build, asked of CUDA.
#pragma once

#include <span>
#include <string>

#include "multifold/cuda/traits.hpp"

namespace multifold::inline v0_1::cuda::detail {

/// A kernel that is never run, compiled for the same architectures as all others.
const void* probe_kernel();

/// The compute capabilities that kernels are compiled for, ten times the major plus the minor: 90 for 9.0. Ascending.
std::span<const int> compiled_architectures();

/// Whether a kernel for one of `architectures` can run on `device`: at least one is not newer than it. Asks nothing, so
/// machine code without PTX for a device that is newer still counts.
bool may_run(const device_info& device, std::span<const int> architectures);

/// "NVIDIA A100 has compute capability 8.0, and the kernels of this build are for 9.0: ...".
std::string without_kernels(const device_info& device, std::span<const int> architectures);

/// Whether `kernel` runs on `device`, which this opens. If not, `reason` says why.
bool runs(const void* kernel, const device_info& device, std::string& reason);

}  // namespace multifold::inline v0_1::cuda::detail
