// Segments through the API where the array, the list or both are in device memory.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "multifold/cuda/buffer.hpp"
#include "multifold/cuda/error.hpp"
#include "multifold/multifold.hpp"
#include "random_bits.hpp"

namespace multifold {
namespace {

class device_segments : public ::testing::Test {
 protected:
  void SetUp() override {
    const engine_info device = engines().front();
    if (!device.supported) GTEST_SKIP() << "no GPU: " << device.reason;
    test::random_bits rng(11);
    for (std::int64_t at = 0; at <= elements; at += static_cast<std::int64_t>(rng() % 700 + 1)) offsets_.push_back(at);
    x_.resize(elements);
    for (float& each : x_) each = static_cast<float>(static_cast<double>(rng() >> 11) * 0x1p-53 - 0.3);
    x_there_ = copied(x_.data(), x_.size() * sizeof(float));
    offsets_there_ = copied(offsets_.data(), offsets_.size() * sizeof(std::int64_t));
  }

  static cuda::device_buffer copied(const void* data, std::size_t bytes) {
    cuda::device_buffer there(static_cast<std::int64_t>(bytes));
    cuda::check(cudaMemcpy(there.data(), data, bytes, cudaMemcpyHostToDevice));
    cuda::check(cudaDeviceSynchronize());
    return there;
  }
  array_view list(place where) const {
    const void* const at = where == place::host ? static_cast<const void*>(offsets_.data()) : offsets_there_.data();
    return make_view(at, dtype::i64, {static_cast<std::int64_t>(offsets_.size())}, where);
  }
  array_view array(place where) const {
    const void* const at = where == place::host ? static_cast<const void*>(x_.data()) : x_there_.data();
    return make_view(at, dtype::f32, {elements}, where);
  }

  static constexpr std::int64_t elements = 300'000;
  std::vector<std::int64_t> offsets_;
  std::vector<float> x_;
  cuda::device_buffer x_there_, offsets_there_;
};

TEST_F(device_segments, have_the_bits_of_the_cpu_wherever_the_list_is) {
  for (const op_kind op :
       {op_kind::sum, op_kind::mean, op_kind::max, op_kind::argmin, op_kind::var, op_kind::describe}) {
    const reduce_result expected = reduce(op, array(place::host), segments::from_offsets(list(place::host)));
    EXPECT_EQ(expected.engine, "host");
    for (const place where : {place::host, place::device}) {
      const reduce_result got = reduce(op, array(place::device), segments::from_offsets(list(where)));
      EXPECT_EQ(got.engine, "device");
      EXPECT_EQ(got.count, expected.count);
      EXPECT_EQ(got.extents, expected.extents);
      EXPECT_EQ(got.data, expected.data) << name(op);
    }
    reduce_options options;
    options.engine = engine_choice::device;
    EXPECT_EQ(reduce(op, array(place::host), segments::from_offsets(list(place::host)), options).data, expected.data);
  }
}

TEST_F(device_segments, of_two_arrays) {
  const segments of = segments::from_offsets(list(place::host));
  const array_view x = array(place::host), there = array(place::device);
  EXPECT_EQ(reduce(op_kind::dot, there, there, of).data, reduce(op_kind::dot, x, x, of).data);
}

TEST_F(device_segments, refuse_offsets_that_fall) {
  offsets_[40] = offsets_[39] - 1;
  offsets_there_ = copied(offsets_.data(), offsets_.size() * sizeof(std::int64_t));
  for (const place where : {place::host, place::device}) {
    try {
      static_cast<void>(reduce(op_kind::sum, array(place::device), segments::from_offsets(list(where))));
      FAIL() << "nothing was thrown";
    } catch (const shape_error& e) {
      EXPECT_NE(std::string(e.what()).find("offset 40"), std::string::npos) << e.what();
    }
  }
}

TEST_F(device_segments, refuse_a_minimum_of_nothing) {
  offsets_.insert(offsets_.begin() + 9, offsets_[9]);
  offsets_there_ = copied(offsets_.data(), offsets_.size() * sizeof(std::int64_t));
  for (const place where : {place::host, place::device}) {
    EXPECT_THROW(static_cast<void>(reduce(op_kind::min, array(place::device), segments::from_offsets(list(where)))),
                 shape_error);
  }
}

TEST_F(device_segments, refuse_a_list_that_the_engine_cannot_read) {
  const segments of = segments::from_offsets(list(place::device));
  EXPECT_THROW(static_cast<void>(reduce(op_kind::sum, array(place::host), of)), unsupported_error);
}

TEST_F(device_segments, refuse_columns_and_ranges_for_now) {
  array_view square = array(place::device);
  square.extents = {elements / 4, 4};
  square.strides = c_strides(square.extents);
  const std::vector<std::int64_t> few{0, 5, 9};
  reduce_options options;
  options.axes = {0};
  const segments of = segments::from_offsets(make_view(few.data(), {3}));
  EXPECT_THROW(static_cast<void>(reduce(op_kind::sum, square, of, options)), unsupported_error);
  const segments ranges = segments::from_ranges(make_view(few.data(), {2}), make_view(few.data() + 1, {2}));
  EXPECT_EQ(reduce(op_kind::sum, array(place::device), ranges).extents, std::vector<std::int64_t>{2});
  const std::vector<std::int64_t> ends{6, 10};
  const segments apart = segments::from_ranges(make_view(few.data(), {2}), make_view(ends.data(), {2}));
  EXPECT_THROW(static_cast<void>(reduce(op_kind::sum, array(place::device), apart)), unsupported_error);
}

}  // namespace
}  // namespace multifold
