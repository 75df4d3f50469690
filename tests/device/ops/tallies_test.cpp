// Counts of elements that are not zero on the GPU against plain loops: every dtype, zeros of either sign, NaN,
// subnormal numbers and single bits, by every kernel.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "core/ops/tally_data.hpp"
#include "device/device_fixture.hpp"
#include "multifold/cuda/segments.hpp"

namespace multifold::device_tests {
namespace {

using testing_tallies::ops;
using testing_views::random_view;

// Of elements, what is not zero, or what is: one in so many.
constexpr int rates[] = {1, 2, -9, 100, -100};

random_view dense(dtype type, std::vector<std::int64_t> extents) {
  random_view made;
  made.view = make_view(nullptr, type, std::move(extents));
  made.buffer_elements = made.view.elements();
  return made;
}

std::vector<std::int64_t> values(op_kind op, const array_view& view, const void* data,
                                 const std::vector<std::int64_t>& axes, nan_policy nan = nan_policy::propagate) {
  return testing_tallies::values_of(op, testing_tallies::tallies_of(nan, view, data, axes));
}

class tallies_on_device : public device_test {
 protected:
  random_engine rng{29};

  void expect_loops(const random_view& made, const std::vector<std::int64_t>& axes, int rate,
                    const plan_options& forced = {}, std::int64_t shift = 0) {
    const dtype type = made.view.type;
    const auto bytes = testing_tallies::elements(type, made.buffer_elements, rate, rng);
    const device_array there(bytes, shift * item_bytes(type));
    const std::int64_t first = made.first * item_bytes(type);
    for (const nan_policy nan : {nan_policy::propagate, nan_policy::omit}) {
      if (nan == nan_policy::omit && !is_floating(type)) continue;
      const auto tallies = testing_tallies::tallies_of(nan, made.view, bytes.data() + first, axes);
      for (const op_kind op : ops) {
        const batches form = normalise(made.view, axes, order_of(op));
        const plan p = make_plan(make_reduction(op, type, nan), form, forced, cuda::device_traits());
        const auto results = run_on_device(p, static_cast<const std::byte*>(there.data()) + first);
        ASSERT_EQ(testing_tallies::numbers(op, results), testing_tallies::values_of(op, tallies))
            << name(op) << " of " << name(type) << " " << to_string(made.view.extents) << " strides "
            << to_string(made.view.strides) << " axes " << to_string(axes) << ", one in " << rate << "\n"
            << explain(p);
      }
    }
  }
};

TEST_F(tallies_on_device, of_rows_and_columns) {
  const std::vector<std::int64_t> rows[] = {{20000, 1}, {9000, 2},  {5001, 3},  {4000, 7},  {3001, 16}, {1000, 33},
                                            {500, 129}, {77, 1000}, {12, 5001}, {5, 40001}, {3, 200003}};
  const std::vector<std::int64_t> columns[] = {{2, 9001}, {3, 5000}, {17, 1000}, {33, 130},  {1000, 33},
                                               {5000, 4}, {9001, 3}, {40001, 1}, {70, 2048}, {100003, 5}};
  for (const dtype type : all_dtypes) {
    for (const int rate : rates) {
      for (const auto& extents : rows) ASSERT_NO_FATAL_FAILURE(expect_loops(dense(type, extents), {1}, rate));
      for (const auto& extents : columns) ASSERT_NO_FATAL_FAILURE(expect_loops(dense(type, extents), {0}, rate));
    }
  }
}

TEST_F(tallies_on_device, of_single_rows) {
  for (const dtype type : all_dtypes) {
    for (const std::int64_t length : {0, 1, 31, 33, 256, 4096, 65536, 100003, 1001472, 3000001}) {
      for (const int rate : {1, 2, -9, 1000000})
        ASSERT_NO_FATAL_FAILURE(expect_loops(dense(type, {length}), {0}, rate));
    }
  }
}

TEST_F(tallies_on_device, of_misaligned_and_nested_arrays) {
  const std::vector<std::int64_t> shapes[] = {{3, 50, 65}, {40, 300, 3}, {70, 37, 5}, {2, 9001, 3}, {9, 10, 111}};
  for (const dtype type : all_dtypes) {
    for (std::int64_t shift = 0; shift < 16 / item_bytes(type); shift = shift * 2 + 1) {
      for (const auto& extents : shapes) {
        ASSERT_NO_FATAL_FAILURE(expect_loops(dense(type, extents), {1}, shift % 2 == 0 ? 2 : -30, {}, shift));
        ASSERT_NO_FATAL_FAILURE(expect_loops(dense(type, extents), {2}, shift % 2 == 0 ? -20 : 30, {}, shift));
        ASSERT_NO_FATAL_FAILURE(expect_loops(dense(type, extents), {0, 2}, 2, {}, shift));
      }
      ASSERT_NO_FATAL_FAILURE(expect_loops(dense(type, {70003}), {0}, 2, {}, shift));
    }
  }
}

TEST_F(tallies_on_device, of_any_view) {
  for (int turn = 0; turn < 3000; ++turn) {
    const dtype type = all_dtypes[rng() % std::size(all_dtypes)];
    const auto made = testing_views::make_random_view(rng, type, turn % 10 == 0 ? 6000 : 600);
    const auto axes = testing_views::random_axes(rng, made.view.rank());
    ASSERT_NO_FATAL_FAILURE(expect_loops(made, axes, rates[rng() % std::size(rates)]));
  }
}

TEST_F(tallies_on_device, of_transposed_arrays) {
  for (const dtype type : all_dtypes) {
    for (const int rate : {2, -50}) {
      random_view boxes = dense(type, {16, 416, 33, 3});
      boxes.view.strides = {1, 1584, 16, 528};
      ASSERT_NO_FATAL_FAILURE(expect_loops(boxes, {1, 3}, rate));
      random_view turned = dense(type, {40, 90, 70});
      turned.view.strides = {1, 2800, 40};
      ASSERT_NO_FATAL_FAILURE(expect_loops(turned, {1}, rate));
    }
  }
}

TEST_F(tallies_on_device, of_forced_plans) {
  for (const dtype type : all_dtypes) {
    for (const finish how : {finish::next_pass, finish::last_block, finish::atomic}) {
      for (const block_form form : {block_form::shuffle, block_form::shared_tree}) {
        plan_options forced;
        forced.how = how;
        forced.form = form;
        forced.parts = 7;
        for (const int rate : {2, -3000}) {
          ASSERT_NO_FATAL_FAILURE(expect_loops(dense(type, {100003}), {0}, rate, forced));
          ASSERT_NO_FATAL_FAILURE(expect_loops(dense(type, {9, 4001}), {1}, rate, forced));
          ASSERT_NO_FATAL_FAILURE(expect_loops(dense(type, {1000, 33}), {0}, rate, forced));
        }
      }
    }
    for (const int passes : {1, 2, 3}) {
      plan_options forced;
      forced.passes = passes;
      ASSERT_NO_FATAL_FAILURE(expect_loops(dense(type, {300007}), {0}, 2, forced));
    }
  }
}

TEST_F(tallies_on_device, of_results_in_other_dtypes) {
  for (const dtype type : {dtype::u8, dtype::f16, dtype::i32, dtype::f64}) {
    for (const std::int64_t length : {3, 40, 5000}) {
      const random_view made = dense(type, {300, length});
      const auto bytes = testing_tallies::elements(type, made.buffer_elements, 2, rng);
      const device_array there(bytes);
      for (const op_kind op : ops) {
        reduction what = make_reduction(op, type);
        what.result = dtype::f64;
        const plan p = make_plan(what, normalise(made.view, {1}, order_of(op)), {}, cuda::device_traits());
        const auto results = run_on_device(p, there.data());
        std::vector<double> found(300);
        ASSERT_EQ(results.size(), found.size() * sizeof(double));
        std::memcpy(found.data(), results.data(), results.size());
        const auto expected = values(op, made.view, bytes.data(), {1});
        EXPECT_TRUE(std::equal(found.begin(), found.end(), expected.begin(), expected.end())) << name(op);
      }
    }
  }
}

// What all compares with is the number of elements that there are, not the most that there may be.
TEST_F(tallies_on_device, of_as_many_elements_as_the_device_says) {
  constexpr std::int64_t most = 50000;
  for (const dtype type : {dtype::boolean, dtype::i16, dtype::f32, dtype::f64}) {
    const auto bytes = testing_tallies::elements(type, most, 1, rng);
    const device_array there(bytes);
    for (const std::int64_t count : {std::int64_t{0}, std::int64_t{1}, std::int64_t{777}, most}) {
      const device_array said(std::as_bytes(std::span(&count, 1)));
      for (const op_kind op : ops) {
        const plan p =
            make_plan(make_reduction(op, type), normalise(make_view(nullptr, type, {most}), {0}, order_of(op)), {},
                      cuda::device_traits());
        cuda::stream stream;
        cuda::device_buffer result(64), workspace(p.workspace_bytes());
        cuda::reduce_counted_async(p, there.data(), static_cast<const std::int64_t*>(said.data()), result.data(),
                                   workspace.bytes(), stream.get());
        ASSERT_EQ(cuda::status_of(workspace.bytes(), stream.get()), status::ok);
        std::vector<std::byte> host(static_cast<std::size_t>(item_bytes(p.what.result)));
        cuda::check(cudaMemcpy(host.data(), result.data(), host.size(), cudaMemcpyDeviceToHost));
        EXPECT_EQ(testing_tallies::numbers(op, host), values(op, make_view(nullptr, type, {count}), bytes.data(), {0}))
            << name(op) << " of " << count;
      }
    }
  }
}

TEST_F(tallies_on_device, of_chunks_that_are_accumulated) {
  constexpr std::int64_t rows = 37, length = 1003, first = 400;
  for (const dtype type : all_dtypes) {
    for (const int rate : {2, -2000}) {
      const auto bytes = testing_tallies::elements(type, rows * length, rate, rng);
      const device_array there(bytes);
      const array_view whole = make_view(bytes.data(), type, {rows, length});
      for (const op_kind op : ops) {
        const reduction what = make_reduction(op, type);
        cuda::stream stream;
        cuda::device_buffer accumulators(rows * accumulator_bytes(what)), results(rows * 8), word(256);
        cuda::fill_identity_async(what, accumulators.data(), rows, stream.get());
        cuda::check(cudaMemsetAsync(word.data(), 0, 256, stream.get()));
        std::vector<cuda::device_buffer> workspaces;
        for (const std::int64_t from : {std::int64_t{0}, first}) {
          array_view chunk = whole;
          chunk.extents[1] = from == 0 ? first : length - first;
          const plan p = make_plan(what, normalise(chunk, {1}, order_of(op)), {}, cuda::device_traits());
          workspaces.emplace_back(p.workspace_bytes());
          cuda::accumulate_async(p, static_cast<const std::byte*>(there.data()) + from * item_bytes(type),
                                 {accumulators.data(), 0, from}, workspaces.back().bytes(), stream.get());
        }
        cuda::lower_async(what, accumulators.data(), rows, length, results.data(),
                          reinterpret_cast<std::uint32_t*>(word.data()), stream.get());
        stream.synchronise();
        std::vector<std::byte> host(static_cast<std::size_t>(rows * item_bytes(what.result)));
        cuda::check(cudaMemcpy(host.data(), results.data(), host.size(), cudaMemcpyDeviceToHost));
        EXPECT_EQ(testing_tallies::numbers(op, host), values(op, whole, bytes.data(), {1}))
            << name(op) << " of " << name(type);
      }
    }
  }
}

TEST_F(tallies_on_device, past_two_to_the_thirty_two) {
  constexpr std::int64_t length = (std::int64_t{1} << 32) + 3;
  for (const dtype type : {dtype::i8, dtype::f16, dtype::f32, dtype::f64}) {
    const auto bytes = testing_tallies::elements(type, 1, 1, rng);
    const device_array there(bytes);
    array_view view = make_view(bytes.data(), type, {length});
    view.strides = {0};
    for (const op_kind op : ops) {
      const plan p = make_plan(make_reduction(op, type), normalise(view, {0}, order_of(op)), {}, cuda::device_traits());
      EXPECT_EQ(testing_tallies::numbers(op, run_on_device(p, there.data())),
                std::vector<std::int64_t>{op == op_kind::count_nonzero ? length : 1});
    }
  }
  cuda::device_buffer data(length);  // a lane of bytes, and of their marks, is full long before
  cuda::check(cudaMemset(data.data(), 0x80, static_cast<std::size_t>(length)));
  cuda::check(cudaDeviceSynchronize());
  plan_options one_part;
  one_part.passes = 1;
  one_part.how = finish::next_pass;
  for (const plan_options& forced : {plan_options{}, one_part}) {
    for (const op_kind op : ops) {
      const plan p = make_plan(make_reduction(op, dtype::u8),
                               normalise(make_view(data.data(), dtype::u8, {length}, place::device), {0}, order_of(op)),
                               forced, cuda::device_traits());
      EXPECT_EQ(testing_tallies::numbers(op, run_on_device(p, data.data())),
                std::vector<std::int64_t>{op == op_kind::count_nonzero ? length : 1});
    }
  }
}

class tallies_of_segments_on_device : public tallies_on_device {
 protected:
  void expect_loops_of_segments(dtype type, std::int64_t segments, std::int64_t longest, int rate) {
    std::vector<std::int64_t> offsets{static_cast<std::int64_t>(rng() % 5)};
    for (std::int64_t i = 0; i < segments; ++i)
      offsets.push_back(offsets.back() + static_cast<std::int64_t>(rng() % static_cast<std::uint64_t>(longest + 1)));
    const std::int64_t elements = offsets.back() + 3;
    const auto bytes = testing_tallies::elements(type, elements, rate, rng);
    const device_array there(bytes), offsets_there(std::as_bytes(std::span(offsets)));
    const engine_traits gpu = cuda::device_traits();
    for (const op_kind op : ops) {
      for (const nan_policy nan : {nan_policy::propagate, nan_policy::omit}) {
        const reduction what = make_reduction(op, type, nan);
        cuda::stream stream;
        cuda::device_buffer results(segments * 8),
            workspace(cuda::segments_workspace_bytes(what, elements, segments, gpu));
        cuda::reduce_segments_async(what, there.data(), elements, {offsets_there.data(), dtype::i64, segments},
                                    results.data(), workspace.bytes(), gpu, stream.get());
        const auto how = cuda::segments_status_of(workspace.bytes(), segments, stream.get());
        ASSERT_EQ(how.worst, status::ok);
        ASSERT_FALSE(how.bad_offset);
        std::vector<std::byte> host(static_cast<std::size_t>(segments * item_bytes(what.result)));
        cuda::check(cudaMemcpy(host.data(), results.data(), host.size(), cudaMemcpyDeviceToHost));
        std::vector<std::int64_t> expected;
        for (std::size_t i = 0; i + 1 < offsets.size(); ++i) {
          const array_view each = make_view(nullptr, type, {offsets[i + 1] - offsets[i]});
          const std::byte* const from = bytes.data() + offsets[i] * item_bytes(type);
          expected.push_back(values(op, each, from, {0}, nan)[0]);
        }
        ASSERT_EQ(testing_tallies::numbers(op, host), expected) << name(op) << " of " << name(type);
      }
    }
  }
};

TEST_F(tallies_of_segments_on_device, of_every_dtype) {
  for (const dtype type : all_dtypes) {
    for (const int rate : rates) {
      ASSERT_NO_FATAL_FAILURE(expect_loops_of_segments(type, 3000, 20, rate));
      ASSERT_NO_FATAL_FAILURE(expect_loops_of_segments(type, 300, 1500, rate));
      ASSERT_NO_FATAL_FAILURE(expect_loops_of_segments(type, 7, 100000, rate));
    }
  }
}

class tallies_Sanitized : public tallies_of_segments_on_device {};

TEST_F(tallies_Sanitized, every_kernel) {
  for (const dtype type : {dtype::boolean, dtype::bf16, dtype::f32, dtype::u64}) {
    ASSERT_NO_FATAL_FAILURE(expect_loops(dense(type, {30001}), {0}, 2, {}, 1));
    ASSERT_NO_FATAL_FAILURE(expect_loops(dense(type, {900, 7}), {1}, -9, {}, 1));
    ASSERT_NO_FATAL_FAILURE(expect_loops(dense(type, {9, 1001}), {1}, 2, {}, 1));
    ASSERT_NO_FATAL_FAILURE(expect_loops(dense(type, {301, 33}), {0}, -9, {}, 1));
    ASSERT_NO_FATAL_FAILURE(expect_loops(dense(type, {3, 70, 5}), {1}, 2));
    random_view turned = dense(type, {6, 7, 80});
    turned.view.strides = {1, 480, 6};
    ASSERT_NO_FATAL_FAILURE(expect_loops(turned, {1}, 2));
    plan_options atomic;
    atomic.how = finish::atomic;
    atomic.parts = 5;
    ASSERT_NO_FATAL_FAILURE(expect_loops(dense(type, {20001}), {0}, 2, atomic));
    ASSERT_NO_FATAL_FAILURE(expect_loops_of_segments(type, 200, 20, 2));
    ASSERT_NO_FATAL_FAILURE(expect_loops_of_segments(type, 4, 5000, 2));
  }
}

}  // namespace
}  // namespace multifold::device_tests
