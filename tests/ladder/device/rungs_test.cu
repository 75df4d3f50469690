// Every rung of the GPU's ladder, over lengths that are no multiples of anything, against multifold's own result.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "device/all.cuh"
#include "device/device_fixture.hpp"
#include "device/memory.cuh"
#include "device/numbers.cuh"
#include "multifold/cuda/buffer.hpp"
#include "multifold/cuda/stream.hpp"
#include "numbers.hpp"
#include "random_bits.hpp"

namespace multifold::ladder::gpu {
namespace {

constexpr std::int64_t any_length = INT64_MAX;
constexpr std::int64_t most_shift = 4;

class device_rungs : public device_tests::device_test {};

/// Arrays of Op's elements on the device.
template <class Op>
class arrays {
  using value = typename Op::value_type;

 public:
  arrays(std::int64_t count, cudaStream_t stream) {
    for (int a = 0; a < (Op::two_arrays ? 2 : 1); ++a) {
      memory_[a] = cuda::device_buffer((count + most_shift) * static_cast<std::int64_t>(sizeof(value)));
      fill(reinterpret_cast<value*>(memory_[a].data()), count + most_shift, a, stream);
    }
    check(cudaStreamSynchronize(stream));
  }

  /// From element `x_shift` of the first on, and from `y_shift` of the second.
  elements<Op> from(std::int64_t x_shift, std::int64_t y_shift) const {
    const auto* const y = reinterpret_cast<const value*>(memory_[1].data());
    return {reinterpret_cast<const value*>(memory_[0].data()) + x_shift, Op::two_arrays ? y + y_shift : nullptr};
  }

 private:
  cuda::device_buffer memory_[2];
};

template <class Op>
class rungs_test : public device_rungs {
 protected:
  using acc = typename Op::acc;
  const std::vector<rung<Op>> rungs = all_rungs<Op>();

  struct wish {
    elements<Op> in;
    std::int64_t count;
    int threads = 256;
    std::int64_t most_of_host = any_length;  // longer arrays are not copied to the host
  };

