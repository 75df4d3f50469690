// Arrays that do not lie where they are said to lie are refused, and not read.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "multifold/cuda/buffer.hpp"
#include "multifold/multifold.hpp"
#include "reduce/fold/ops.hpp"
#include "reduce/sources/vector_source.hpp"

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

TEST_F(device_places, of_the_device_are_known_where_they_are_not_given) {
  cuda::check(cudaMemcpy(there_.data(), here_.data(), count * 4, cudaMemcpyHostToDevice));
  const auto* const x = reinterpret_cast<const float*>(there_.data());
  const array_view unsaid = make_view(x, {count}), said = view(x, place::device);
  reduce_options options;
  for (const engine_choice engine : {engine_choice::automatic, engine_choice::device}) {
    options.engine = engine;
    const reduce_result sum = reduce(op_kind::sum, unsaid, options);
    EXPECT_EQ(sum.value<float>(), count);
    EXPECT_EQ(sum.engine, "device");
    EXPECT_EQ(sum.way, transfer::automatic) << "it was copied";
    EXPECT_EQ(reduce(op_kind::dot, unsaid, said, options).value<float>(), count);
    EXPECT_EQ(reduce(op_kind::dot, said, unsaid, options).value<float>(), count);
    const auto both = reduce({op_kind::sum, op_kind::max}, make_view(x + 1, {count - 1}), options);
    EXPECT_EQ(both[0].value<float>(), count - 1);
    EXPECT_EQ(both[1].value<float>(), 1);
  }
  EXPECT_EQ(plan_for(op_kind::sum, unsaid), plan_for(op_kind::sum, said));
}

TEST_F(device_places, of_lists_and_keys_are_known_where_they_are_not_given) {
  cuda::check(cudaMemcpy(there_.data(), here_.data(), count * 4, cudaMemcpyHostToDevice));
  const std::vector<std::int32_t> offsets{0, 400, count}, keys(count, 1);
  const cuda::device_buffer list(sizeof(std::int32_t) * 3), groups(count * 4);
  cuda::check(cudaMemcpy(list.data(), offsets.data(), 12, cudaMemcpyHostToDevice));
  cuda::check(cudaMemcpy(groups.data(), keys.data(), count * 4, cudaMemcpyHostToDevice));
  const array_view x = make_view(reinterpret_cast<const float*>(there_.data()), {count});
  const auto* const there = reinterpret_cast<const std::int32_t*>(list.data());
  const std::vector<float> parts{400, count - 400}, sums{0, count};
  for (const std::int32_t* at : {there, offsets.data()}) {
    const auto found = reduce(op_kind::sum, x, segments::from_offsets(make_view(at, {3})));
    EXPECT_EQ(found.engine, "device");
    EXPECT_TRUE(std::ranges::equal(found.values<float>(), parts));
  }
  for (const void* at : {static_cast<const void*>(groups.data()), static_cast<const void*>(keys.data())}) {
    const auto found = reduce_by_key(op_kind::sum, x, make_view(at, dtype::i32, {count}), 2);
    EXPECT_EQ(found.engine, "device");
    EXPECT_TRUE(std::ranges::equal(found.values<float>(), sums));
  }
  const array_view host = view(here_.data(), place::host);
  EXPECT_THROW(reduce(op_kind::sum, host, segments::from_offsets(make_view(there, {3}))), unsupported_error);
  vector_source<float> from(here_, {count});
  EXPECT_THROW(reduce(op_kind::sum, from, segments::from_offsets(make_view(there, {3}))), unsupported_error);
  const auto ends = make_view(offsets.data() + 1, {2});
  EXPECT_THROW(reduce(op_kind::sum, host, segments::from_ranges(make_view(there, {2}), ends)), unsupported_error);
}

TEST_F(device_places, of_the_device_are_not_the_host_engine_s) {
  for (const engine_choice engine : {engine_choice::host, engine_choice::both}) {
    reduce_options options;
    options.engine = engine;
    const array_view there = view(there_.data(), place::host);
    expect_refused(there, there, options, "in device memory");
  }
  const array_view there = view(there_.data(), place::host), here = view(here_.data(), place::host);
  const auto refused = [&](const array_view& x, const array_view& y) {
    EXPECT_THROW(reduce(op_kind::dot, x, y), unsupported_error);
  };
  refused(there, here);
  refused(here, there);
  reduce_options marked;
  marked.where = make_view(there_.data(), dtype::boolean, {count});
  EXPECT_THROW(reduce(op_kind::sum, here, marked), unsupported_error);
  EXPECT_THROW(fold(marked_elements{}, make_view(there_.data(), dtype::i32, {count})), unsupported_error);
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
