// A GPU that the build has no kernels for, as one of an older architecture is.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>

#include "multifold/cuda/buffer.hpp"
#include "multifold/error.hpp"
#include "multifold/rates.hpp"
#include "multifold/reduce.hpp"
#include "reduce/rates/file.hpp"
#include "simulated_gpu.hpp"

namespace multifold {
namespace {

class device_without_kernels : public ::testing::Test {
 protected:
  device_without_kernels() { simulated::lacks_kernels = true; }
  ~device_without_kernels() override { simulated::lacks_kernels = false; }
};

TEST_F(device_without_kernels, is_not_supported) {
  const engine_info device = engines().front();
  ASSERT_EQ(device.name, "device");
  EXPECT_FALSE(device.supported);
  EXPECT_EQ(device.reason, "the simulated GPU has no kernels");
}

// Rates of this machine, but with a link that leaves no doubt about the GPU.
void make_device_quick(const std::string& path) {
  ::setenv("MULTIFOLD_RATES", path.c_str(), 1);
  measure_rates();
  std::optional<detail::rates_record> record = detail::load_rates(path);
  ASSERT_TRUE(record);
  record->rates.host_one = record->rates.host_all = 1e9;
  record->rates.link = record->rates.pinning = 1e12;
  ASSERT_TRUE(detail::save_rates(path, *record));
}

// As much as makes `auto` think of the GPU.
TEST_F(device_without_kernels, is_none_for_auto) {
  ASSERT_NO_FATAL_FAILURE(make_device_quick(::testing::TempDir() + "quick_device_rates"));
  const std::int64_t bytes = INT64_C(256) << 20;
  const cuda::pinned_buffer pinned(bytes);
  std::memset(pinned.data(), 0, static_cast<std::size_t>(bytes));
  const array_view zeros = make_view(pinned.data(), dtype::f32, {bytes / 4});
  const reduce_result result = reduce(op_kind::sum, zeros);
  EXPECT_EQ(result.engine, "host");
  EXPECT_EQ(result.value<float>(), 0);
  EXPECT_EQ(plan_for(op_kind::sum, zeros).engine.engine, engine_kind::host);
  simulated::lacks_kernels = false;
  EXPECT_EQ(plan_for(op_kind::sum, zeros).engine.engine, engine_kind::device) << "nothing was to be told apart";
  ::unsetenv("MULTIFOLD_RATES");
}

TEST_F(device_without_kernels, cannot_be_asked_for) {
  const float one = 1;
  reduce_options options;
  for (const engine_choice engine : {engine_choice::device, engine_choice::both}) {
    options.engine = engine;
    try {
      reduce(op_kind::sum, make_view(&one, {1}), options);
      ADD_FAILURE() << name(engine);
    } catch (const engine_error& problem) {
      EXPECT_NE(std::string(problem.what()).find("the simulated GPU has no kernels"), std::string::npos);
    }
  }
}

}  // namespace
}  // namespace multifold
