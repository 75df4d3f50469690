// Devices that the build has no kernels for.
#include "device/probe/probe.hpp"

#include "device/device_fixture.hpp"
#include "device/other_architecture/kernel.hpp"

namespace multifold::device_tests {
namespace {

constexpr int hopper[] = {90}, several[] = {75, 80, 90};

cuda::device_info a100() {
  cuda::device_info info;
  info.name = "NVIDIA A100";
  info.compute_major = 8;
  return info;
}

TEST(probe, tells_devices_that_are_too_old) {
  EXPECT_FALSE(cuda::detail::may_run(a100(), hopper));
  EXPECT_TRUE(cuda::detail::may_run(a100(), several));
  cuda::device_info newer = a100();
  newer.compute_major = 12;
  EXPECT_TRUE(cuda::detail::may_run(newer, hopper));
  EXPECT_EQ(cuda::detail::without_kernels(a100(), hopper),
            "NVIDIA A100 has compute capability 8.0, and the kernels of this build are for 9.0: configure it with "
            "MULTIFOLD_CUDA_ARCHITECTURES=80");
  EXPECT_NE(cuda::detail::without_kernels(a100(), several).find("are for 7.5, 8.0, 9.0"), std::string::npos);
}

TEST(probe, knows_what_it_was_compiled_for) {
  const auto all = cuda::detail::compiled_architectures();
  ASSERT_FALSE(all.empty());
  for (const int each : all) EXPECT_TRUE(each >= 50 && each < 1000) << each;
}

class probe_on_device : public device_test {};

TEST_F(probe_on_device, finds_the_kernels_of_this_build) {
  std::string reason;
  EXPECT_TRUE(cuda::has_kernels(reason)) << reason;
  EXPECT_EQ(reason, "");
}

TEST_F(probe_on_device, misses_kernels_of_another_architecture) {
  std::string reason;
  const std::vector<cuda::device_info> all = cuda::devices(reason);
  ASSERT_FALSE(all.empty());
  if (all.front().compute_major == 7) GTEST_SKIP() << "this device may run them";
  EXPECT_FALSE(cuda::detail::runs(kernel_of_another_architecture(), all.front(), reason));
  EXPECT_NE(reason.find(" has compute capability "), std::string::npos) << reason;
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

}  // namespace
}  // namespace multifold::device_tests
