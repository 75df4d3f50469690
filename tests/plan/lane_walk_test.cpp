// Lanes that go through batches of random strides, counted here as the head of lane_walk says: every element of every batch
// is one lane's, once, under its number, wherever it stands.
#include "plan/layouts/lane_walk.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "multifold/plan/policy.hpp"
#include "random_bits.hpp"

namespace multifold::plan_tests {
namespace {

using detail::lane_part, detail::lane_walk;
using test::random_bits;

// An array of up to four axes in any order of memory, some of them reduced, with or without gaps behind its rows.
struct drawn_form {
  std::vector<std::int64_t> extents, strides, axes;

  explicit drawn_form(random_bits& rng) {
    const auto below = [&](std::int64_t n) { return static_cast<std::int64_t>(rng() % static_cast<unsigned>(n)); };
    const std::int64_t rank = 2 + below(3);
    std::vector<std::size_t> order(static_cast<std::size_t>(rank));
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::shuffle(order.begin(), order.end(), rng);
    extents.resize(order.size());
    strides.resize(order.size());
    std::int64_t count = 1;
    for (const std::size_t axis : order) {
      const std::int64_t most = std::max<std::int64_t>(1, 200000 / count);
      extents[axis] = 1 + below(std::min<std::int64_t>(most, below(3) == 0 ? 1500 : 70));
      strides[axis] = count;
      count *= extents[axis];
      if (below(6) == 0) count += below(4);
    }
    for (std::int64_t axis = 0; axis < rank; ++axis) {
      if (below(2) == 0) axes.push_back(axis);
    }
  }
};

// How often lanes come by each element, and whether it is where they look.
class visits {
 public:
  visits(const batches& form, const lane_walk& of)
      : form_(form), of_(of), count_(static_cast<std::size_t>(form.elements())) {
    for (int box = 0; box < of.boxes; ++box) {
      for (int part = 0; part < of.parts; ++part) {
        for (int column = 0; column < of.width; ++column) {
          const std::int64_t batch = std::int64_t{box} * of.width + column;
          for (int phase = 0; phase < of.phases && batch < of.batches; ++phase)
            take(static_cast<int>(batch), part, phase);
        }
      }
    }
  }
  bool all_once() const {
    return misplaced_ == 0 && std::all_of(count_.begin(), count_.end(), [](int n) { return n == 1; });
  }

 private:
  void take(int batch, int part, int phase) {
    lane_part at = detail::lane_part_of(of_, batch, phase, part);
    for (; at.left > 0; --at.left) {
      ++count_[static_cast<std::size_t>(batch * form_.length + at.index)];
      misplaced_ += form_.offset_of(batch, at.index) != at.offset;
      at.offset += of_.walk_stride * of_.walk_phases;
      at.index += of_.walk_index * of_.walk_phases;
    }
  }

  const batches& form_;
  const lane_walk& of_;
  std::vector<int> count_;
  int misplaced_ = 0;
};

TEST(lane_walk, comes_by_every_element_once) {
  random_bits rng(1);
  int served = 0, chunked = 0, shared = 0;
  for (int i = 0; i < 3000; ++i) {
    const drawn_form drawn(rng);
    const array_view view = make_view(static_cast<const float*>(nullptr), drawn.extents, drawn.strides);
    const batches form = normalise(view, drawn.axes, rng() % 2 == 0 ? element_order::any : element_order::indexed);
    const auto of = detail::lane_walk_of(form, std::int64_t{2} << rng() % 3, std::int64_t{1} << rng() % 9);
    if (!of) continue;
    SCOPED_TRACE(to_string(drawn.extents) + " " + to_string(drawn.strides) + " over " + to_string(drawn.axes));
    ++served;
    chunked += of->chunks > 1;
    shared += of->shares > 1;
    ASSERT_LE(of->width * of->phases, part_threads);
    ASSERT_GE(std::int64_t{of->boxes} * of->width, of->batches);
    ASSERT_GE(std::int64_t{of->share} * of->shares, of->parts);
    ASSERT_LT(std::int64_t{of->share} * (of->shares - 1), of->parts);
    ASSERT_TRUE(visits(form, *of).all_once());
  }
  EXPECT_GT(served, 300);
  EXPECT_GT(chunked, 20);
  EXPECT_GT(shared, 20);
}

}  // namespace
}  // namespace multifold::plan_tests
