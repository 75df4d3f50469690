// Stands in for the GPU engine where the library was built without CUDA.
#include "multifold/error.hpp"
#include "reduce/device.hpp"
#include "reduce/places.hpp"

#if !MULTIFOLD_HAS_CUDA

namespace multifold::inline v0_1::detail {
namespace {

constexpr const char* absent = "this build of multifold has no GPU engine: it was compiled without CUDA";

}  // namespace

bool has_device(std::string& reason) {
  reason = absent;
  return false;
}

bool opens_device(std::string& reason) { return has_device(reason); }

std::vector<int> devices_with_kernels() { return {}; }

void use_device(int) { throw engine_error(absent); }

int device_in_use() { throw engine_error(absent); }

int device_of(const void*) { throw engine_error(absent); }

engine_traits current_device() { throw engine_error(absent); }

void run_on_device(const plan&, const operands&, void*, CUstream_st*) { throw engine_error(absent); }

void run_in_environment(const plan&, const operands&, void*, const cuda::environment&) { throw engine_error(absent); }

class device_work::running {};
device_work::device_work(const plan&, const operands&, CUstream_st*) { throw engine_error(absent); }
device_work::device_work(device_work&&) noexcept = default;
device_work::~device_work() = default;
void device_work::finish(void*) {}

std::int64_t run_segments_on_device(const segment_request&, void*, CUstream_st*) { throw engine_error(absent); }

void run_groups_on_device(const segment_request&, const array_view&, void*, CUstream_st*) {
  throw engine_error(absent);
}

void wait_for(CUstream_st*) { throw engine_error(std::string("a stream was named, and ") + absent); }

bool uses_cuda() { return false; }

bool is_device_memory(const void*) { return false; }

void check_read_by_device(const char*, const void*) { throw engine_error(absent); }

stream::streamed stream_to_device(const plan&, const stream::inputs&, void*, const stream::host_options&) {
  throw engine_error(absent);
}

stream::streamed share_with_device(const plan&, const stream::inputs&, void*, const stream::host_options&) {
  throw engine_error(absent);
}

bool device_shares(const reduction&, const batches&) { return false; }

bool device_takes_chunks(const batches&) { return false; }

}  // namespace multifold::inline v0_1::detail

#endif
