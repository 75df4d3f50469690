// thrust::device_vector, cuda::std::mdspan and CUDA's types of 2 bytes wherever an array is asked for.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <gtest/gtest.h>

#include <cuda/std/mdspan>
#include <vector>

#include "multifold/cuda/buffer.hpp"
#include "multifold/cuda/reduce_async.hpp"
#include "multifold/cuda/thrust.hpp"
#include "multifold/multifold.hpp"

namespace multifold {
namespace {

static_assert(viewable<thrust::device_vector<float>> && !contiguous_elements<thrust::device_vector<float>>);
static_assert(!viewable<thrust::device_vector<std::vector<int>>>);

class device_thrust : public ::testing::Test {
 protected:
  void SetUp() override {
    const engine_info device = engines().front();
    if (!device.supported) GTEST_SKIP() << "no GPU: " << device.reason;
  }
};

TEST_F(device_thrust, vectors_are_arrays_in_device_memory) {
  const std::vector<float> host{3, -1, 4, -1, 5, -9};
  const thrust::device_vector<float> x(host.begin(), host.end());
  const array_view view = x;
  EXPECT_EQ(view.where, place::device);
  EXPECT_EQ(view.type, dtype::f32);
  EXPECT_EQ(view.extents, std::vector<std::int64_t>{6});
  EXPECT_EQ(sum(x), 1);
  EXPECT_EQ(multifold::max(x), 5);
  EXPECT_EQ(argmin(x), 5);
  EXPECT_EQ(dot(x, x), 133);
  EXPECT_EQ(reduce(op_kind::sum, x).engine, "device");
  EXPECT_EQ(sum(thrust::device_vector<float>()), 0);
}

TEST_F(device_thrust, offsets_and_keys_are_vectors_as_well) {
  const thrust::device_vector<double> x(1000, 0.25);
  const std::vector<std::int64_t> ends{0, 100, 1000};
  const thrust::device_vector<std::int64_t> offsets(ends.begin(), ends.end());
  const auto segments = reduce(op_kind::sum, x, segments::from_offsets(offsets)).values<double>();
  EXPECT_EQ(segments, (std::vector<double>{25, 225}));
  const thrust::device_vector<std::int32_t> keys(1000, 2);
  const auto groups = reduce_by_key(op_kind::sum, x, keys, 3).values<double>();
  EXPECT_EQ(groups, (std::vector<double>{0, 0, 250}));
}

TEST_F(device_thrust, results_are_written_to_vectors) {
  const thrust::device_vector<float> x(1 << 20, 0.1f);
  thrust::device_vector<float> total(1);
  cuda::reduce_async(op_kind::sum, x, thrust::raw_pointer_cast(total.data()));
  EXPECT_EQ(total[0], 104857.6f);
}

TEST(cuda_mdspan, is_an_array_where_it_is) {
  namespace cuda_std = ::cuda::std;
  const std::vector<float> x{1, 2, 3, 4, 5, 6};
  const cuda_std::mdspan<const float, cuda_std::dextents<int, 2>> rows(x.data(), 2, 3);
  const cuda_std::mdspan<const float, cuda_std::extents<int, 3, 2>, cuda_std::layout_left> columns(x.data());
  EXPECT_EQ(sum(rows), 21);
  EXPECT_EQ(reduce(op_kind::sum, rows, {.axes = {0}}).values<float>(), (std::vector<float>{5, 7, 9}));
  EXPECT_EQ(reduce(op_kind::sum, columns, {.axes = {0}}).values<float>(), (std::vector<float>{6, 15}));
}

// In host memory, whose results need no GPU.
TEST(cuda_halves, are_elements) {
  const std::vector<__half> x{__float2half(1.5f), __float2half(-4.0f), __float2half(6.0f)};
  EXPECT_EQ(make_view(x.data(), {3}).type, dtype::f16);
  EXPECT_EQ(static_cast<float>(sum(x)), 3.5f);
  EXPECT_EQ(argmax(x), 2);
  EXPECT_EQ(static_cast<float>(dot(x, x)), 54.25f);
  const std::vector<__nv_bfloat16> y{__float2bfloat16(1.5f), __float2bfloat16(2.0f)};
  EXPECT_EQ(as_view(y).type, dtype::bf16);
  EXPECT_EQ(static_cast<float>(multifold::max(y)), 2.0f);
  EXPECT_EQ(static_cast<float>(mean(y)), 1.75f);
}

}  // namespace
}  // namespace multifold
