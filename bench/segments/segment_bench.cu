// segment_bench: segments of several distributions on the GPU, each beside CUB's DeviceSegmentedReduce and a plain read
// of the same bytes. A line a case; some of the results are checked against the CPU's engine.
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include <cub/device/device_segmented_reduce.cuh>

#include "device/data.hpp"
#include "median.hpp"
#include "multifold/cuda/buffer.hpp"
#include "multifold/cuda/error.hpp"
#include "multifold/cuda/segments.hpp"
#include "multifold/cuda/traits.hpp"
#include "multifold/reduce.hpp"
#include "stream_timer.hpp"
#include "surface_elements.hpp"

namespace {

using bench::surface::family;
using multifold::dtype;
using multifold::op_kind;
using multifold::cuda::check;
using multifold::cuda::device_buffer;

constexpr const char* help =
    R"(usage: segment_bench [--bytes N] [--op OP] [--dtype T] [--data normal|sigma_3|sigma_10|any_finite] [--rounds N]
                     [--lengths LEAST,MOST] [--seed S]

Times segments of an array of N bytes (default: 4 GiB) in device memory: of several distributions, or of lengths that
are drawn evenly. Exit code 1 if a result is wrong.
)";

constexpr const char* distributions[] = {"4 huge", "1000 alike", "1 to 1000", "geometric 64", "power law (up to 10^7)",
                                         "0 to 20"};
constexpr int drawn_evenly = static_cast<int>(std::size(distributions));

struct arguments {
  std::int64_t bytes = INT64_C(4) << 30;
  op_kind op = op_kind::sum;
  dtype type = dtype::f32;
  family data = family::normal;
  int rounds = 9;
  std::int64_t least = 0, most = 0;  // lengths, if asked for
  std::uint64_t seed = 71;
};

std::vector<std::int64_t> offsets_of(int distribution, std::int64_t elements, const arguments& a) {
  std::mt19937_64 rng(a.seed + static_cast<unsigned>(distribution));
  const auto unit = [&] { return (static_cast<double>(rng() >> 11) + 0.5) * 0x1p-53; };
  const auto length = [&]() -> std::int64_t {
    switch (distribution) {
      case 0: return elements / 4;
      case 1: return elements / 1000;
      case 2: return 1 + static_cast<std::int64_t>(rng() % 1000);
      case 3: return 1 + static_cast<std::int64_t>(std::log(unit()) / std::log(63.0 / 64));
      case 4: return static_cast<std::int64_t>(std::min(std::pow(unit(), -1 / 0.9), 1e7));
      case drawn_evenly:
        return a.least + static_cast<std::int64_t>(rng() % static_cast<std::uint64_t>(a.most - a.least + 1));
      default: return static_cast<std::int64_t>(has_identity(a.op) ? rng() % 21 : 1 + rng() % 20);
    }
  };
  std::vector<std::int64_t> all{0};
  while (all.back() < elements && all.size() <= 100000000) all.push_back(std::min(all.back() + length(), elements));
  return all;
}

template <class T>
__global__ void fill_kernel(T* to, std::int64_t count, family f, int bits, std::uint64_t seed) {
  const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step)
    to[i] = bench::surface::element<T>(f, bits, seed, static_cast<std::uint64_t>(i));
}

class bench_run {
 public:
  explicit bench_run(const arguments& a)
      : a_(a),
        what_(multifold::make_reduction(a.op, a.type)),
        elements_(a.bytes / multifold::item_bytes(a.type)),
        array_(a.bytes),
        gpu_(multifold::cuda::device_traits()) {
    multifold::visit_dtype(a.type, [&]<class T>() {
      fill_kernel<<<4096, 256>>>(reinterpret_cast<T*>(array_.data()), elements_, a.data,
                                 bench::surface::integer_bits(a.op), 5);
    });
    check(cudaDeviceSynchronize());
    std::printf("%s, %s of %s, %lld MiB\n%-24s %10s %9s %9s %7s %7s %7s\n", gpu_.name.c_str(),
                std::string(name(a.op)).c_str(), std::string(name(a.type)).c_str(),
                static_cast<long long>(a.bytes >> 20), "segments", "count", "GB/s", "CUB GB/s", "to CUB", "share",
                "IQR");
  }

