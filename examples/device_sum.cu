// A sum of device memory on a stream of one's own: a pool lends the memory for it, and a word says how it went.
#include <cstdint>
#include <cstdio>
#include <multifold/cuda/buffer.hpp>
#include <multifold/cuda/reduce_async.hpp>
#include <multifold/cuda/stream.hpp>
#include <multifold/multifold.hpp>
#include <vector>

namespace mf = multifold;

int main() {
  std::vector<float> x(1'000'000, 0.25F);
  x.front() = 1e30F;
  x.back() = -1e30F;
  const std::size_t bytes = x.size() * sizeof(float);

  const mf::cuda::stream stream;
  mf::cuda::device_buffer data(bytes), sum(sizeof(float)), word(sizeof(std::uint32_t));
  cudaMemcpyAsync(data.data(), x.data(), bytes, cudaMemcpyHostToDevice, stream.get());

  cudaMemPool_t pool = nullptr;
  cudaDeviceGetDefaultMemPool(&pool, 0);
  const mf::cuda::environment env{
      .stream = stream, .memory = mf::cuda::pool_memory(pool), .status = reinterpret_cast<std::uint32_t*>(word.data())};
  const auto view = mf::make_view(data.data(), mf::dtype::f32, {1'000'000}, mf::place::device);
  mf::cuda::reduce_async(mf::op_kind::sum, view, sum.data(), env);  // waits for nothing

  float found = 0;
  cudaMemcpyAsync(&found, sum.data(), sizeof found, cudaMemcpyDeviceToHost, stream.get());
  if (mf::cuda::status_of(env) != mf::status::ok) return 1;  // waits for the stream
  std::printf("%.1f\n", found);
}

// 249999.5
