// Lanes that go through batches of random strides, counted here as the head of lane_walk says: every element of every batch
// is one lane's, once, under its number, wherever it stands.
#include "plan/layouts/lane_walk.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "multifold/policy.hpp"
#include "random_bits.hpp"

namespace multifold::plan_tests {
namespace {

using detail::lane_piece, detail::lane_walk;
using test::random_bits;

// An array of up to four axes in any order of memory, some of them reduced, with or without gaps behind its rows.
struct drawn_form {
  std::vector<std::int64_t> extents, strides, axes;
  std::int64_t places = 0;  // in memory

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
    places = count;
    for (std::int64_t axis = 0; axis < rank; ++axis) {
      if (below(2) == 0) axes.push_back(axis);
    }
  }
};

// How often lanes come by each element of an array whose first one is in the middle of a word, or is not, and whether it is
// of the batch that they have.
class visits {
 public:
  visits(const batches& form, const lane_walk& of, std::int64_t places, int odd)
      : form_(form), of_(of), odd_(odd), count_(static_cast<std::size_t>(places)), index_(count_.size(), -1) {
    for (std::int64_t batch = 0; batch < form.results(); ++batch) {
      for (std::int64_t i = 0; i < form.length; ++i)
        index_[static_cast<std::size_t>(form.offset_of(batch, i))] = batch * form.length + i;
    }
    for (int box = 0; box < of.boxes; ++box) {
      for (int part = 0; part < of.parts; ++part) {
        for (int column = 0; column < of.width; ++column) {
          const std::int64_t batch = std::int64_t{box} * of.step + column;
          for (int phase = 0; phase < of.phases && batch < of.batches; ++phase)
            take(static_cast<int>(batch), column, part, phase);
        }
      }
    }
  }
  bool all_once() const {
    const auto all = std::count(count_.begin(), count_.end(), 1);
    return misplaced_ == 0 && all == form_.elements();
  }

 private:
  void take(int batch, int column, int part, int phase) {
    const lane_piece piece = detail::lane_piece_of(of_, batch, phase, part, odd_);
    const std::int64_t stride = of_.walk_stride * of_.walk_phases;
    for (std::int64_t i = 0; i < piece.left; ++i) {
      const std::int64_t offset = piece.offset + i * stride;
      if (!of_.words) {
        see(batch, offset);
        misplaced_ += index_[static_cast<std::size_t>(offset)] % form_.length !=
                      piece.index + i * of_.walk_index * of_.walk_phases;
        continue;
      }
      misplaced_ += (offset + odd_) % 2 != 0;  // words are aligned
      if (piece.word >= 0) {
        const std::int64_t word = piece.word + i * of_.word_step;
        const detail::word_elements elements = detail::elements_of_word(of_, word, piece.odd);
        if (elements.low >= 0) take_half(batch, column, piece.odd, 0, offset + elements.low - (2 * word - piece.odd));
        if (elements.high >= 0) take_half(batch, column, piece.odd, 1, offset + 1);
      } else {
        if (piece.word != lane_piece::high_alone) take_half(batch, column, piece.odd, 0, offset);
        if (piece.word != lane_piece::low_alone) take_half(batch, column, piece.odd, 1, offset + 1);
      }
    }
  }
  // Lanes of odd lines give theirs to those of others, a column before or in the same one.
  void take_half(int batch, int column, int odd, int half, std::int64_t offset) {
    if (of_.beside) return see(batch, offset);
    if (!of_.by_kind) return see(detail::result_of_word(of_, batch, half, odd), offset);
    const int away = odd == 1 && half == 0 ? 1 : 0;
    if (odd == 1) half = 1 - half;
    if (column >= away && column - away < of_.step) see(detail::result_of_word(of_, batch - away, half, 0), offset);
  }
  void see(std::int64_t batch, std::int64_t offset) {
    const auto at = static_cast<std::size_t>(offset);
    if (at >= count_.size()) {
      ++misplaced_;
      return;
    }
    misplaced_ += count_[at]++ > 0 || index_[at] < 0 || index_[at] / form_.length != batch;
  }

  const batches& form_;
  const lane_walk& of_;
  int odd_;
  std::vector<int> count_;
  std::vector<std::int64_t> index_;  // of each place in memory: its batch, and its number there
  int misplaced_ = 0;
};

TEST(lane_walk, comes_by_every_element_once) {
  random_bits rng(1);
  int served = 0, chunked = 0, shared = 0, along = 0, kinds = 0, apart = 0;
  for (int i = 0; i < 6000; ++i) {
    const drawn_form drawn(rng);
    const array_view view = make_view(static_cast<const float*>(nullptr), drawn.extents, drawn.strides);
    const batches form = normalise(view, drawn.axes, rng() % 2 == 0 ? element_order::any : element_order::indexed);
    const bool words = i % 2 == 0;
    const std::int64_t item = words ? 2 : std::int64_t{2} << rng() % 3;
    const auto of = detail::lane_walk_of(form, item, words, std::int64_t{1} << rng() % 9);
    if (!of) continue;
    SCOPED_TRACE(to_string(drawn.extents) + " " + to_string(drawn.strides) + " over " + to_string(drawn.axes));
    ++served;
    chunked += of->chunks > 1;
    shared += of->shares > 1;
    along += of->word_step > 0;
    kinds += of->by_kind;
    apart += of->step < of->width;
    ASSERT_LE(of->width * of->phases, part_threads);
    ASSERT_GE(std::int64_t{of->boxes} * of->step, of->batches);
    ASSERT_GE(std::int64_t{of->share} * of->shares, of->parts);
    ASSERT_LT(std::int64_t{of->share} * (of->shares - 1), of->parts);
    ASSERT_TRUE(visits(form, *of, drawn.places, static_cast<int>(rng() % 2)).all_once());
  }
  EXPECT_GT(served, 300);
  EXPECT_GT(chunked, 20);
  EXPECT_GT(shared, 20);
  EXPECT_GT(along, 10);
  EXPECT_GT(kinds, 100);
  EXPECT_GT(apart, 20);
}

}  // namespace
}  // namespace multifold::plan_tests
