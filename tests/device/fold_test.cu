// An operation of the user's own, compiled in the user's own file.
#include "multifold/cuda/fold.cuh"

#include <cmath>
#include <vector>

#include "device/device_fixture.hpp"

static_assert(__cplusplus >= 202002L, "device code is compiled as C++20");

namespace multifold::device_tests {
namespace {

// Greatest magnitude and how often it is reached.
struct peak {
  using value_type = float;
  struct accumulator {
    float magnitude;
    unsigned times;
  };
  MULTIFOLD_HD accumulator identity() const { return {0.0f, 0}; }
  MULTIFOLD_HD accumulator lift(float x, std::int64_t) const { return {x < 0 ? -x : x, 1}; }
  MULTIFOLD_HD accumulator combine(accumulator a, accumulator b) const {
    if (a.magnitude == b.magnitude) return {a.magnitude, a.times + b.times};
    return a.magnitude > b.magnitude ? a : b;
  }
  MULTIFOLD_HD accumulator lower(accumulator a, std::int64_t) const { return a; }
};

class user_fold : public device_test {};

TEST_F(user_fold, runs_through_every_pattern) {
  const peak op;
  const std::int64_t rows = 300, columns = 700;
  std::vector<float> x(static_cast<std::size_t>(rows * columns));
  random_engine rng(4);
  for (float& v : x) v = static_cast<float>(static_cast<int>(rng() % 19) - 9);
  const device_array on_device(std::as_bytes(std::span(x)));
  const auto* data = static_cast<const float*>(on_device.data());
  for (const std::vector<std::int64_t>& axes : {std::vector<std::int64_t>{0, 1}, {0}, {1}}) {
    const plan p = cuda::make_fold_plan(op, make_view(data, {rows, columns}, place::device), axes);
    cuda::stream stream;
    cuda::device_buffer workspace(p.workspace_bytes());
    cuda::device_buffer results(p.form.results() * static_cast<std::int64_t>(sizeof(peak::accumulator)));
    auto* out = reinterpret_cast<peak::accumulator*>(results.data());
    cuda::fold_async(p, op, data, out, workspace.bytes(), stream.get());
    stream.synchronise();
    std::vector<peak::accumulator> got(static_cast<std::size_t>(p.form.results()));
    cuda::check(cudaMemcpy(got.data(), out, got.size() * sizeof(peak::accumulator), cudaMemcpyDeviceToHost));
    for (std::int64_t batch = 0; batch < p.form.results(); ++batch) {
      auto expected = op.identity();
      for (std::int64_t i = 0; i < p.form.length; ++i) {
        expected = op.combine(expected, op.lift(x[static_cast<std::size_t>(p.form.offset_of(batch, i))], i));
      }
      EXPECT_EQ(got[static_cast<std::size_t>(batch)].magnitude, expected.magnitude);
      EXPECT_EQ(got[static_cast<std::size_t>(batch)].times, expected.times);
    }
  }
}

}  // namespace
}  // namespace multifold::device_tests
