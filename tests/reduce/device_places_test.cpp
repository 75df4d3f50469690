// Arrays that do not lie where they are said to lie are refused, and not read.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <span>
#include <string>
#include <vector>

#include "multifold/cuda/buffer.hpp"
#include "multifold/multifold.hpp"

namespace multifold {
namespace {

constexpr std::int64_t count = 1000;

class device_places : public ::testing::Test {
 protected:
  void SetUp() override {
    const engine_info device = engines().front();
    if (!device.supported) GTEST_SKIP() << "no GPU: " << device.reason;
    there_ = cuda::device_buffer(count * 4);
    pinned_ = cuda::pinned_buffer(count * 4);
    cuda::check(cudaDeviceSynchronize());
  }
  void TearDown() override {
    if (!IsSkipped()) {
      EXPECT_EQ(cudaGetLastError(), cudaSuccess);
    }
  }

  static array_view view(const void* data, place where) { return make_view(data, dtype::f32, {count}, where); }

  // One at a time, and as either of two.
  static void expect_refused(const array_view& wrong, const array_view& right, const reduce_options& options,
                             const std::string& reason) {
    const auto refused = [&](const auto& call) {
      try {
        call();
        ADD_FAILURE() << "not refused: " << reason;
      } catch (const unsupported_error& problem) {
        EXPECT_NE(std::string(problem.what()).find(reason), std::string::npos) << problem.what();
      }
    };
    refused([&] { reduce(op_kind::sum, wrong, options); });
    refused([&] { reduce(op_kind::dot, wrong, right, options); });
    refused([&] { reduce(op_kind::dot, right, wrong, options); });
  }

  cuda::device_buffer there_;
  cuda::pinned_buffer pinned_;
  std::vector<float> here_ = std::vector<float>(count, 1.0f);
};

TEST_F(device_places, of_the_device_are_refused_as_host_memory) {
  for (const engine_choice engine :
       {engine_choice::automatic, engine_choice::host, engine_choice::device, engine_choice::both}) {
    reduce_options options;
    options.engine = engine;
    expect_refused(view(there_.data(), place::host), view(here_.data(), place::host), options, "say place::device");
    expect_refused(view(there_.data() + 4, place::host), view(pinned_.data(), place::host), options,
                   "say place::device");
  }
}

TEST_F(device_places, of_the_host_are_refused_as_device_memory) {
  int reads_all = 0;
  cuda::check(cudaDeviceGetAttribute(&reads_all, cudaDevAttrPageableMemoryAccess, 0));
  if (reads_all != 0) GTEST_SKIP() << "this device reads all of the host's memory";
  expect_refused(view(here_.data(), place::device), view(there_.data(), place::device), {}, "say place::host");
}

TEST_F(device_places, that_are_pinned_are_both) {
  std::vector<float> ones(count, 1.0f);
  std::memcpy(pinned_.data(), ones.data(), count * 4);
  EXPECT_EQ(reduce(op_kind::sum, view(pinned_.data(), place::host)).value<float>(), count);
  EXPECT_EQ(reduce(op_kind::sum, view(pinned_.data(), place::device)).value<float>(), count);
}

TEST_F(device_places, for_results_are_the_host_s) {
  reduce_options options;
  options.into = there_.bytes().first(4);
  for (const engine_choice engine : {engine_choice::host, engine_choice::device}) {
    options.engine = engine;
    EXPECT_THROW(reduce(op_kind::sum, view(here_.data(), place::host), options), unsupported_error);
  }
  options.engine = engine_choice::device;
  EXPECT_THROW(reduce(op_kind::sum, view(there_.data(), place::device), options), unsupported_error);
}

}  // namespace
}  // namespace multifold
