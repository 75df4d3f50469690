// Groups through the API where the GPU reduces them, wherever the array and the keys are.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "multifold/cuda/buffer.hpp"
#include "multifold/cuda/error.hpp"
#include "multifold/multifold.hpp"
#include "random_bits.hpp"
#include "reduce/refusal.hpp"
#include "reduce/sources/vector_source.hpp"

namespace multifold {
namespace {

using test::expect_refusal;

cuda::device_buffer copied(const void* data, std::size_t bytes) {
  cuda::device_buffer there(static_cast<std::int64_t>(bytes));
  cuda::check(cudaMemcpy(there.data(), data, bytes, cudaMemcpyHostToDevice));
  cuda::check(cudaDeviceSynchronize());
  return there;
}

class device_by_key : public ::testing::Test {
 protected:
  void SetUp() override {
    const engine_info device = engines().front();
    if (!device.supported) GTEST_SKIP() << "no GPU: " << device.reason;
    on_device_.engine = engine_choice::device;
    test::random_bits rng(12);
    for (float& each : x_) each = static_cast<float>(static_cast<double>(rng() >> 11) * 0x1p-53 - 0.3);
    for (std::int32_t& each : keys_) each = static_cast<std::int32_t>(rng() % groups);
    copy();
  }
  void copy() {
    x_there_ = copied(x_.data(), x_.size() * sizeof(float));
    keys_there_ = copied(keys_.data(), keys_.size() * sizeof(std::int32_t));
  }
  array_view array(place where) const {
    const void* const at = where == place::host ? static_cast<const void*>(x_.data()) : x_there_.data();
    return make_view(at, dtype::f32, {elements}, where);
  }
  array_view keys(place where) const {
    const void* const at = where == place::host ? static_cast<const void*>(keys_.data()) : keys_there_.data();
    return make_view(at, dtype::i32, {elements}, where);
  }

  static constexpr std::int64_t elements = 3000, groups = 40;
  std::vector<float> x_ = std::vector<float>(elements);
  std::vector<std::int32_t> keys_ = std::vector<std::int32_t>(elements);
  cuda::device_buffer x_there_, keys_there_;
  reduce_options on_device_;
};

constexpr place places[] = {place::host, place::device};

TEST_F(device_by_key, has_the_bits_of_the_cpu_wherever_things_are) {
  for (const bool ascend : {false, true}) {
    if (ascend) std::sort(keys_.begin(), keys_.end());
    copy();
    for (const op_kind op :
         {op_kind::sum, op_kind::mean, op_kind::max, op_kind::argmin, op_kind::var, op_kind::describe}) {
      const reduce_result expected = reduce_by_key(op, array(place::host), keys(place::host), groups);
      EXPECT_EQ(expected.engine, "host");
      for (const place of_array : places) {
        for (const place of_keys : places) {
          const reduce_result got = reduce_by_key(op, array(of_array), keys(of_keys), groups, on_device_);
          EXPECT_EQ(got.engine, "device");
          EXPECT_EQ(got.count, expected.count);
          EXPECT_EQ(got.bytes, expected.bytes);
          EXPECT_EQ(got.extents, expected.extents);
          EXPECT_EQ(got.data, expected.data) << name(op);
        }
      }
    }
  }
}

TEST_F(device_by_key, arrays_on_the_device_need_no_word_about_engines) {
  EXPECT_EQ(reduce_by_key(op_kind::sum, array(place::device), keys(place::host), groups).engine, "device");
}

TEST_F(device_by_key, of_two_arrays_and_of_sources) {
  const array_view x = array(place::host), list = keys(place::host);
  const auto expected = reduce_by_key(op_kind::dot, x, x, list, groups).data;
  EXPECT_EQ(reduce_by_key(op_kind::dot, array(place::device), array(place::device), list, groups).data, expected);
  vector_source<float> first(x_, {elements}), second(x_, {elements});
  EXPECT_EQ(reduce_by_key(op_kind::dot, first, second, list, groups, on_device_).data, expected);
}

TEST_F(device_by_key, positions_of_another_dtype_and_in_memory_of_the_caller) {
  const array_view x = array(place::host), list = keys(place::host);
  reduce_options options = on_device_;
  options.result = dtype::u16;
  std::vector<std::byte> found(groups * 2);
  options.into = found;
  EXPECT_TRUE(reduce_by_key(op_kind::argmax, array(place::device), list, groups, options).data.empty());
  options.into = {};
  options.engine = engine_choice::host;
  EXPECT_EQ(reduce_by_key(op_kind::argmax, x, list, groups, options).data, found);
  options.engine = engine_choice::device;
  options.result = dtype::i8;
  EXPECT_THROW(static_cast<void>(reduce_by_key(op_kind::argmax, x, list, groups, options)), overflow_error);
}

TEST_F(device_by_key, keys_that_are_no_groups) {
  keys_[elements - 1] = groups;
  keys_[1700] = -3;
  copy();
  for (const place where : places) {
    expect_refusal<shape_error>("key 1700 is -3, and there are 40 groups", [&] {
      static_cast<void>(reduce_by_key(op_kind::sum, array(place::device), keys(where), groups));
    });
  }
  expect_refusal<shape_error>(
      "key 0 is", [&] { static_cast<void>(reduce_by_key(op_kind::sum, array(place::device), keys(place::host), 0)); });
}

TEST_F(device_by_key, groups_without_elements_or_arrays) {
  expect_refusal<shape_error>("group 40 is empty, and min of nothing", [&] {
    static_cast<void>(reduce_by_key(op_kind::min, array(place::device), keys(place::host), groups + 2));
  });
  const array_view nothing = make_view(nullptr, dtype::f32, {0}), no_keys = make_view(nullptr, dtype::i64, {0});
  EXPECT_EQ(reduce_by_key(op_kind::sum, nothing, no_keys, 3, on_device_).data, std::vector<std::byte>(12));
  EXPECT_EQ(reduce_by_key(op_kind::max, nothing, no_keys, 0, on_device_).extents, std::vector<std::int64_t>{0});
}

TEST_F(device_by_key, refusals) {
  reduce_options host;
  host.engine = engine_choice::host;
  expect_refusal<unsupported_error>("the keys are in device memory", [&] {
    static_cast<void>(reduce_by_key(op_kind::sum, array(place::host), keys(place::device), groups, host));
  });
  expect_refusal<unsupported_error>("in device memory, where the host engine", [&] {
    static_cast<void>(reduce_by_key(op_kind::sum, array(place::device), keys(place::host), groups, host));
  });
  array_view square = array(place::device);
  square.extents = {elements / 4, 4};
  square.strides = c_strides(square.extents);
  reduce_options columns;
  columns.axes = {1};
  const std::vector<std::int32_t> few{0, 1, 1, 0};
  expect_refusal<unsupported_error>("one axis whose elements are neighbours", [&] {
    static_cast<void>(reduce_by_key(op_kind::sum, square, make_view(few.data(), {4}), 2, columns));
  });
}

}  // namespace
}  // namespace multifold
