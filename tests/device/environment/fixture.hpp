// What the tests of environments share: a fixture with arrays, results and a status word, and a resource that counts.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "device/device_fixture.hpp"
#include "multifold/cuda/environment.hpp"

namespace multifold::device_tests {

class device_environment : public device_test {
 protected:
  void SetUp() override {
    device_test::SetUp();
    if (IsSkipped()) return;
    stream_.emplace();
    word_ = cuda::device_buffer(256);
    results_ = cuda::device_buffer(1024);
    poison_word();
  }

  template <class T>
  const T* on_device(const std::vector<T>& values) {
    arrays_.emplace_back(std::max<std::int64_t>(1, static_cast<std::int64_t>(values.size() * sizeof(T))));
    cuda::check(cudaMemcpyAsync(arrays_.back().data(), values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice,
                                stream()));
    cuda::check(cudaStreamSynchronize(stream()));
    return reinterpret_cast<const T*>(arrays_.back().data());
  }
  template <class T>
  std::vector<T> found(std::size_t count) {
    std::vector<T> values(count);
    cuda::check(cudaMemcpyAsync(values.data(), results_.data(), count * sizeof(T), cudaMemcpyDeviceToHost, stream()));
    cuda::check(cudaStreamSynchronize(stream()));
    return values;
  }
  void poison_word() { cuda::check(cudaMemsetAsync(word_.data(), poison, 4, stream())); }

  cudaStream_t stream() const { return stream_->get(); }
  std::uint32_t* word() const { return reinterpret_cast<std::uint32_t*>(word_.data()); }
  cuda::environment with_word() const { return {.stream = stream(), .status = word()}; }
  void* results() const { return results_.data(); }

  std::optional<cuda::stream> stream_;
  cuda::device_buffer word_, results_;
  std::vector<cuda::device_buffer> arrays_;
};

/// Counts what is asked of it, in stream order; stands for a resource of the caller's.
struct counting_resource {
  std::vector<std::size_t> given;
  std::vector<void*> there;
  std::vector<cudaStream_t> streams;
  int taken_back = 0;
  bool fails = false, gives_nothing = false;

  cuda::memory_resource as_resource() {
    return {[](void* context, std::size_t bytes, cudaStream_t stream) -> void* {
              auto& self = *static_cast<counting_resource*>(context);
              if (self.fails) throw std::runtime_error("the pool is dry");
              if (self.gives_nothing) return nullptr;
              void* at = nullptr;
              cuda::check(cudaMallocAsync(&at, bytes, stream));
              // What is not cleared, or read before it is set, shows.
              cuda::check(cudaMemsetAsync(at, workspace_poison(), bytes, stream));
              self.given.push_back(bytes);
              self.there.push_back(at);
              self.streams.push_back(stream);
              return at;
            },
            [](void* context, void* at, std::size_t bytes, cudaStream_t stream) noexcept {
              auto& self = *static_cast<counting_resource*>(context);
              EXPECT_EQ(self.given.back(), bytes);
              EXPECT_EQ(self.there.back(), at);
              EXPECT_EQ(self.streams.back(), stream);
              ++self.taken_back;
              cudaFreeAsync(at, stream);
            },
            this};
  }
  void expect_used_once(std::int64_t bytes, cudaStream_t stream) {
    ASSERT_EQ(given.size(), 1U);
    EXPECT_EQ(given[0], static_cast<std::size_t>(bytes));
    EXPECT_EQ(streams[0], stream);
    EXPECT_EQ(taken_back, 1);
    *this = {};
  }
};

inline plan plan_of(op_kind op, const array_view& view, const std::vector<std::int64_t>& axes = {0}) {
  return make_plan(make_reduction(op, view.type), normalise(view, axes, order_of(op)), {}, cuda::device_traits());
}

inline std::vector<float> tenths(std::size_t count) { return std::vector<float>(count, 0.1f); }

}  // namespace multifold::device_tests
