// Shares of arrays and sources for several GPUs, or for one that is named several times: the bits of the host engine.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "host/random_array.hpp"
#include "multifold/cuda/buffer.hpp"
#include "multifold/cuda/error.hpp"
#include "multifold/multifold.hpp"
#include "random_bits.hpp"
#include "reduce/refusal.hpp"
#include "reduce/sources/vector_source.hpp"

namespace multifold {
namespace {

class device_shares : public ::testing::Test {
 protected:
  void SetUp() override {
    const engine_info device = engines().front();
    if (!device.supported) GTEST_SKIP() << "no GPU: " << device.reason;
    // All there are, and the last one twice.
    lanes_ = devices();
    lanes_.push_back(lanes_.back());
    lanes_.push_back(lanes_.back());
  }

  static reduce_options on_host(reduce_options options = {}) {
    options.engine = engine_choice::host;
    return options;
  }

  std::vector<int> lanes_;
};

std::vector<float> elements(std::int64_t count, unsigned seed) {
  test::random_bits rng(seed);
  std::vector<float> x(static_cast<std::size_t>(count));
  for (float& each : x) each = std::ldexp(static_cast<float>(rng() % 2001) - 1000, static_cast<int>(rng() % 60) - 30);
  return x;
}

TEST_F(device_shares, of_arrays_and_sources) {
  const std::vector<float> x = elements(1'200'000, 1);
  const array_view view = make_view(x.data(), {300, 4000});
  vector_source<float> source(x, {300, 4000});
  for (const axes& reduced : {axes(), axes{1}}) {
    for (const op_kind op : {op_kind::sum, op_kind::mean, op_kind::max, op_kind::count_nonzero, op_kind::std}) {
      if (op == op_kind::std && reduced.are_all()) continue;
      reduce_options options;
      options.axes = reduced;
      options.keepdims = op == op_kind::max;
      const reduce_result expected = reduce(op, view, on_host(options));
      const reduce_result array = reduce_on_devices(lanes_, op, view, options);
      const reduce_result read = reduce_on_devices(lanes_, op, source, options);
      for (const reduce_result* got : {&array, &read}) {
        EXPECT_EQ(got->data, expected.data) << name(op);
        EXPECT_EQ(got->extents, expected.extents);
        EXPECT_EQ(got->type, expected.type);
        EXPECT_EQ(got->count, expected.count);
        EXPECT_EQ(got->bytes, expected.bytes);
        EXPECT_EQ(got->device_bytes, expected.bytes);
        EXPECT_EQ(got->engine, "device");
      }
    }
  }
}

TEST_F(device_shares, of_views_with_any_strides) {
  test::random_bits rng(3);
  for (int round = 0; round < 12; ++round) {
    const std::vector<float> x = elements(60'000, static_cast<unsigned>(round));
    array_view view = make_view(x.data(), {30, 40, 50});
    if (rng() % 2 == 0) view.strides = {1, 1500, 30};
    if (rng() % 2 == 0) {
      view.data = x.data() + 29 * view.strides[0];
      view.strides[0] = -view.strides[0];
    }
    EXPECT_EQ(reduce_on_devices(lanes_, op_kind::sum, view).data, reduce(op_kind::sum, view, on_host()).data);
    reduce_options rows;
    rows.axes = {1, 2};
    EXPECT_EQ(reduce_on_devices(lanes_, op_kind::argmax, view, rows).data,
              reduce(op_kind::argmax, view, on_host(rows)).data);
  }
}

TEST_F(device_shares, of_fewer_elements_than_devices) {
  const std::vector<float> x{1.5F, 2.5F};
  EXPECT_EQ(reduce_on_devices(lanes_, op_kind::sum, make_view(x.data(), {2})).value<float>(), 4.0F);
  EXPECT_EQ(reduce_on_devices(lanes_, op_kind::sum, make_view(x.data(), {0})).value<float>(), 0.0F);
  EXPECT_EQ(reduce_on_devices(lanes_, op_kind::sum, make_view(x.data(), std::vector<std::int64_t>{})).value<float>(),
            1.5F);
}

TEST_F(device_shares, refuse_axes_that_cross_them) {
  const std::vector<float> x(60);
  reduce_options columns;
  columns.axes = {0};
  test::expect_refusal<unsupported_error>("first one", [&] {
    static_cast<void>(reduce_on_devices(lanes_, op_kind::sum, make_view(x.data(), {6, 10}), columns));
  });
  vector_source<float> pipe(x, {60}, "a pipe", false, true);
  test::expect_refusal<unsupported_error>("a pipe",
                                          [&] { static_cast<void>(reduce_on_devices(lanes_, op_kind::sum, pipe)); });
}

// Parts of an array in the memory of all devices, in turns.
template <class T>
std::vector<cuda::device_buffer> on_devices(const std::vector<int>& devices, const std::vector<T>& x,
                                            std::size_t each) {
  std::vector<cuda::device_buffer> memory;
  for (std::size_t at = 0; at < x.size(); at += each) {
    cuda::check(cudaSetDevice(devices[memory.size() % devices.size()]));
    memory.emplace_back(static_cast<std::int64_t>(each * sizeof(T)));
    cuda::check(cudaMemcpy(memory.back().data(), x.data() + at, each * sizeof(T), cudaMemcpyHostToDevice));
  }
  return memory;
}

TEST_F(device_shares, that_lie_on_devices_are_reduced_there) {
  const std::vector<float> x = elements(500'000, 9);
  constexpr std::int64_t each = 100'000;
  const std::vector<cuda::device_buffer> memory = on_devices(lanes_, x, each);
  std::vector<array_view> parts;
  for (const cuda::device_buffer& part : memory) {
    // One of them does not say where it lies.
    parts.push_back(make_view(part.data(), dtype::f32, {each}, parts.empty() ? place::host : place::device));
  }
  parts.back() = make_view(x.data() + 4 * each, {each});
  const array_view whole = make_view(x.data(), {5 * each});
  for (const int device : devices()) {
    cuda::check(cudaSetDevice(device));
    for (const op_kind op : {op_kind::sum, op_kind::mean, op_kind::min, op_kind::max, op_kind::any, op_kind::all,
                             op_kind::count_nonzero}) {
      const reduce_result got = reduce_parts(op, parts);
      EXPECT_EQ(got.data, reduce(op, whole, on_host()).data) << name(op);
      EXPECT_EQ(got.engine, "both");
      int current = -1;
      cuda::check(cudaGetDevice(&current));
      EXPECT_EQ(current, device);
    }
  }
}

TEST_F(device_shares, that_fail_leave_the_others_as_they_were) {
  std::vector<std::int64_t> x(400'000, 1);
  constexpr std::int64_t each = 100'000;
  x[150'000] = x[150'001] = INT64_MAX;
  const std::vector<cuda::device_buffer> memory = on_devices(lanes_, x, each);
  std::vector<array_view> parts;
  for (const cuda::device_buffer& part : memory) {
    parts.push_back(make_view(part.data(), dtype::i64, {each}, place::device));
  }
  for (int i = 0; i < 3; ++i) {
    EXPECT_THROW(static_cast<void>(reduce_parts(op_kind::sum, parts)), overflow_error);
    EXPECT_EQ(reduce_parts(op_kind::max, parts).value<std::int64_t>(), INT64_MAX);
  }
  parts[1] = parts[0];
  EXPECT_EQ(reduce_parts(op_kind::sum, parts).value<std::int64_t>(), 4 * each);
}

}  // namespace
}  // namespace multifold
