// Kernels that may start before the one in front has ended: only those that were compiled to wait for it do.
#include "device/dependent/kernels.cuh"
#include "device/device_fixture.hpp"
#include "multifold/cuda/work_queue.hpp"

namespace multifold::device_tests {
namespace {

__global__ void write_late(int* written) {
  cuda::kernels::let_next_start();
  const long long start = clock64();
  while (clock64() - start < 20'000'000) {
  }
  *written = 1;
}

__global__ void read_late(const int* written, int* seen) { read_behind(written, seen); }

struct sight {
  int value, architecture;
};

// What `next` sees of the kernel in front.
sight seen_by(reader next) {
  cuda::stream stream;
  cuda::device_buffer memory(3 * sizeof(int));
  int* const written = reinterpret_cast<int*>(memory.data());
  cuda::stream_queue queue(stream.get());
  queue.clear(written, 3 * sizeof(int));
  cuda::launch_kernel(queue, write_late, 1, 1, 0, written);
  cuda::launch_next_kernel(queue, next, 1, 1, 0, written, written + 1);
  sight seen{};
  cuda::check(cudaMemcpyAsync(&seen, written + 1, sizeof seen, cudaMemcpyDeviceToHost, stream.get()));
  stream.synchronise();
  return seen;
}

class dependent : public device_test {};

TEST_F(dependent, a_kernel_sees_what_the_one_in_front_wrote) {
  for (const reader next : {reader{read_late}, older_reader()}) {
    for (int i = 0; i < 3; ++i) EXPECT_EQ(seen_by(next).value, 1);
  }
}

TEST_F(dependent, kernels_start_early_if_they_were_compiled_to_wait) {
  for (const reader next : {reader{read_late}, older_reader()}) {
    EXPECT_EQ(cuda::starts_early(reinterpret_cast<const void*>(next)), seen_by(next).architecture >= 900);
  }
  EXPECT_FALSE(cuda::starts_early(reinterpret_cast<const void*>(older_reader())));
}

}  // namespace
}  // namespace multifold::device_tests
