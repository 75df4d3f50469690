// The same f32 sum again and again on the GPU, to see whether it is the same.
#include <algorithm>
#include <bit>
#include <limits>
#include <set>
#include <vector>

#include "device/device.hpp"
#include "device/expected.cuh"
#include "device/memory.cuh"
#include "device/numbers.cuh"
#include "device/timed.cuh"
#include "multifold/cuda/buffer.hpp"
#include "multifold/cuda/stream.hpp"
#include "multifold/cuda/traits.hpp"
#include "rungs/00_atomics.cuh"
#include "rungs/11_vectors.cuh"
#include "rungs/14_exact.cuh"

namespace multifold::ladder {
namespace {

using sum_of_floats = gpu::sum<float>;

// As many as atomics on one address can add in some milliseconds.
constexpr std::int64_t most_elements = INT64_C(1) << 22;

template <class Work>
order_trial tried(const char* name, int runs, const gpu::run_memory<sum_of_floats>& memory, cudaStream_t stream,
                  double exact, const Work& work) {
  const gpu::stopwatch clock;
  std::set<std::uint32_t> patterns;
  std::vector<double> seconds;
  order_trial trial;
  trial.name = name;
  trial.runs = runs;
  trial.least_ulps = std::numeric_limits<double>::infinity();
  clock.seconds_of(stream, work);
  for (int i = 0; i < runs; ++i) {
    seconds.push_back(clock.seconds_of(stream, work));
    const float found = memory.value(stream);
    const double off = ulps_between(found, exact, dtype::f32);
    patterns.insert(std::bit_cast<std::uint32_t>(found));
    trial.least_ulps = std::min(trial.least_ulps, off);
    trial.greatest_ulps = std::max(trial.greatest_ulps, off);
  }
  trial.patterns = static_cast<int>(patterns.size());
  trial.took = timing_of(std::move(seconds));
  return trial;
}

}  // namespace

std::vector<order_trial> device_orders(std::int64_t count, int runs) {
  std::string reason;
  if (!cuda::has_kernels(reason)) return {};
  count = std::clamp<std::int64_t>(count, 1, most_elements);
  runs = std::max(runs, 1);
  const cuda::stream stream;
  const cuda::device_buffer data(count * static_cast<std::int64_t>(sizeof(float)));
  auto* const numbers = reinterpret_cast<float*>(data.data());
  gpu::fill(numbers, count, 0, stream.get());
  stream.synchronise();
  const gpu::elements<sum_of_floats> all{numbers, nullptr};
  const double exact = gpu::expect<sum_of_floats>(all, count).exact.value;
  const gpu::run_memory<sum_of_floats> memory(count);
  const gpu::run<sum_of_floats> r = memory.run_of(all, count, stream.get());
  const gpu::exact<sum_of_floats> exactly(r);
  const auto trial = [&](const char* name, const auto& work) {
    return tried(name, runs, memory, stream.get(), exact, work);
  };
  return {trial("atomics", [&] { gpu::launch_atomics(r); }), trial("a fixed tree", [&] { gpu::launch_vectors(r); }),
          trial("exact", [&] { exactly.launch(); })};
}

}  // namespace multifold::ladder
