// An exact sum by all GPUs of the machine beside one of them: of parts that lie on the GPUs, and of an array in pinned
// memory. Usage: devices_bench [GiB of pinned memory, and on all GPUs...: 8 16 32]. Exit code 1 if a result is wrong.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <random>
#include <vector>

#include "median.hpp"
#include "multifold/cuda/buffer.hpp"
#include "multifold/cuda/error.hpp"
#include "multifold/cuda/traits.hpp"
#include "multifold/multifold.hpp"

namespace {

namespace mf = multifold;
using mf::cuda::check;

struct timed {
  double seconds;
  float sum;
};

timed median_of(int rounds, const std::function<float()>& run) {
  timed result{0, run()};
  std::vector<double> seconds;
  for (int i = 0; i < rounds; ++i) {
    const auto start = std::chrono::steady_clock::now();
    result.sum = run();
    seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  result.seconds = bench::median(seconds);
  return result;
}

bool report(const char* what, double bytes, const timed& one, const timed& all) {
  const bool right = std::memcmp(&one.sum, &all.sum, sizeof one.sum) == 0;
  std::printf("%-12s %4.0f GiB %9.1f %9.1f %8.3f%s\n", what, bytes / 0x1p30, bytes / one.seconds / 1e9,
              bytes / all.seconds / 1e9, one.seconds / all.seconds, right ? "" : " WRONG");
  return right;
}

// Random blocks of the same elements in another order each, so that nothing repeats where it matters.
void fill(std::byte* to, std::int64_t bytes) {
  constexpr std::int64_t block = INT64_C(1) << 22;
  std::vector<float> x(block + 4096);
  std::mt19937_64 rng(5);
  std::normal_distribution<float> normal;
  for (float& each : x) each = normal(rng);
  for (std::int64_t at = 0; at < bytes; at += 4 * block) {
    check(cudaMemcpy(to + at, x.data() + rng() % 4096, static_cast<std::size_t>(std::min(bytes - at, 4 * block)),
                     cudaMemcpyDefault));
  }
}

bool resident(const std::vector<int>& devices, std::int64_t bytes) {
  // Of the same elements: on one GPU, and in equal parts on all.
  const auto count = static_cast<std::int64_t>(devices.size());
  check(cudaSetDevice(devices[0]));
  const mf::cuda::device_buffer whole(bytes);
  fill(whole.data(), bytes);
  std::vector<mf::cuda::device_buffer> memory;
  std::vector<mf::array_view> parts;
  const std::int64_t share = bytes / count / 4 * 4;
  for (std::int64_t i = 0; i < count; ++i) {
    check(cudaSetDevice(devices[static_cast<std::size_t>(i)]));
    memory.emplace_back(share);
    check(
        cudaMemcpy(memory.back().data(), whole.data() + i * share, static_cast<std::size_t>(share), cudaMemcpyDefault));
    check(cudaDeviceSynchronize());
    parts.push_back(mf::make_view(memory.back().data(), mf::dtype::f32, {share / 4}, mf::place::device));
  }
  check(cudaSetDevice(devices[0]));
  const mf::array_view one = mf::make_view(whole.data(), mf::dtype::f32, {count * share / 4}, mf::place::device);
  const auto by_one = [&] { return mf::reduce(mf::op_kind::sum, one).value<float>(); };
  const auto by_all = [&] { return mf::reduce_parts(mf::op_kind::sum, parts).value<float>(); };
  return report("resident", static_cast<double>(bytes), median_of(21, by_one), median_of(21, by_all));
}

bool from_pinned(const std::vector<int>& devices, std::int64_t bytes) {
  const mf::cuda::pinned_buffer memory(bytes);
  fill(memory.data(), bytes);
  const mf::array_view x = mf::make_view(memory.data(), mf::dtype::f32, {bytes / 4});
  const auto sum_by = [&](const std::vector<int>& lanes) {
    return [&] { return mf::reduce_on_devices(lanes, mf::op_kind::sum, x).value<float>(); };
  };
  const std::vector<int> first{devices[0]};
  return report("from pinned", static_cast<double>(bytes), median_of(5, sum_by(first)), median_of(5, sum_by(devices)));
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::int64_t> sizes;
  for (int i = 1; i < argc; ++i) sizes.push_back(std::atoll(argv[i]));
  if (sizes.empty()) sizes = {8, 16, 32};
  const std::vector<int> devices = mf::devices();
  if (devices.empty()) {
    std::fprintf(stderr, "no GPU\n");
    return 4;
  }
  std::printf("%zu x %s, sum of f32\n%-20s %10s %9s %8s\n", devices.size(), mf::cuda::device_traits().name.c_str(),
              "where it lies", "GB/s by 1", "by all", "times");
  bool right = true;
  for (const std::int64_t size : sizes) {
    right = resident(devices, size << 30) && right;
    right = from_pinned(devices, size << 30) && right;
  }
  return right ? 0 : 1;
}
