// An operation of one's own on the GPU: log(sum(exp(x))) of each row in device memory, as own_operation.cpp has it.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <multifold/cuda/buffer.hpp>
#include <multifold/cuda/fold.cuh>
#include <multifold/cuda/stream.hpp>

struct log_sum_exp {
  using value_type = float;
  struct accumulator {  // the greatest element, and the sum of exp(x - most)
    double most, sum;
  };

  MULTIFOLD_HD accumulator identity() const { return {-HUGE_VAL, 0}; }
  MULTIFOLD_HD accumulator lift(float x, std::int64_t) const { return {x, 1}; }
  MULTIFOLD_HD accumulator combine(const accumulator& a, const accumulator& b) const {
    const bool ascend = a.most < b.most;
    const accumulator &great = ascend ? b : a, &small = ascend ? a : b;
    if (small.sum == 0) return great;
    return {great.most, great.sum + small.sum * std::exp(small.most - great.most)};
  }
  MULTIFOLD_HD double lower(const accumulator& all, std::int64_t) const { return all.most + std::log(all.sum); }
};

int main() {
  namespace cuda = multifold::cuda;
  const float x[]{1000, 1000, 1000, 1000, 0, 0, -1000, -1000};
  const cuda::stream stream;
  cuda::device_buffer data(sizeof x), results(2 * sizeof(double));
  cudaMemcpyAsync(data.data(), x, sizeof x, cudaMemcpyHostToDevice, stream.get());

  const auto* first = reinterpret_cast<const float*>(data.data());
  const auto rows = multifold::make_view(first, {2, 4}, multifold::place::device);
  const multifold::plan plan = cuda::make_fold_plan(log_sum_exp(), rows, {1});  // serves all arrays of this shape
  cuda::fold_async(plan, log_sum_exp(), first, reinterpret_cast<double*>(results.data()), {stream});

  double found[2];
  cudaMemcpyAsync(found, results.data(), sizeof found, cudaMemcpyDeviceToHost, stream.get());
  stream.synchronise();
  for (const double value : found) std::printf("%.6f\n", value);
}

// 1001.386294
// 0.693147
