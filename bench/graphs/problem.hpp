// A sum that is reduced again and again: its arrays, its plan, and CUB's call over the same data.
#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <functional>
#include <random>
#include <vector>

#include "device/peers/peers.hpp"
#include "multifold/cuda/buffer.hpp"
#include "multifold/cuda/reduce_async.hpp"
#include "multifold/cuda/stream.hpp"
#include "multifold/cuda/traits.hpp"
#include "multifold/graphs/capture.hpp"
#include "multifold/graphs/graph.hpp"

namespace bench {

namespace cuda = multifold::cuda;
namespace graphs = multifold::graphs;

inline multifold::plan sum_plan(std::int64_t elements, const multifold::plan_options& forced = {},
                                multifold::accuracy numerics = multifold::accuracy::exact) {
  const multifold::reduction what = multifold::make_reduction(multifold::op_kind::sum, multifold::dtype::f32,
                                                              multifold::nan_policy::propagate, numerics);
  const auto form = multifold::normalise(multifold::make_view(nullptr, multifold::dtype::f32, {elements}), {0},
                                         multifold::element_order::any);
  return multifold::make_plan(what, form, forced, cuda::device_traits());
}

/// Random floats on the device, with room for results, and CUB's call over them.
struct problem {
  explicit problem(std::int64_t elements, std::int64_t copies = 1)
      : length(elements),
        p(sum_plan(elements)),
        data(4 * elements * copies),
        results(256 * copies),
        workspace(p.workspace_bytes()) {
    std::vector<float> x(static_cast<std::size_t>(elements * copies));
    std::mt19937 rng(1);
    std::normal_distribution<float> normal;
    for (float& v : x) v = normal(rng);
    cuda::check(cudaMemcpy(data.data(), x.data(), x.size() * 4, cudaMemcpyHostToDevice));
    cuda::check(cudaDeviceSynchronize());
    cub_job.length = elements;
    cub_job.stream = stream.get();
    cub_job.in = data.data();
    cub_job.out = results.data();
    cuda::check(cub_sum<float, float>(cub_job));
    cub_workspace = cuda::device_buffer(static_cast<std::int64_t>(std::max<std::size_t>(cub_job.temp_bytes, 256)));
    cub_job.temp = cub_workspace.data();
  }

  const void* input(std::int64_t i) const { return data.data() + 4 * length * i; }
  void* result(std::int64_t i) const { return results.data() + 256 * i; }
  void plain(std::int64_t i = 0) { cuda::reduce_async(p, input(i), result(i), workspace.bytes(), stream.get()); }
  void cub(std::int64_t i = 0) {
    cub_job.in = input(i);
    cub_job.out = result(i);
    cuda::check(cub_sum<float, float>(cub_job));
  }
  graphs::executable captured(const std::function<void()>& calls) {
    graphs::capture_scope scope(stream.get());
    calls();
    return graphs::executable(scope.end());
  }

  std::int64_t length;
  multifold::plan p;
  cuda::device_buffer data, results, workspace, cub_workspace;
  cuda::stream stream;
  peer_job cub_job;
};

}  // namespace bench
