// What the GPU engine promises beside right values: the same bits again, capture, 64-bit lengths, specials, clear
// errors.
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "device/device_fixture.hpp"
#include "multifold/error.hpp"

namespace multifold::device_tests {
namespace {

class behaviour : public device_test {};

template <class T>
std::vector<std::byte> bytes_of(const std::vector<T>& values) {
  std::vector<std::byte> bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

template <class T>
T only(const std::vector<std::byte>& bytes) {
  T value;
  EXPECT_EQ(bytes.size(), sizeof(T));
  std::memcpy(&value, bytes.data(), sizeof(T));
  return value;
}

plan plan_of(op_kind op, const array_view& view, std::vector<std::int64_t> axes = {0}, const plan_options& forced = {},
             nan_policy nan = nan_policy::propagate) {
  return make_plan(make_reduction(op, view.type, nan), normalise(view, axes, order_of(op)), forced,
                   cuda::device_traits());
}

std::vector<float> normal_floats(std::size_t count, random_engine& rng) {
  std::normal_distribution<float> normal;
  std::vector<float> x(count);
  for (float& v : x) v = normal(rng);
  return x;
}

TEST_F(behaviour, float_sums_give_the_same_bits_again_and_stay_within_their_bound) {
  random_engine rng(5);
  const std::vector<float> x = normal_floats(3'000'001, rng);
  long double exact = 0, magnitude = 0;
  for (float v : x) {
    exact += v;
    magnitude += std::fabs(v);
  }
  const auto bytes = bytes_of(x);
  const device_array on_device(bytes);
  plan p = plan_of(op_kind::sum, make_view(bytes.data(), dtype::f32, {static_cast<std::int64_t>(x.size())}));
  p.what.result = dtype::f64;
  const auto first = run_on_device(p, on_device.data());
  for (int i = 0; i < 20; ++i) EXPECT_EQ(run_on_device(p, on_device.data()), first);
  // Any summation tree of doubles is off by at most (n - 1) u times the sum of magnitudes (Higham 2002, 4.2).
  const long double bound = static_cast<long double>(x.size()) * 0x1p-53L * magnitude;
  EXPECT_LE(std::fabs(static_cast<long double>(only<double>(first)) - exact), bound);
}

TEST_F(behaviour, captured_reductions_replay_with_new_data) {
  random_engine rng(6);
  for (finish how : {finish::last_block, finish::next_pass, finish::atomic}) {
    const op_kind op = how == finish::atomic ? op_kind::max : op_kind::sum;
    const auto first = random_elements(dtype::f32, 200'000, op, rng),
               second = random_elements(dtype::f32, 200'000, op, rng);
    plan_options forced;
    forced.how = how;
    const plan p = plan_of(op, make_view(first.data(), dtype::f32, {200'000}), {0}, forced);
    cuda::device_buffer data(static_cast<std::int64_t>(first.size())), workspace(p.workspace_bytes()), result(256);
    cuda::stream stream;
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t executable = nullptr;
    cuda::check(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeThreadLocal));
    cuda::reduce_async(p, data.data(), result.data(), workspace.bytes(), stream.get());
    cuda::check(cudaStreamEndCapture(stream.get(), &graph));
    cuda::check(cudaGraphInstantiate(&executable, graph, 0));
    for (const auto& bytes : {first, second, first}) {
      cuda::check(cudaMemcpyAsync(data.data(), bytes.data(), bytes.size(), cudaMemcpyHostToDevice, stream.get()));
      cuda::check(cudaGraphLaunch(executable, stream.get()));
      stream.synchronise();
      std::vector<std::byte> got(sizeof(float));
      cuda::check(cudaMemcpy(got.data(), result.data(), got.size(), cudaMemcpyDeviceToHost));
      EXPECT_EQ(got, run_interpreted(p, bytes.data()));
    }
    cudaGraphExecDestroy(executable);
    cudaGraphDestroy(graph);
  }
}

TEST_F(behaviour, lengths_past_two_to_the_thirty_two_through_a_repeated_element) {
  const std::vector<std::int8_t> one{-3};
  const auto bytes = bytes_of(one);
  const device_array on_device(bytes);
  const std::int64_t length = (std::int64_t{1} << 32) + 3;
  array_view view;
  view.data = bytes.data();
  view.type = dtype::i8;
  view.extents = {length};
  view.strides = {0};
  EXPECT_EQ(only<std::int64_t>(run_on_device(plan_of(op_kind::sum, view), on_device.data())), -3 * length);
  EXPECT_EQ(only<std::int64_t>(run_on_device(plan_of(op_kind::argmin, view), on_device.data())), 0);
}

TEST_F(behaviour, rows_past_two_to_the_thirty_two_bytes) {
  const std::int64_t length = (std::int64_t{1} << 32) + 77;
  cuda::device_buffer data(length);
  cuda::check(cudaMemset(data.data(), 1, static_cast<std::size_t>(length)));
  const std::int8_t last = 9;
  cuda::check(cudaMemcpy(data.data() + length - 1, &last, 1, cudaMemcpyHostToDevice));
  cuda::check(cudaDeviceSynchronize());
  const array_view view = make_view(data.data(), dtype::i8, {length}, place::device);
  EXPECT_EQ(only<std::int64_t>(run_on_device(plan_of(op_kind::sum, view), data.data())), length + 8);
  EXPECT_EQ(only<std::int64_t>(run_on_device(plan_of(op_kind::argmax, view), data.data())), length - 1);
  plan_options one_part;  // a lane of the sum of bytes is full after 2^23 of them
  one_part.passes = 1;
  one_part.how = finish::next_pass;
  EXPECT_EQ(only<std::int64_t>(run_on_device(plan_of(op_kind::sum, view, {0}, one_part), data.data())), length + 8);
}

TEST_F(behaviour, many_batches) {
  const std::int64_t rows = (std::int64_t{1} << 22) + 5;
  std::vector<std::int16_t> x(static_cast<std::size_t>(rows * 3));
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<std::int16_t>(i * 7);
  const auto bytes = bytes_of(x);
  const device_array on_device(bytes);
  const array_view view = make_view(bytes.data(), dtype::i16, {rows, 3});
  for (op_kind op : {op_kind::sum, op_kind::argmin}) {
    const plan p = plan_of(op, view, {1});
    EXPECT_EQ(run_on_device(p, on_device.data()), run_interpreted(p, bytes.data()));
  }
  plan_options blocks;  // a block a row, far more than SMs
  blocks.form = block_form::shared_tree;
  const plan p = plan_of(op_kind::sum, view, {1}, blocks);
  EXPECT_EQ(run_on_device(p, on_device.data()), run_interpreted(p, bytes.data()));
}

TEST_F(behaviour, nan_wherever_it_stands) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (std::size_t at = 0; at < 70; ++at) {
    std::vector<float> x(70, -1.0f);
    x[at] = -nan;
    const auto bytes = bytes_of(x);
    const device_array on_device(bytes);
    const array_view view = make_view(bytes.data(), dtype::f32, {70});
    for (op_kind op : all_ops) {
      for (nan_policy policy : {nan_policy::propagate, nan_policy::omit}) {
        const plan p = plan_of(op, view, {0}, {}, policy);
        EXPECT_EQ(run_on_device(p, on_device.data()), run_interpreted(p, bytes.data())) << name(op) << " at " << at;
      }
    }
  }
}

TEST_F(behaviour, results_that_do_not_fit_or_do_not_exist) {
  const auto big = bytes_of(std::vector<std::int64_t>(100, std::numeric_limits<std::int64_t>::max()));
  const device_array on_device(big);
  const array_view view = make_view(big.data(), dtype::i64, {100});
  EXPECT_THROW(run_on_device(plan_of(op_kind::sum, view), on_device.data()), overflow_error);
  EXPECT_THROW(run_on_device(plan_of(op_kind::prod, view), on_device.data()), overflow_error);
  plan as_f64 = plan_of(op_kind::sum, view);
  as_f64.what.result = dtype::f64;
  EXPECT_EQ(only<double>(run_on_device(as_f64, on_device.data())), 100 * 0x1p63);
  const auto nans = bytes_of(std::vector<double>(10, std::numeric_limits<double>::quiet_NaN()));
  const device_array nans_on_device(nans);
  const plan p = plan_of(op_kind::argmin, make_view(nans.data(), dtype::f64, {10}), {0}, {}, nan_policy::omit);
  EXPECT_THROW(run_on_device(p, nans_on_device.data()), shape_error);
}

TEST_F(behaviour, bad_workspaces_and_pointers_are_refused_before_anything_runs) {
  const auto bytes = bytes_of(std::vector<float>(1 << 20, 1.0f));
  const device_array on_device(bytes);
  const plan p = plan_of(op_kind::sum, make_view(bytes.data(), dtype::f32, {1 << 20}));
  cuda::device_buffer workspace(p.workspace_bytes() + 256), result(256);
  cuda::stream stream;
  const auto size = static_cast<std::size_t>(p.workspace_bytes());
  EXPECT_THROW(cuda::reduce_async(p, on_device.data(), result.data(), {workspace.data(), size - 1}, stream.get()),
               shape_error);
  EXPECT_THROW(cuda::reduce_async(p, on_device.data(), result.data(), {workspace.data() + 8, size}, stream.get()),
               shape_error);
  const auto* odd = static_cast<const std::byte*>(on_device.data()) + 1;
  EXPECT_THROW(cuda::reduce_async(p, odd, result.data(), {workspace.data(), size}, stream.get()), shape_error);
}

TEST_F(behaviour, device_memory_that_cannot_be_had_says_how_much_was_wanted) {
  try {
    cuda::device_buffer impossible(std::int64_t{1} << 50);
    FAIL() << "a PiB was allocated";
  } catch (const out_of_memory& e) {
    EXPECT_NE(std::string(e.what()).find("1125899906842624 bytes"), std::string::npos) << e.what();
  }
}

TEST_F(behaviour, strided_views_of_every_kind) {
  random_engine rng(9);
  const auto bytes = random_elements(dtype::i32, 60'000, op_kind::sum, rng);
  const device_array on_device(bytes);
  struct strided_case {
    std::vector<std::int64_t> extents, strides, axes;
    std::int64_t start;
  };
  const std::vector<strided_case> cases{
      {{100, 200}, {1, 100}, {0}, 0},        {{100, 200}, {1, 100}, {1}, 0},
      {{100, 200}, {-200, -1}, {1}, 19'999}, {{50, 100}, {400, 2}, {1}, 0},
      {{50, 100}, {400, 2}, {0}, 0},         {{30, 40, 50}, {1, 30, 1200}, {0, 2}, 0},
      {{30, 40, 50}, {2000, 0, 1}, {1}, 0},  {{7, 8, 9, 10}, {1, 7, 56, 504}, {1, 2}, 0},
      {{300, 100}, {100, -1}, {0}, 99},
  };
  for (const strided_case& c : cases) {
    array_view view;
    view.data = bytes.data() + c.start * 4;
    view.type = dtype::i32;
    view.extents = c.extents;
    view.strides = c.strides;
    for (op_kind op : {op_kind::sum, op_kind::argmax}) {
      const plan p = plan_of(op, view, c.axes);
      SCOPED_TRACE(explain(p));
      EXPECT_EQ(run_on_device(p, static_cast<const std::byte*>(on_device.data()) + c.start * 4),
                run_interpreted(p, view.data));
    }
  }
}

}  // namespace
}  // namespace multifold::device_tests
