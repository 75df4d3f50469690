// Arguments of kernels on their way into a queue.
#include <gtest/gtest.h>

#include <cstring>

#include "multifold/cuda/work_queue.hpp"

namespace multifold::inline v0_1::graphs {
namespace {

struct place {
  long long extent, stride, index;
};
// Members behind an array of classes, and places between members that have no value.
struct several {
  place places[8];
  int count;
  bool ordered;
  double weight;
};

void takes_several(several) {}

struct recorder final : cuda::work_queue {
  several seen{};
  void launch(const cuda::kernel_work& work) override { std::memcpy(&seen, work.arguments[0], sizeof seen); }
  void clear(void*, std::size_t) override {}
};

TEST(arguments, keep_all_their_members) {
  several given{};
  for (place& each : given.places) each = {-1, -1, -1};
  given.count = -1;
  given.ordered = true;
  given.weight = 1.5;
  recorder queue;
  cuda::launch_kernel(queue, takes_several, 1, 1, 0, given);
  EXPECT_EQ(std::memcmp(queue.seen.places, given.places, sizeof given.places), 0);
  EXPECT_EQ(queue.seen.count, -1);
  EXPECT_TRUE(queue.seen.ordered);
  EXPECT_EQ(queue.seen.weight, 1.5);
}

}  // namespace
}  // namespace multifold::inline v0_1::graphs
