// The steps of a GPU pipeline, taken by the interpreter on the CPU: they make up the whole, wherever chunks end.
#include "stream/device/boxes.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "random_bits.hpp"
#include "stream/result_order.hpp"

namespace multifold::inline v0_1::stream {
namespace {

using values = std::vector<std::int64_t>;

// Sums of integers: accumulators are what results are.
class on_the_cpu {
 public:
  on_the_cpu(const slices& array, const reduction& what, const values& data)
      : array_(array), what_(what), data_(data), open_(static_cast<std::size_t>(array.results)) {
    results_.resize(static_cast<std::size_t>(array.nest.results));
  }

  void whole(const device_box& box) {
    const host::interval which{box.first_result, box.first_result + box.form.results()};
    EXPECT_LE(box.form.results(), most_results);
    put(which, reduced(box));
    ++wholes;
  }
  void part(const device_box& box) {
    const values sums = reduced(box);
    const batches& f = box.form;
    for (std::int64_t batch = 0; batch < f.results(); ++batch) {
      open_.at(static_cast<std::size_t>(box.first_result + f.result_of(batch))) +=
          sums[static_cast<std::size_t>(f.result_of(batch))];
    }
  }
  void close(host::interval which) {
    ASSERT_EQ(which.end - which.begin, array_.results);
    put(which, open_);
    std::fill(open_.begin(), open_.end(), 0);
  }

  const values& results() const { return results_; }
  const values& open() const { return open_; }
  std::int64_t most_results = INT64_MAX;
  int wholes = 0;

 private:
  values reduced(const device_box& box) const {
    std::int64_t most = 0;
    for (std::int64_t batch = 0; batch < box.form.results(); ++batch) most = std::max(most, box.form.result_of(batch));
    values sums(static_cast<std::size_t>(most) + 1);
    interpret(make_plan(what_, box.form, {}, {}), data_.data(), sums.data());
    return sums;
  }
  void put(host::interval which, const values& from) {
    EXPECT_EQ(which.begin, next_);  // ascending without gaps
    next_ = which.end;
    put_in_order(array_.nest, which, reinterpret_cast<const std::byte*>(from.data()), 8,
                 reinterpret_cast<std::byte*>(results_.data()), 1);
  }

  const slices& array_;
  const reduction& what_;
  const values& data_;
  values open_, results_;
  std::int64_t next_ = 0;
};

struct problem {
  std::vector<std::int64_t> extents;
  std::vector<std::int64_t> axes;
  bool fortran_order = false;
};

const std::vector<problem> problems{
    {{1}, {0}},        {{1000}, {0}},        {{100, 7}, {1}},      {{7, 100}, {1}},         {{60, 11}, {0}},
    {{5, 30, 7}, {1}}, {{40, 3}, {0}, true}, {{40, 3}, {1}, true}, {{4, 5, 60}, {2}, true}, {{4, 60, 5}, {1}, true},
    {{100, 1}, {1}},
};

void expect_the_whole(const problem& shape, std::int64_t chunk, std::int64_t most_results, std::int64_t cut) {
  const std::int64_t count = element_count(shape.extents);
  test::random_bits rng(5);
  values data(static_cast<std::size_t>(count));
  for (std::int64_t& x : data) x = static_cast<std::int64_t>(rng() % 2001) - 1000;
  array_view view = make_view(data.data(), shape.extents);
  if (shape.fortran_order) view.strides = fortran_strides(shape.extents);
  const batches form = normalise(view, shape.axes, element_order::any);
  ASSERT_TRUE(streams_to_device(form));
  const reduction what = make_reduction(op_kind::sum, dtype::i64);
  values expected(static_cast<std::size_t>(form.results()));
  interpret(make_plan(what, form, {}, {}), data.data(), expected.data());
  const slices array = slices_of(form);
  SCOPED_TRACE(to_string(shape.extents) + " in chunks of " + std::to_string(chunk));
  on_the_cpu taker(array, what, data);
  taker.most_results = most_results;
  for (std::int64_t first = 0; first < count; first += chunk) {
    steps_of({array, most_results, cut, false}, {first, std::min(count, first + chunk)}, taker);
  }
  EXPECT_EQ(taker.results(), expected);
  EXPECT_EQ(taker.open(), values(taker.open().size()));
}

TEST(device_boxes, chunks_make_up_the_whole) {
  for (const problem& shape : problems) {
    for (std::int64_t chunk : {1, 3, 64, 70, 77, 100'000}) {
      for (std::int64_t most_results : {std::int64_t{1}, std::int64_t{8}, std::int64_t{INT64_MAX}}) {
        for (std::int64_t cut : {0, 32}) expect_the_whole(shape, chunk, most_results, cut);
      }
    }
  }
}

struct counter {
  int wholes = 0, parts = 0, closes = 0;
  void whole(const device_box&) { ++wholes; }
  void part(const device_box&) { ++parts; }
  void close(host::interval) { ++closes; }
};

TEST(device_boxes, rows_that_lie_inside_a_chunk_take_no_accumulators) {
  const slices rows = slices_of(normalise(make_view(nullptr, dtype::f32, {1000, 16}), {1}, element_order::any));
  counter inside, across;
  steps_of({rows, INT64_MAX, 0, false}, {160, 320}, inside);
  EXPECT_EQ(inside.wholes, 1);
  EXPECT_EQ(inside.parts + inside.closes, 0);
  steps_of({rows, INT64_MAX, 0, false}, {170, 330}, across);
  EXPECT_EQ(across.wholes, 1);
  EXPECT_EQ(across.parts, 2);
  EXPECT_EQ(across.closes, 1);
}

TEST(device_boxes, one_sum_stays_open) {
  const slices all = slices_of(normalise(make_view(nullptr, dtype::f32, {1000}), {0}, element_order::any));
  counter state, endless;
  steps_of({all, INT64_MAX, 0, true}, {0, 1000}, state);
  EXPECT_EQ(state.parts, 1);
  EXPECT_EQ(state.wholes + state.closes, 0);
  const slices stream = endless_slice();
  steps_of({stream, INT64_MAX, 256, true}, {0, 1000}, endless);
  EXPECT_EQ(endless.parts, 4);
}

}  // namespace
}  // namespace multifold::inline v0_1::stream
