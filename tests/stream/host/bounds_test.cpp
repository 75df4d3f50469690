// What a stream may take at most: chunks that run ahead, memory of all threads together, calls of progress, and reads
// of a source that has failed.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <future>
#include <iostream>
#include <map>
#include <mutex>
#include <numeric>
#include <optional>
#include <thread>
#include <vector>

#include "host/engine.hpp"
#include "multifold/error.hpp"
#include "stream/host/reader.hpp"
#include "stream/host/stream.hpp"

namespace {

using namespace multifold;
using namespace std::chrono_literals;

constexpr std::int64_t mib = 1 << 20;

// Zeros, one byte each, and a call that is told of each read.
class zeros final : public source {
 public:
  using listener = std::function<void(std::int64_t first, std::span<std::byte> chunk)>;

  zeros(std::int64_t count, listener told, bool random_access = true)
      : layout_{dtype::u8, {count}, false}, told_(std::move(told)), random_access_(random_access) {}

  const std::string& name() const noexcept override { return name_; }
  const array_layout& layout() const noexcept override { return layout_; }
  bool random_access() const noexcept override { return random_access_; }
  std::int64_t read(std::int64_t first, std::span<std::byte> chunk) override {
    told_(first, chunk);
    std::memset(chunk.data(), 0, chunk.size());
    return static_cast<std::int64_t>(chunk.size());
  }

 private:
  const std::string name_ = "zeros";
  const array_layout layout_;
  const listener told_;
  const bool random_access_;
};

plan plan_of(op_kind op, std::int64_t count) {
  return make_plan(make_reduction(op, dtype::u8),
                   normalise(make_view(nullptr, dtype::u8, {count}), {0}, element_order::any), {}, host::traits(1));
}

stream::host_options on(int threads, std::int64_t memory_bytes = 0) {
  stream::host_options options;
  options.threads = threads;
  options.memory_bytes = memory_bytes;
  return options;
}

// A gate that stays shut until somebody opens it.
class gate {
 public:
  void open() {
    const std::lock_guard lock(mutex_);
    open_ = true;
    opened_.notify_all();
  }
  void pass() {
    std::unique_lock lock(mutex_);
    opened_.wait(lock, [&] { return open_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable opened_;
  bool open_ = false;
};

// The bytes of buffers that threads have read into.
class seen_buffers {
 public:
  void note(std::span<std::byte> chunk) {
    const std::lock_guard lock(mutex_);
    std::size_t& largest = bytes_[chunk.data()];
    largest = std::max(largest, chunk.size());
  }
  std::int64_t bytes() const {
    return std::accumulate(bytes_.begin(), bytes_.end(), std::int64_t{0}, [](std::int64_t sum, const auto& each) {
      return sum + static_cast<std::int64_t>(each.second);
    });
  }

 private:
  std::mutex mutex_;
  std::map<const std::byte*, std::size_t> bytes_;
};

}  // namespace

// The first chunk is out, and the others may not fill memory with what they leave for it.
TEST(host_bounds, chunks_run_ahead_by_a_window_and_no_more) {
  constexpr int threads = 4, window = 256;
  constexpr std::int64_t count = 1024 * mib;
  gate first_chunk;
  std::atomic<int> reads{0};
  zeros input(count, [&](std::int64_t first, std::span<std::byte>) {
    ++reads;
    if (first == 0) first_chunk.pass();
  });
  const plan p = plan_of(op_kind::max, count);
  std::uint8_t result = 1;
  auto done = std::async(std::launch::async, [&] { return stream::run_host(p, input, &result, on(threads)); });
  for (int i = 0; i < 6000 && reads < window; ++i) std::this_thread::sleep_for(10ms);
  std::this_thread::sleep_for(500ms);  // for more, if somebody went on
  EXPECT_GE(reads, window);
  EXPECT_LT(reads, window + threads);
  first_chunk.open();
  if (done.wait_for(120s) != std::future_status::ready) {
    std::cerr << "those who wait at the end of the window were never woken\n";
    std::_Exit(1);  // nothing else ends them
  }
  EXPECT_EQ(done.get(), count);
  EXPECT_EQ(reads, count / mib);
}

TEST(host_bounds, all_threads_share_the_memory) {
  struct request {
    int threads;
    std::int64_t memory_bytes;
  };
  constexpr std::int64_t count = 64 * mib;
  for (const request& r : {request{64, mib}, {64, mib / 4}, {8, 3 * mib}, {64, 5 * mib}, {2, 64 * mib}}) {
    seen_buffers seen;
    zeros input(count, [&](std::int64_t, std::span<std::byte> chunk) {
      seen.note(chunk);
      std::this_thread::sleep_for(1ms);  // so that every thread comes to read
    });
    std::uint8_t result = 1;
    EXPECT_EQ(stream::run_host(plan_of(op_kind::max, count), input, &result, on(r.threads, r.memory_bytes)), count);
    EXPECT_LE(seen.bytes(), r.memory_bytes) << r.threads << " threads";
    EXPECT_GE(seen.bytes(), std::min(r.memory_bytes, mib) / 2) << r.threads << " threads";
  }
}

TEST(host_bounds, progress_is_told_every_16_mib) {
  constexpr std::int64_t count = 256 * mib;
  zeros input(count, [](std::int64_t, std::span<std::byte>) {});
  stream::host_options options = on(1);
  std::vector<std::int64_t> told;
  options.progress = [&](std::int64_t bytes) { told.push_back(bytes); };
  std::uint8_t result = 1;
  stream::run_host(plan_of(op_kind::max, count), input, &result, options);
  ASSERT_GE(told.size(), 16u);
  EXPECT_LE(told.size(), 17u);
  for (std::size_t i = 0; i + 1 < told.size(); ++i) EXPECT_EQ(told[i], static_cast<std::int64_t>(i + 1) * 16 * mib);
  EXPECT_EQ(told.back(), count);
}

TEST(host_bounds, a_sequential_source_that_failed_is_not_read_again) {
  for (int run = 0; run < 50; ++run) {
    std::atomic<bool> failed{false};
    std::atomic<int> again{0};
    const auto fail = [&](std::int64_t first, std::span<std::byte>) {
      if (failed) ++again;
      if (first < 8 * mib) return;
      failed = true;
      throw io_error("zeros: no more");
    };
    zeros input(64 * mib, fail, false);
    std::uint8_t result = 1;
    EXPECT_THROW(stream::run_host(plan_of(op_kind::max, 64 * mib), input, &result, on(8)), io_error);
    ASSERT_EQ(again, 0) << "run " << run;
  }
}

// Before the turn is given up, and the next thread has it.
TEST(host_bounds, a_reader_whose_source_failed_hands_out_no_more) {
  for (const bool random_access : {true, false}) {
    zeros input(
        8 * mib, [](std::int64_t, std::span<std::byte>) { throw io_error("zeros: no more"); }, random_access);
    const stream::inputs from(input);
    stream::host_reader reader(from, 8 * mib, mib, 0, {});
    std::optional<stream::chunk> c = reader.claim();
    ASSERT_TRUE(c);
    std::vector<std::byte> buffer(mib);
    EXPECT_THROW(reader.read(*c, 0, buffer.data(), mib), io_error);
    c.reset();
    EXPECT_FALSE(reader.claim());
  }
}
