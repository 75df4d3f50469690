// Where the system gives fewer threads than were asked for, or none, those that are there do all of the work.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <cstring>
#include <vector>

#include "multifold/multifold.hpp"

namespace {
std::atomic<int> threads_left{INT_MAX};
}

// In front of the system's own, for all of this program.
extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*),
                              void* argument) noexcept {
  using create = int(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  static auto* const real = reinterpret_cast<create*>(dlsym(RTLD_NEXT, "pthread_create"));
  if (threads_left.load() != INT_MAX && threads_left.fetch_sub(1) <= 0) return EAGAIN;
  return real(thread, attributes, start, argument);
}

namespace {

using namespace multifold;

constexpr std::int64_t count = 3'000'000;

bool sums_are_right(const std::vector<std::int32_t>& x) {
  reduce_options options;
  options.engine = engine_choice::host;
  options.threads = 8;
  options.memory_bytes = 1 << 20;
  const chunk_callback next = [&x](std::int64_t first, std::span<std::byte> chunk) {
    const std::int64_t some = std::min(count - first, static_cast<std::int64_t>(chunk.size() / sizeof(std::int32_t)));
    std::memcpy(chunk.data(), x.data() + first, static_cast<std::size_t>(some) * sizeof(std::int32_t));
    return some;
  };
  constexpr std::int64_t expected = count * (count - 1) / 2;
  const auto in_order = make_source("in order", {dtype::i32, {count}}, next);
  const auto anywhere = make_source("anywhere", {dtype::i32, {count}}, next, true);
  const auto is_right = [](const reduce_result& r) { return r.value<std::int64_t>() == expected; };
  return is_right(reduce(op_kind::sum, make_view(x.data(), dtype::i32, {count}), options)) &&
         is_right(reduce(op_kind::sum, *in_order, options)) && is_right(reduce(op_kind::sum, *anywhere, options));
}

TEST(few_threads, do_all_of_the_work) {
  std::vector<std::int32_t> x(count);
  for (std::int64_t i = 0; i < count; ++i) x[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(i);
  for (const int threads : {0, 1, 3}) {
    const pid_t child = ::fork();  // whose pool has no threads yet
    ASSERT_GE(child, 0);
    if (child == 0) {
      threads_left = threads;
      ::_exit(sums_are_right(x) && threads_left < 0 ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 0) << threads << " threads";
  }
}

}  // namespace
