// A GPU whose memory others use: fewer and smaller slots, the same results, and a note; or a refusal that is no crash.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "multifold/cuda/buffer.hpp"
#include "multifold/error.hpp"
#include "stream/device/problem.hpp"
#include "stream/device/stream.hpp"
#include "stream/memory_source.hpp"

namespace multifold {
namespace {

using test::problem;

// Takes the device's memory but for about `left` bytes.
class hog {
 public:
  explicit hog(std::int64_t left) {
    for (std::int64_t block = INT64_C(1) << 36; block >= 64 << 10;) {
      if (!take(block)) block /= 2;
    }
    std::int64_t given_back = 0;
    while (given_back < left && !taken_.empty()) {
      given_back += taken_.back().size();
      taken_.pop_back();
    }
    if (given_back > left) take(given_back - left);
  }

 private:
  bool take(std::int64_t bytes) {
    try {
      taken_.emplace_back(bytes);
      return true;
    } catch (const out_of_memory&) {
      return false;
    }
  }

  std::vector<cuda::device_buffer> taken_;
};

class device_shortage : public test::needs_device {
 protected:
  // Kernels are loaded when they are first used, and take memory, too.
  void SetUp() override {
    needs_device::SetUp();
    if (!IsSkipped()) reduce();
  }

  stream::streamed reduce() {
    const problem shape(dtype::f32, {INT64_C(40) << 20}, {0});
    const plan p = shape.plan_of(op_kind::sum);
    if (!input_) {
      input_.emplace(shape.layout, test::small_numbers(dtype::f32, shape.elements(), 3));
      expected_ = test::interpreted(p, input_->data());
    }
    std::vector<std::byte> got(expected_.size());
    stream::host_options options;
    options.memory_bytes = INT64_C(256) << 20;
    options.threads = 8;
    const stream::streamed done = stream::run_device(p, *input_, got.data(), options);
    EXPECT_EQ(got, expected_);
    return done;
  }

  std::optional<test::memory_source> input_;
  std::vector<std::byte> expected_;
};

TEST_F(device_shortage, goes_on_with_what_there_is) {
  EXPECT_EQ(reduce().note, "");
  for (const std::int64_t left : {48, 24, 16}) {
    const hog others(left << 20);
    EXPECT_NE(reduce().note, "") << left << " MiB";
  }
  EXPECT_EQ(reduce().note, "");
}

TEST_F(device_shortage, says_so_where_there_is_nothing_and_leaves_no_error_behind) {
  {
    const hog others(512 << 10);
    EXPECT_THROW(reduce(), out_of_memory);
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  }
  EXPECT_EQ(reduce().note, "");
}

}  // namespace
}  // namespace multifold
