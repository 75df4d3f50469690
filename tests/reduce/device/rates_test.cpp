// Rates on a machine with a GPU: its link is measured, and memory is known for what it is.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "multifold/cuda/buffer.hpp"
#include "multifold/cuda/traits.hpp"
#include "multifold/multifold.hpp"
#include "reduce/rates/device.hpp"

namespace multifold {
namespace {

class device_rates : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string reason;
    if (cuda::devices(reason).empty()) GTEST_SKIP() << reason;
  }
};

TEST_F(device_rates, are_measured_in_less_than_a_second) {
  cuda::pinned_buffer(4096);  // opens the device
  machine_rates rates;
  std::size_t staged = 0;
  const auto start = std::chrono::steady_clock::now();
  detail::measure_device(rates, [&](std::span<std::byte> pinned) { staged = pinned.size(); });
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(1));
  EXPECT_GT(rates.link, 1e9);
  EXPECT_GT(rates.pinning, 1e8);
  EXPECT_EQ(staged, std::size_t{64} << 20);
}

TEST_F(device_rates, tell_pinned_memory_from_other) {
  const cuda::pinned_buffer pinned(4096);
  const std::vector<std::byte> ordinary(4096);
  EXPECT_TRUE(detail::is_pinned(pinned.data()));
  EXPECT_TRUE(detail::is_pinned(pinned.data() + 4095));
  EXPECT_FALSE(detail::is_pinned(ordinary.data()));
}

TEST_F(device_rates, belong_to_one_device) {
  const std::string uuid = detail::device_uuid();
  EXPECT_EQ(uuid.size(), 32u);
  EXPECT_EQ(uuid.find_first_not_of("0123456789abcdef"), std::string::npos);
  EXPECT_EQ(uuid, detail::device_uuid());
}

TEST_F(device_rates, give_one_answer_however_often_they_are_asked) {
  const std::string path = std::filesystem::temp_directory_path() / ("multifold-rates-" + std::to_string(::getpid()));
  ::setenv("MULTIFOLD_RATES", path.c_str(), 1);
  const machine_rates first = rates_of_machine();
  EXPECT_GT(first.link, 1e9);
  EXPECT_GT(std::min(first.staged_one, first.staged_all), 1e8);
  EXPECT_EQ(first, rates_of_machine());

  const cuda::pinned_buffer pinned(4096);
  const batches form = normalise(make_view(nullptr, dtype::f32, {INT64_C(1) << 30}), {0}, element_order::any);
  reduce_options options;
  options.threads = 1;
  const reduction sum = make_reduction(op_kind::sum, dtype::f32);
  const reducible array{sum, form, pinned.data(), INT64_C(4) << 30};
  const engine_decision found = decide_engine(array, options);
  EXPECT_EQ(found.engine, decide_engine(array, options).engine);
  EXPECT_NE(found.reason.find("with 1 thread"), std::string::npos) << found.reason;
  ::unsetenv("MULTIFOLD_RATES");
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace multifold
