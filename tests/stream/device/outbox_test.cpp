// Which results go into a box that holds some already.
#include "stream/device/results/outbox.hpp"

#include "multifold/cuda/stream.hpp"
#include "stream/device/problem.hpp"

namespace multifold::inline v0_1::stream {
namespace {

class device_outboxes : public test::needs_device {};

TEST_F(device_outboxes, take_results_that_follow_theirs) {
  const host::nest nest = host::nest_of(normalise(make_view(nullptr, dtype::i64, {100, 2}), {1}, element_order::any));
  std::vector<std::int64_t> results(100, -1);
  result_target to{nest, 8, reinterpret_cast<std::byte*>(results.data()), 1, false};
  device_outbox box(to, 10);
  EXPECT_TRUE(box.has_room({50, 60}));
  EXPECT_FALSE(box.has_room({50, 61}));
  box.place({50, 54});
  EXPECT_TRUE(box.has_room({54, 60}));
  EXPECT_FALSE(box.has_room({54, 61}));
  for (const host::interval apart : {host::interval{53, 55}, {55, 56}, {40, 41}, {40, 40}}) {
    EXPECT_FALSE(box.has_room(apart)) << apart.begin;
  }
}

TEST_F(device_outboxes, take_as_many_statuses_as_there_is_room_for) {
  const host::nest nest = host::nest_of(normalise(make_view(nullptr, dtype::i64, {2000, 2}), {1}, element_order::any));
  std::vector<std::int64_t> results(2000, -1);
  result_target to{nest, 8, reinterpret_cast<std::byte*>(results.data()), 1, false};
  device_outbox box(to, 2000);
  const cuda::device_buffer word(4);
  const cuda::stream stream;
  std::int64_t taken = 0;
  for (; box.has_room({taken, taken + 1}); ++taken) {
    box.place({taken, taken + 1});
    box.note_status(word.data(), stream.get());
    ASSERT_LT(taken, status_bytes);
  }
  EXPECT_EQ(taken, status_bytes / 4);
  stream.synchronise();
}

}  // namespace
}  // namespace multifold::inline v0_1::stream
