// The crew behind a fork: a child has none of its parent's threads, and starts its own.
#include "host/threads/crew.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace multifold::inline v0_1::host {
namespace {

// Whether two workers are inside at the same time. Where threads are short that may be false, but not for ten seconds.
bool two_come() {
  using clock = std::chrono::steady_clock;
  const auto until = clock::now() + std::chrono::seconds(10);
  std::atomic<int> inside{0};
  run_crew(2, [&](int) {
    ++inside;
    while (inside < 2 && clock::now() < until) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  });
  return inside == 2;
}

TEST(crew, a_child_of_fork_has_threads_of_its_own) {
  ASSERT_TRUE(two_come());
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) ::_exit(two_come() ? 0 : 1);
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_TRUE(two_come());
}

}  // namespace
}  // namespace multifold::inline v0_1::host
