// The reader as PTX of an architecture before Hopper, which every newer GPU's driver compiles.
#include "device/dependent/kernels.cuh"

namespace multifold::device_tests {
namespace {

__global__ void read_late(const int* written, int* seen) { read_behind(written, seen); }

}  // namespace

reader older_reader() { return read_late; }

}  // namespace multifold::device_tests
