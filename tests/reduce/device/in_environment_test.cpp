// reduce in an environment: the stream, the memory and the status word are the caller's. Also run on the simulated GPU.
#include "multifold/cuda/reduce.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "device/environment/fixture.hpp"
#include "multifold/error.hpp"
#include "multifold/multifold.hpp"

namespace multifold::device_tests {
namespace {

class device_reduce_in : public device_environment {
 protected:
  template <class T>
  array_view there(const std::vector<T>& values, const std::vector<std::int64_t>& extents) {
    return make_view(on_device(values), extents, place::device);
  }
  cuda::environment with_all() { return {stream(), resource_.as_resource(), word()}; }

  status said() { return cuda::status_of(with_word()); }

  counting_resource resource_;
};

TEST_F(device_reduce_in, takes_one_piece_of_memory_and_gives_it_back) {
  const array_view x = there(tenths(6000), {6, 1000});
  for (const axes& over : {axes{}, axes{0}, axes{1}}) {
    const reduce_options options{.axes = over};
    const reduce_result expected = reduce(op_kind::sum, x, options);
    const reduce_result found = cuda::reduce(op_kind::sum, x, with_all(), options);
    EXPECT_EQ(found.data, expected.data);
    EXPECT_EQ(found.extents, expected.extents);
    EXPECT_EQ(found.engine, "device");
    EXPECT_EQ(found.device_bytes, 24000);
    resource_.expect_used_once(found.used.workspace_bytes() + static_cast<std::int64_t>(found.data.size()), stream());
    EXPECT_EQ(said(), status::ok);
    poison_word();
  }
}

TEST_F(device_reduce_in, two_arrays_and_states) {
  const std::vector<float> values = tenths(5000);
  const array_view x = there(values, {5000}), y = there(values, {5000});
  EXPECT_EQ(cuda::reduce(op_kind::dot, x, y, with_all()).data, reduce(op_kind::dot, x, y).data);
  EXPECT_EQ(said(), status::ok);
  poison_word();
  const reduce_options keeps{.keep_state = true};
  EXPECT_EQ(cuda::reduce(op_kind::sum, x, with_all(), keeps).state, reduce(op_kind::sum, x, keeps).state);
  EXPECT_EQ(said(), status::ok);
  EXPECT_EQ(resource_.taken_back, 2);
}

TEST_F(device_reduce_in, default_memory_and_results_in_place) {
  const array_view x = there(tenths(1000), {10, 100});
  std::vector<float> sums(10);
  reduce_options options{.axes = {1}};
  options.into = std::as_writable_bytes(std::span(sums));
  const reduce_result found = cuda::reduce(op_kind::sum, x, {stream()}, options);
  EXPECT_TRUE(found.data.empty());
  EXPECT_EQ(sums, std::vector<float>(10, 10.0f));
}

// An option's stream is not looked at.
TEST_F(device_reduce_in, arrays_of_the_host_are_behind_the_stream) {
  const std::vector<float> values = tenths(1000);
  reduce_options options;
  options.stream = stream();
  const array_view x = make_view(values.data(), {1000});
  EXPECT_EQ(cuda::reduce(op_kind::sum, x, with_all(), options).value<float>(), reduce(op_kind::sum, x).value<float>());
  EXPECT_TRUE(resource_.given.empty());
}

TEST_F(device_reduce_in, the_word_says_what_the_exception_says) {
  const std::vector<std::int64_t> huge(100, std::numeric_limits<std::int64_t>::max());
  EXPECT_THROW(cuda::reduce(op_kind::sum, there(huge, {100}), with_all()), overflow_error);
  EXPECT_EQ(said(), status::overflow);
  EXPECT_EQ(resource_.taken_back, 1);
}

TEST_F(device_reduce_in, no_results_take_no_memory) {
  const array_view x = there(tenths(1), {0, 3});
  EXPECT_TRUE(cuda::reduce(op_kind::sum, x, with_all(), {.axes = {1}}).data.empty());
  EXPECT_TRUE(resource_.given.empty());
  EXPECT_EQ(said(), status::ok);
}

TEST_F(device_reduce_in, what_is_wrong_is_refused_before_anything_is_taken) {
  const array_view x = there(tenths(100), {100});
  cuda::environment misaligned = with_all();
  misaligned.status = reinterpret_cast<std::uint32_t*>(word_.data() + 2);
  EXPECT_THROW(cuda::reduce(op_kind::sum, x, misaligned), shape_error);
  EXPECT_THROW(cuda::reduce(op_kind::dot, x, with_all()), multifold::error);
  EXPECT_THROW(cuda::reduce(op_kind::sum, x, x, with_all()), multifold::error);
  EXPECT_TRUE(resource_.given.empty());
  resource_.gives_nothing = true;
  EXPECT_THROW(cuda::reduce(op_kind::sum, x, with_all()), out_of_memory);
  resource_.gives_nothing = false;
  resource_.fails = true;
  EXPECT_THROW(cuda::reduce(op_kind::sum, x, with_all()), std::runtime_error);
  EXPECT_EQ(resource_.taken_back, 0);
}

}  // namespace
}  // namespace multifold::device_tests
