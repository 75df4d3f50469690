// Arrays that are still being written, on a stream that dawdles, when they are reduced.
#include <gtest/gtest.h>

#include <chrono>
#include <cstring>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "multifold/cuda/buffer.hpp"
#include "multifold/cuda/stream.hpp"
#include "multifold/reduce.hpp"
#include "multifold/state.hpp"
#include "simulated_gpu.hpp"

namespace multifold {
namespace {

constexpr std::int64_t count = 300'000;
constexpr float stale = 7;

void fill(std::span<std::byte> memory, float value) {
  for (std::size_t at = 0; at < memory.size(); at += sizeof value) std::memcpy(&memory[at], &value, sizeof value);
}

// Ones, but late.
void produce(std::span<std::byte> memory, cudaStream_t stream) {
  fill(memory, stale);
  simulated::enqueue(stream, [memory] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    fill(memory, 1);
  });
}

template <class Buffer>
class device_producers : public ::testing::Test {
 protected:
  static constexpr bool on_device = std::is_same_v<Buffer, cuda::device_buffer>;

  array_view view(const Buffer& memory) const {
    return make_view(memory.data(), dtype::f32, {count}, on_device ? place::device : place::host);
  }
  static std::vector<engine_choice> engines() {
    if (on_device) return {engine_choice::device};
    return {engine_choice::host, engine_choice::device, engine_choice::both};
  }

  Buffer x_{count * 4}, y_{count * 4};
  cuda::stream stream_;
};

using kinds_of_memory = ::testing::Types<cuda::device_buffer, cuda::pinned_buffer>;
TYPED_TEST_SUITE(device_producers, kinds_of_memory);

TYPED_TEST(device_producers, are_waited_for_on_the_stream_that_is_named) {
  for (const engine_choice engine : this->engines()) {
    reduce_options options;
    options.engine = engine;
    options.stream = this->stream_.get();
    produce(this->x_.bytes(), options.stream);
    EXPECT_EQ(reduce(op_kind::sum, this->view(this->x_), options).template value<float>(), count) << name(engine);
    produce(this->x_.bytes(), options.stream);
    produce(this->y_.bytes(), options.stream);
    EXPECT_EQ(reduce(op_kind::dot, this->view(this->x_), this->view(this->y_), options).template value<float>(), count);
    produce(this->x_.bytes(), options.stream);
    options.keep_state = true;
    EXPECT_EQ(reduce(op_kind::sum, this->view(this->x_), options).template value<float>(), count) << name(engine);
  }
}

TYPED_TEST(device_producers, on_the_default_stream_are_waited_for_where_arrays_are_on_the_device) {
  if (!this->on_device) GTEST_SKIP() << "arrays in host memory are read at once";
  produce(this->x_.bytes(), cudaStreamLegacy);
  EXPECT_EQ(reduce(op_kind::sum, this->view(this->x_)).template value<float>(), count);
  produce(this->x_.bytes(), nullptr);
  EXPECT_EQ(reduce(op_kind::max, this->view(this->x_)).template value<float>(), 1);
}

TYPED_TEST(device_producers, of_sources_are_waited_for) {
  reduce_options options;
  options.engine = engine_choice::host;
  options.stream = this->stream_.get();
  produce(this->x_.bytes(), options.stream);
  const std::byte* const from = this->x_.data();
  const auto bring = [from](std::int64_t first, std::span<std::byte> chunk) {
    const std::int64_t some = std::min(static_cast<std::int64_t>(chunk.size()) / 4, count - first);
    std::memcpy(chunk.data(), from + first * 4, static_cast<std::size_t>(some) * 4);
    return some;
  };
  const auto numbers = make_source("ones", {dtype::f32, {count}}, bring);
  EXPECT_EQ(reduce(op_kind::sum, *numbers, options).template value<float>(), count);
}

}  // namespace
}  // namespace multifold