  /// All rungs that take so many elements and such blocks.
  void expect_right(const wish& w, const run_memory<Op>& memory, cudaStream_t stream) const {
    const expectation<Op> exact = expect<Op>(w.in, w.count);
    for (const rung<Op>& each : rungs) {
      const bool of_host = std::string_view(each.file) == "rungs/13_host_array.cuh";
      if (w.count > each.most_elements || w.threads < each.least_threads || !each.why_not().empty()) continue;
      if (of_host && w.count > w.most_of_host) continue;
      SCOPED_TRACE(std::string(each.name) + ", " + std::to_string(w.count) + " elements from " +
                   std::to_string(reinterpret_cast<std::uintptr_t>(w.in.x) % 16) + " and " +
                   std::to_string(reinterpret_cast<std::uintptr_t>(w.in.y) % 16) +
                   " past a multiple of 16, blocks of " + std::to_string(w.threads));
      const run<Op> r = memory.run_of(w.in, w.count, stream, w.threads);
      memory.poison(stream);
      each.launch(r);
      const acc first = memory.value(stream);
      ASSERT_TRUE(is_right(exact, first, each.additions(r))) << first << ", and exactly " << exact.rounded;
      if (w.count > 1 << 22) continue;
      // Once more, over what the first run has left; only atomics may give other bits.
      each.launch(r);
      const acc second = memory.value(stream);
      ASSERT_TRUE(is_right(exact, second, each.additions(r))) << second << ", and exactly " << exact.rounded;
      const std::string_view file = each.file;
      if (file == "rungs/00_atomics.cuh" || file == "rungs/10c_atomic_finish.cuh") continue;
      ASSERT_EQ(std::memcmp(&first, &second, sizeof first), 0) << first << ", and then " << second;
    }
  }
};

using all_ops = ::testing::Types<sum<float>, sum<double>, sum<std::int32_t>, max<float>, max<double>, max<std::int32_t>,
                                 dot<float>, dot<double>, dot<std::int32_t>>;

template <class Op>
class device_rungs_of : public rungs_test<Op> {};
TYPED_TEST_SUITE(device_rungs_of, all_ops);

template <class Op>
class device_rungs_Sanitized : public rungs_test<Op> {};
TYPED_TEST_SUITE(device_rungs_Sanitized, all_ops);

// 200 of them, from 1 to 2^28 + 3: around powers of two, and between at random, as many of each magnitude.
std::vector<std::int64_t> many_lengths() {
  std::vector<std::int64_t> lengths{1, (INT64_C(1) << 28) + 3};
  for (int bits = 1; bits <= 28; ++bits) {
    for (const int step : {-1, 0, 1}) lengths.push_back((INT64_C(1) << bits) + step);
  }
  test::random_bits rng(28);
  while (lengths.size() < 200) {
    const auto bits = static_cast<int>(rng() % 28);
    lengths.push_back((INT64_C(1) << bits) + static_cast<std::int64_t>(rng() % (INT64_C(1) << bits)));
  }
  return lengths;
}

TYPED_TEST(device_rungs_of, many_lengths) {
  const std::vector<std::int64_t> lengths = many_lengths();
  const std::int64_t most = *std::max_element(lengths.begin(), lengths.end());
  const cuda::stream stream;
  const arrays<TypeParam> data(most, stream.get());
  const run_memory<TypeParam> memory(most);
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    const auto shift = static_cast<std::int64_t>(i % 4);
    const std::int64_t y_shift = i % 5 == 0 ? 3 - shift : shift;  // mostly the same, so that vectors can be loaded
    ASSERT_NO_FATAL_FAILURE(this->expect_right(
        {.in = data.from(shift, y_shift), .count = lengths[i], .most_of_host = 10 << 20}, memory, stream.get()));
  }
}

TYPED_TEST(device_rungs_of, all_sizes_of_blocks) {
  constexpr std::int64_t lengths[] = {1, 31, 33, 1000, 100003, (1 << 20) + 5};
  const cuda::stream stream;
  const arrays<TypeParam> data(2 << 20, stream.get());
  const run_memory<TypeParam> memory(2 << 20, 1);
  for (int threads = 1; threads <= most_threads; threads *= 2) {
    for (const std::int64_t length : lengths) {
      ASSERT_NO_FATAL_FAILURE(this->expect_right({data.from(1, 1), length, threads}, memory, stream.get()));
    }
  }
}

// For compute-sanitizer, under which all takes a hundred times as long.
TYPED_TEST(device_rungs_Sanitized, short_arrays) {
  const cuda::stream stream;
  const arrays<TypeParam> data(70001, stream.get());
  const run_memory<TypeParam> memory(70001, 8);
  for (const std::int64_t length : {1, 2, 31, 33, 255, 257, 4099, 70001}) {
    ASSERT_NO_FATAL_FAILURE(this->expect_right({data.from(0, 0), length}, memory, stream.get()));
    ASSERT_NO_FATAL_FAILURE(this->expect_right({data.from(1, 1), length, 1024}, memory, stream.get()));
  }
  for (const int threads : {8, 32, 64}) {
    ASSERT_NO_FATAL_FAILURE(this->expect_right({data.from(1, 2), 4099, threads}, memory, stream.get()));
  }
}

using device_rungs_of_floats = rungs_test<sum<float>>;

TEST_F(device_rungs_of_floats, beyond_32_bits) {
  constexpr std::int64_t count = (INT64_C(1) << 31) + 5;
  std::size_t free_bytes = 0, all_bytes = 0;
  check(cudaMemGetInfo(&free_bytes, &all_bytes));
  if (free_bytes < std::size_t{12} << 30) GTEST_SKIP() << "12 GiB of the GPU's memory have to be free";
  const cuda::stream stream;
  const arrays<sum<float>> data(count, stream.get());
  const run_memory<sum<float>> memory(count);
  for (const std::int64_t shift : {0, 1}) {
    ASSERT_NO_FATAL_FAILURE(expect_right({data.from(shift, 0), count}, memory, stream.get()));
  }
}

template <class T>
void expect_numbers_of_the_host() {
  constexpr std::int64_t count = 100003;
  const cuda::stream stream;
  const cuda::device_buffer memory(count * static_cast<std::int64_t>(sizeof(T)));
  for (const int array : {0, 1}) {
    fill(reinterpret_cast<T*>(memory.data()), count, array, stream.get());
    stream.synchronise();
    std::vector<T> made(count);
    check(cudaMemcpy(made.data(), memory.data(), made.size() * sizeof(T), cudaMemcpyDeviceToHost));
    for (std::int64_t i = 0; i < count; ++i) ASSERT_EQ(made[static_cast<std::size_t>(i)], number_at<T>(i, array)) << i;
  }
}

TEST_F(device_rungs, reduce_the_same_numbers_as_the_cpu) {
  ASSERT_NO_FATAL_FAILURE(expect_numbers_of_the_host<float>());
  ASSERT_NO_FATAL_FAILURE(expect_numbers_of_the_host<double>());
  ASSERT_NO_FATAL_FAILURE(expect_numbers_of_the_host<std::int32_t>());
}

// Only for compute-sanitizer --tool racecheck, which has to find fault with it; the value is not looked at. It counts
// as passed otherwise: a skipped test would be a failure where a GPU is required.
TEST_F(device_rungs, wrong_form_if_MULTIFOLD_WRONG_FORM_is_set) {
  if (std::getenv("MULTIFOLD_WRONG_FORM") == nullptr) return;
  const cuda::stream stream;
  const arrays<sum<float>> data(1000, stream.get());
  const run_memory<sum<float>> memory(1000);
  launch_last_warp_without_barriers(memory.run_of(data.from(0, 0), 1000, stream.get()));
  stream.synchronise();
}

}  // namespace
}  // namespace multifold::ladder::gpu
