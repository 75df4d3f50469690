// What the tests of the GPU engine share: a fixture that skips without a GPU, arrays on the device, random elements.
#pragma once

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "multifold/cuda/buffer.hpp"
#include "multifold/cuda/error.hpp"
#include "multifold/cuda/reduce_async.hpp"
#include "multifold/cuda/stream.hpp"
#include "multifold/cuda/traits.hpp"
#include "multifold/plan.hpp"
#include "multifold/types/float16.hpp"
#include "random_bits.hpp"

namespace multifold::device_tests {

class device_test : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string reason;
    if (!cuda::has_kernels(reason)) GTEST_SKIP() << "no GPU: " << reason;
  }
  void TearDown() override {
    if (!IsSkipped()) {
      EXPECT_EQ(cudaGetLastError(), cudaSuccess);
    }
  }
};

inline constexpr dtype all_dtypes[] = {dtype::boolean, dtype::i8,  dtype::i16, dtype::i32, dtype::i64,
                                       dtype::u8,      dtype::u16, dtype::u32, dtype::u64, dtype::f16,
                                       dtype::bf16,    dtype::f32, dtype::f64};

using random_engine = test::random_bits;

/// Random elements whose sums are exact in double, or whose products are, so that results compare by bits.
inline std::vector<std::byte> random_elements(dtype type, std::int64_t count, op_kind op, random_engine& rng) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(count * item_bytes(type)));
  visit_dtype(type, [&]<class T>() {
    for (std::int64_t i = 0; i < count; ++i) {
      T x;
      if constexpr (floating_storage<T>) {
        const auto r = static_cast<int>(rng() % 2001) - 1000;
        const double factors[] = {1, -1, 2, 0.5, -2, -0.5};
        const double value = op == op_kind::prod ? factors[rng() % 6] : r / 8.0;
        if constexpr (std::is_same_v<T, f16>) x = to_f16(value);
        else if constexpr (std::is_same_v<T, bf16>) x = to_bf16(value);
        else x = static_cast<T>(value);
      } else if constexpr (std::is_same_v<T, bool8>) {
        x.bits = static_cast<std::uint8_t>(rng() % 3);
      } else {
        x = op == op_kind::prod ? static_cast<T>(rng() % 64 == 0 ? 2 : 1) : static_cast<T>(rng());
      }
      std::memcpy(bytes.data() + i * static_cast<std::int64_t>(sizeof(T)), &x, sizeof(T));
    }
  });
  return bytes;
}

/// A device copy of `bytes` that starts `shift` bytes after an aligned address.
class device_array {
 public:
  explicit device_array(std::span<const std::byte> bytes, std::int64_t shift = 0)
      : memory_(static_cast<std::int64_t>(bytes.size()) + shift + 64), shift_(shift) {
    cuda::check(cudaMemcpy(memory_.data() + shift, bytes.data(), bytes.size(), cudaMemcpyHostToDevice));
    // A copy from pageable memory may return before its last bytes have arrived, and streams here wait for nothing.
    cuda::check(cudaDeviceSynchronize());
  }
  const void* data() const { return memory_.data() + shift_; }

 private:
  cuda::device_buffer memory_;
  std::int64_t shift_;
};

inline constexpr unsigned char poison = 0xa5;

/// What workspaces hold before they are used: zeros would hide what is not cleared, and anything else what is not set.
inline unsigned char workspace_poison() {
  static unsigned uses = 0;
  return uses++ % 2 == 0 ? poison : 0;
}

/// Memory for results of so many bytes, poisoned, so that what is not written shows, and what is written behind them.
class poisoned_results {
 public:
  poisoned_results(std::int64_t bytes, cudaStream_t stream) : memory_(bytes + behind), bytes_(bytes) {
    cuda::check(cudaMemsetAsync(memory_.data(), poison, static_cast<std::size_t>(memory_.size()), stream));
  }
  void* data() const { return memory_.data(); }
  /// Once the stream is through.
  std::vector<std::byte> read() const {
    std::vector<std::byte> host(static_cast<std::size_t>(memory_.size()));
    cuda::check(cudaMemcpy(host.data(), memory_.data(), host.size(), cudaMemcpyDeviceToHost));
    for (auto i = static_cast<std::size_t>(bytes_); i < host.size(); ++i) {
      EXPECT_EQ(host[i], std::byte{poison}) << "written past the end of the results";
    }
    host.resize(static_cast<std::size_t>(bytes_));
    return host;
  }

 private:
  static constexpr std::int64_t behind = 64;
  cuda::device_buffer memory_;
  std::int64_t bytes_;
};

/// What `p` gives for `data`.
inline std::vector<std::byte> run_on_device(const plan& p, const operands& data) {
  const cuda::stream stream;
  const poisoned_results results(p.form.results() * result_bytes(p.what), stream.get());
  const cuda::device_buffer workspace(p.workspace_bytes());
  cuda::check(
      cudaMemsetAsync(workspace.data(), workspace_poison(), static_cast<std::size_t>(workspace.size()), stream.get()));
  const std::span<std::byte> space = workspace.bytes();
  cuda::reduce_async(p, data, results.data(), space, stream.get());
  check_status(cuda::status_of(space, stream.get()), p.what);
  return results.read();
}

inline std::vector<std::byte> run_interpreted(const plan& p, const operands& data) {
  std::vector<std::byte> results(static_cast<std::size_t>(p.form.results() * result_bytes(p.what)), std::byte{poison});
  interpret(p, data, results.data());
  return results;
}

}  // namespace multifold::device_tests