  bool run(int distribution) {
    const std::vector<std::int64_t> offsets = offsets_of(distribution, elements_, a_);
    const auto segments = static_cast<std::int64_t>(offsets.size()) - 1;
    const device_buffer there(static_cast<std::int64_t>(offsets.size()) * 8);
    check(cudaMemcpy(there.data(), offsets.data(), offsets.size() * 8, cudaMemcpyHostToDevice));
    const std::int64_t result = multifold::result_bytes(what_);
    device_buffer results(segments * result),
        workspace(multifold::cuda::segments_workspace_bytes(what_, elements_, segments, gpu_));
    const auto ours = [&] {
      multifold::cuda::reduce_segments_async(what_, {array_.data(), array_.data()}, elements_,
                                             {there.data(), dtype::i64, segments}, results.data(), workspace.bytes(),
                                             gpu_, timer_.stream());
    };
    // Offsets and results are traffic, too.
    const std::int64_t bytes = offsets.back() * multifold::item_bytes(a_.type) + segments * (8 + result);
    ours();
    const auto how = multifold::cuda::segments_status_of(workspace.bytes(), segments, timer_.stream());
    const bool right = how.worst == multifold::status::ok && !how.bad_offset && is_right(offsets, results);
    const std::vector<double> mine = timer_.seconds_of(a_.rounds, ours), read = timer_.seconds_of(a_.rounds, [&] {
      bench::read_async(array_.data(), offsets.back() * multifold::item_bytes(a_.type) / 16 * 16, workspace.data(),
                        timer_.stream());
      bench::read_async(there.data(), segments * 8 / 16 * 16, workspace.data(), timer_.stream());
      check(cudaMemsetAsync(results.data(), 1, static_cast<std::size_t>(results.size()), timer_.stream()));
    });
    std::vector<double> peer;
    if (a_.type == dtype::f32 && a_.op == op_kind::sum) {
      const auto* const at = reinterpret_cast<const std::int64_t*>(there.data());
      std::size_t temp_bytes = 0;
      const auto cub = [&](void* temp) {
        check(cub::DeviceSegmentedReduce::Sum(temp, temp_bytes, reinterpret_cast<const float*>(array_.data()),
                                              reinterpret_cast<float*>(results.data()), segments, at, at + 1,
                                              timer_.stream()));
      };
      cub(nullptr);
      const device_buffer temp(static_cast<std::int64_t>(temp_bytes) + 1);
      peer = timer_.seconds_of(a_.rounds, [&] { cub(temp.data()); });
    }
    const auto rate = [&](const std::vector<double>& t) {
      return static_cast<double>(bytes) / bench::median(t) * 1e-9;
    };
    std::string title = std::to_string(a_.least) + " to " + std::to_string(a_.most);
    if (distribution < drawn_evenly) title = distributions[distribution];
    std::printf("%-24s %10lld %9.0f %9.0f %7.2f %7.3f %6.1f%%%s\n", title.c_str(), static_cast<long long>(segments),
                rate(mine), peer.empty() ? 0.0 : rate(peer),
                peer.empty() ? 0.0 : bench::median(peer) / bench::median(mine),
                bench::median(read) / bench::median(mine), bench::spread_percent(mine), right ? "" : "  WRONG");
    std::fflush(stdout);
    return right;
  }

 private:
  bool is_right(const std::vector<std::int64_t>& offsets, const device_buffer& results) const {
    std::mt19937_64 rng(9);
    const std::int64_t item = multifold::item_bytes(a_.type);
    const auto result = static_cast<std::size_t>(multifold::result_bytes(what_));
    const std::size_t segments = offsets.size() - 1;
    std::int64_t looked_at = 0;
    for (int k = 0; k < 2000 && looked_at < INT64_C(300000000); ++k) {
      const std::size_t i = k == 0 ? 0 : k == 1 ? segments - 1 : rng() % segments;
      const std::int64_t length = offsets[i + 1] - offsets[i];
      if (length == 0) continue;
      looked_at += length;
      std::vector<std::byte> x(static_cast<std::size_t>(length * item)), mine(result);
      check(cudaMemcpy(x.data(), array_.data() + offsets[i] * item, x.size(), cudaMemcpyDeviceToHost));
      check(cudaMemcpy(mine.data(), results.data() + i * result, result, cudaMemcpyDeviceToHost));
      multifold::reduce_options options;
      options.engine = multifold::engine_choice::host;
      const multifold::array_view view = multifold::make_view(x.data(), a_.type, {length});
      const auto expected = takes_two_arrays(a_.op) ? multifold::reduce(a_.op, view, view, options).data
                                                    : multifold::reduce(a_.op, view, options).data;
      if (std::memcmp(expected.data(), mine.data(), result) != 0) {
        std::printf("segment %zu of %lld elements is wrong\n", i, static_cast<long long>(length));
        return false;
      }
    }
    return true;
  }

  arguments a_;
  multifold::reduction what_;
  std::int64_t elements_;
  device_buffer array_;
  multifold::engine_traits gpu_;
  bench::stream_timer timer_;
};

arguments parsed(int count, char** words) {
  arguments a;
  for (int i = 1; i + 1 < count; i += 2) {
    const std::string option = words[i], value = words[i + 1];
    if (option == "--bytes") a.bytes = std::stoll(value);
    else if (option == "--op") a.op = multifold::parse_op(value).value();
    else if (option == "--dtype") a.type = multifold::parse_dtype(value).value();
    else if (option == "--seed") a.seed = std::stoull(value);
    else if (option == "--lengths") {
      std::size_t end = 0;
      a.least = std::stoll(value, &end);
      a.most = std::stoll(value.substr(end + 1));
    } else if (option == "--rounds") a.rounds = std::stoi(value);
    else if (option == "--data")
      a.data = value == "sigma_3"      ? family::sigma_3
               : value == "sigma_10"   ? family::sigma_10
               : value == "any_finite" ? family::any_finite
                                       : family::normal;
    else throw std::invalid_argument("no such option: " + option);
  }
  if (!multifold::is_floating(a.type)) a.data = family::integers;
  return a;
}

}  // namespace

int main(int count, char** words) try {
  if (count % 2 == 0) {
    std::fputs(help, stdout);
    return 0;
  }
  std::string reason;
  if (!multifold::cuda::has_kernels(reason)) {
    std::fprintf(stderr, "segment_bench: %s\n", reason.c_str());
    return 4;
  }
  const arguments a = parsed(count, words);
  bench_run all(a);
  if (a.most > 0) return all.run(drawn_evenly) ? 0 : 1;
  bool right = true;
  for (int i = 0; i < static_cast<int>(std::size(distributions)); ++i) right = all.run(i) && right;
  return right ? 0 : 1;
} catch (const std::exception& e) {
  std::fprintf(stderr, "segment_bench: %s\n", e.what());
  return 2;
}
