// key_bench: exact sums of groups by a key for each element on the GPU, of keys in several orders, each beside a plain
// read of the same bytes. A line a case; the results are checked against the CPU's engine.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "device/data.hpp"
#include "median.hpp"
#include "multifold/by_key.hpp"
#include "multifold/cuda/buffer.hpp"
#include "multifold/cuda/by_key.hpp"
#include "multifold/cuda/error.hpp"
#include "multifold/cuda/traits.hpp"
#include "stream_timer.hpp"
#include "surface_elements.hpp"

namespace {

using bench::surface::family;
using multifold::dtype;
using multifold::op_kind;
using multifold::cuda::check;
using multifold::cuda::device_buffer;

constexpr const char* help = R"(usage: key_bench [--bytes N] [--op sum|mean] [--groups N] [--rounds N]

Times sums of f32 by keys of i32, of an array of N bytes (default: 4 GiB) in device memory: of ascending keys, and of
random ones. Exit code 1 if a result is wrong.
)";

enum class order { ascending, random };

struct arguments {
  std::int64_t bytes = INT64_C(4) << 30;
  op_kind op = op_kind::sum;
  std::int64_t groups = 0;  // 1000 and 10^6 unless asked for
  int rounds = 9;
};

__device__ std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return x ^ x >> 31;
}

__global__ void fill(float* to, std::int32_t* keys, std::int64_t count, std::int64_t groups, bool ascending) {
  const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step) {
    const auto n = static_cast<std::uint64_t>(i);
    to[i] = bench::surface::element<float>(family::normal, 0, 5, n);
    const double place = static_cast<double>(i) / static_cast<double>(count);
    keys[i] =
        static_cast<std::int32_t>(ascending ? static_cast<std::int64_t>(place * static_cast<double>(groups))
                                            : static_cast<std::int64_t>(mixed(n) % static_cast<std::uint64_t>(groups)));
  }
}

class bench_run {
 public:
  explicit bench_run(const arguments& a)
      : a_(a),
        what_(multifold::make_reduction(a.op, dtype::f32)),
        elements_(a.bytes / 4),
        array_(a.bytes),
        keys_(a.bytes),
        gpu_(multifold::cuda::device_traits()) {
    std::printf("%s, %s of f32 by keys of i32, %lld MiB each\n%-12s %10s %9s %7s %7s\n", gpu_.name.c_str(),
                std::string(name(a.op)).c_str(), static_cast<long long>(a.bytes >> 20), "keys", "groups", "GB/s",
                "share", "IQR");
  }

  bool run(order kind, std::int64_t groups) {
    fill<<<4096, 256>>>(reinterpret_cast<float*>(array_.data()), reinterpret_cast<std::int32_t*>(keys_.data()),
                        elements_, groups, kind == order::ascending);
    check(cudaDeviceSynchronize());
    const multifold::cuda::device_keys of{keys_.data(), dtype::i32, groups, kind == order::ascending};
    device_buffer results(groups * 4), workspace(multifold::cuda::by_key_workspace_bytes(what_, elements_, of, gpu_));
    const auto ours = [&] {
      multifold::cuda::reduce_by_key_async(what_, {array_.data(), array_.data()}, elements_, of, results.data(),
                                           workspace.bytes(), gpu_, timer_.stream());
    };
    ours();
    const auto how = multifold::cuda::by_key_status_of(workspace.bytes(), elements_, of, timer_.stream());
    const bool right = how.worst == multifold::status::ok && !how.bad_key && how.ascend && is_right(groups, results);
    const std::vector<double> mine = timer_.seconds_of(a_.rounds, ours);
    const std::vector<double> read = timer_.seconds_of(a_.rounds, [&] {
      bench::read_async(array_.data(), a_.bytes / 16 * 16, workspace.data(), timer_.stream());
      bench::read_async(keys_.data(), a_.bytes / 16 * 16, workspace.data(), timer_.stream());
    });
    const double middle = bench::median(mine);
    std::printf("%-12s %10lld %9.0f %7.3f %6.1f%%%s\n", kind == order::ascending ? "ascending" : "random",
                static_cast<long long>(groups), 2e-9 * static_cast<double>(a_.bytes) / middle,
                bench::median(read) / middle, bench::spread_percent(mine), right ? "" : "  WRONG");
    std::fflush(stdout);
    return right;
  }

 private:
  bool is_right(std::int64_t groups, const device_buffer& results) const {
    const auto count = static_cast<std::size_t>(elements_);
    std::vector<float> x(count), mine(static_cast<std::size_t>(groups));
    std::vector<std::int32_t> keys(count);
    check(cudaMemcpy(x.data(), array_.data(), count * 4, cudaMemcpyDeviceToHost));
    check(cudaMemcpy(keys.data(), keys_.data(), count * 4, cudaMemcpyDeviceToHost));
    check(cudaMemcpy(mine.data(), results.data(), mine.size() * 4, cudaMemcpyDeviceToHost));
    multifold::reduce_options options;
    options.engine = multifold::engine_choice::host;
    const auto expected =
        multifold::reduce_by_key(a_.op, multifold::make_view(x.data(), dtype::f32, {elements_}),
                                 multifold::make_view(keys.data(), dtype::i32, {elements_}), groups, options);
    return std::memcmp(expected.data.data(), mine.data(), mine.size() * 4) == 0;
  }

  arguments a_;
  multifold::reduction what_;
  std::int64_t elements_;
  device_buffer array_, keys_;
  multifold::engine_traits gpu_;
  bench::stream_timer timer_;
};

arguments parsed(int count, char** words) {
  arguments a;
  for (int i = 1; i + 1 < count; i += 2) {
    const std::string option = words[i], value = words[i + 1];
    if (option == "--bytes") a.bytes = std::stoll(value);
    else if (option == "--op") a.op = multifold::parse_op(value).value();
    else if (option == "--groups") a.groups = std::stoll(value);
    else if (option == "--rounds") a.rounds = std::stoi(value);
    else throw std::invalid_argument("no such option: " + option);
  }
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
    std::fprintf(stderr, "key_bench: %s\n", reason.c_str());
    return 4;
  }
  const arguments a = parsed(count, words);
  bench_run all(a);
  bool right = true;
  for (const std::int64_t groups : a.groups > 0 ? std::vector{a.groups} : std::vector<std::int64_t>{1000, 1000000}) {
    right = all.run(order::ascending, groups) && right;
    right = all.run(order::random, groups) && right;
  }
  return right ? 0 : 1;
} catch (const std::exception& e) {
  std::fprintf(stderr, "key_bench: %s\n", e.what());
  return 2;
}
