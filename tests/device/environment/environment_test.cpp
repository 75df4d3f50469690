// Functions that take an environment: whose memory they take, when they give it back, and what they write as a status.
// Also run on the simulated GPU.
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "device/environment/fixture.hpp"
#include "multifold/cuda/by_key.hpp"
#include "multifold/cuda/segments.hpp"
#include "multifold/error.hpp"

namespace multifold::device_tests {
namespace {

using cuda::environment;

TEST_F(device_environment, sums_are_those_of_a_workspace_of_one_s_own) {
  const auto* const x = on_device(tenths(3 << 16));
  const plan rows = plan_of(op_kind::sum, make_view(x, {3, 1 << 16}, place::device), {1});
  const cuda::device_buffer workspace(rows.workspace_bytes());
  cuda::reduce_async(rows, x, results(), workspace.bytes(), stream());
  const auto expected = found<float>(3);
  for (const cuda::memory_resource memory : {cuda::memory_resource{}, cuda::default_memory(), cuda::plain_memory()}) {
    cuda::check(cudaMemsetAsync(results(), poison, 12, stream()));
    poison_word();
    const environment env{stream(), memory, word()};
    cuda::reduce_async(rows, x, results(), env);
    EXPECT_EQ(cuda::status_of(env), status::ok);
    EXPECT_EQ(found<float>(3), expected);
  }
}

TEST_F(device_environment, memory_is_taken_once_and_given_back) {
  counting_resource memory;
  const environment env{stream(), memory.as_resource()};
  const auto* const x = on_device(tenths(1000));
  const plan p = plan_of(op_kind::sum, make_view(x, {1000}, place::device));
  cuda::reduce_async(p, x, results(), env);
  memory.expect_used_once(p.workspace_bytes(), stream());
  EXPECT_EQ(found<float>(1), std::vector<float>{100});

  const reduction what = make_reduction(op_kind::sum, dtype::f32);
  const engine_traits gpu = cuda::device_traits();
  const cuda::device_segments segments{on_device<std::int64_t>({0, 400, 1000}), dtype::i64, 2};
  cuda::reduce_segments_async(what, x, 1000, segments, results(), env);
  memory.expect_used_once(cuda::segments_workspace_bytes(what, 1000, 2, gpu), stream());
  EXPECT_EQ(found<float>(2), (std::vector<float>{40, 60}));

  std::vector<std::int32_t> keys(1000, 1);
  keys[7] = keys[999] = 0;
  const cuda::device_keys of{on_device(keys), dtype::i32, 2, false};
  cuda::reduce_by_key_async(what, x, 1000, of, results(), env);
  memory.expect_used_once(cuda::by_key_workspace_bytes(what, 1000, of, gpu), stream());
  EXPECT_EQ(found<float>(2), (std::vector<float>{0.2f, 99.8f}));
}

TEST_F(device_environment, chunks_are_merged_and_read_off) {
  const std::vector<std::int64_t> x{INT64_MAX, INT64_MAX, -INT64_MAX, 5};
  const auto* const there = on_device(x);
  const plan half = plan_of(op_kind::sum, make_view(there, {2}, place::device));
  counting_resource memory;
  const environment env{stream(), memory.as_resource(), word()};
  const cuda::device_buffer sums(accumulator_bytes(half.what));
  cuda::fill_identity_async(half.what, sums.data(), 1, env);
  EXPECT_TRUE(memory.given.empty());
  cuda::accumulate_async(half, there, {sums.data(), 0, 0}, env);
  memory.expect_used_once(half.workspace_bytes(), stream());
  EXPECT_EQ(cuda::status_of(env), status::ok);
  cuda::lower_async(half.what, sums.data(), 1, 2, results(), env);
  EXPECT_TRUE(memory.given.empty());
  EXPECT_EQ(cuda::status_of(env), status::overflow);
  cuda::accumulate_async(half, there + 2, {sums.data(), 0, 2}, env);
  memory.expect_used_once(half.workspace_bytes(), stream());
  cuda::lower_async(half.what, sums.data(), 1, 4, results(), env);
  EXPECT_EQ(cuda::status_of(env), status::overflow);
  cuda::accumulate_async(half, there + 2, {sums.data(), 0, 4}, env);
  memory.expect_used_once(half.workspace_bytes(), stream());
  cuda::lower_async(half.what, sums.data(), 1, 6, results(), env);
  EXPECT_EQ(cuda::status_of(env), status::ok);
  EXPECT_EQ(found<std::int64_t>(1), std::vector<std::int64_t>{10});
  // Without a word, one of the workspace is noted in, and no caller told.
  cuda::lower_async(half.what, sums.data(), 1, 6, results(), {stream(), memory.as_resource()});
  memory.expect_used_once(4, stream());
}

TEST_F(device_environment, plans_are_made_on_the_way) {
  const auto* const x = on_device(std::vector<float>{1, 2, 3, 4, 5, 6});
  const array_view table = make_view(x, {2, 3}, place::device);
  cuda::reduce_async(op_kind::sum, table, results(), {stream()});
  EXPECT_EQ(found<float>(1), std::vector<float>{21});
  cuda::reduce_async(op_kind::max, table, results(), {stream()}, {0});
  EXPECT_EQ(found<float>(3), (std::vector<float>{4, 5, 6}));
  EXPECT_THROW(cuda::reduce_async(op_kind::dot, table, results(), {stream()}), unsupported_error);
  EXPECT_THROW(cuda::reduce_async(op_kind::sum, table, results(), {stream()}, {2}), shape_error);
}

TEST_F(device_environment, the_status_is_what_only_the_device_sees) {
  const auto* const huge = on_device(std::vector<std::int64_t>(100, INT64_MAX));
  const plan sum = plan_of(op_kind::sum, make_view(huge, {100}, place::device));
  cuda::reduce_async(sum, huge, results(), with_word());
  EXPECT_EQ(cuda::status_of(with_word()), status::overflow);
  const auto* const x = on_device(tenths(10));
  cuda::reduce_async(plan_of(op_kind::sum, make_view(x, {10}, place::device)), x, results(), with_word());
  EXPECT_EQ(cuda::status_of(with_word()), status::ok);
}

TEST_F(device_environment, offsets_and_keys_that_do_not_fit_are_bad_counts) {
  const auto* const x = on_device(tenths(10));
  const reduction sum = make_reduction(op_kind::sum, dtype::f32), least = make_reduction(op_kind::min, dtype::f32);
  const auto segments = [&](const reduction& what, std::vector<std::int64_t> offsets) {
    poison_word();
    const cuda::device_segments of{on_device(offsets), dtype::i64, static_cast<std::int64_t>(offsets.size()) - 1};
    cuda::reduce_segments_async(what, x, 10, of, results(), with_word());
    return cuda::status_of(with_word());
  };
  EXPECT_EQ(segments(sum, {0, 3, 10}), status::ok);
  EXPECT_EQ(segments(sum, {0, 5, 3, 10}), status::bad_count);
  EXPECT_EQ(segments(sum, {0, 3, 11}), status::bad_count);
  EXPECT_EQ(segments(least, {0, 3, 3, 10}), status::empty);
  EXPECT_EQ(segments(sum, {0}), status::ok);

  const auto groups = [&](const reduction& what, std::vector<std::int32_t> keys, bool ascend = false) {
    poison_word();
    const cuda::device_keys of{on_device(keys), dtype::i32, 3, ascend};
    cuda::reduce_by_key_async(what, x, 10, of, results(), with_word());
    return cuda::status_of(with_word());
  };
  for (const reduction& what : {sum, least}) {
    EXPECT_EQ(groups(what, {2, 1, 0, 0, 1, 2, 2, 1, 0, 0}), status::ok);
    EXPECT_EQ(groups(what, {2, 1, 0, 3, 1, 2, 2, 1, 0, 0}), status::bad_count);
    EXPECT_EQ(groups(what, {0, 0, 1, 1, 1, 2, 2, 2, 2, 2}, true), status::ok);
    EXPECT_EQ(groups(what, {0, 0, 1, 0, 1, 2, 2, 2, 2, 2}, true), status::bad_count);
    EXPECT_EQ(groups(what, {0, 0, 1, 1, 1, 2, 2, 2, 2, -1}, true), status::bad_count);
  }
  EXPECT_EQ(groups(least, {2, 0, 0, 0, 0, 2, 2, 0, 0, 0}), status::empty);
  poison_word();
  cuda::reduce_by_key_async(sum, x, 0, {nullptr, dtype::i32, 0}, results(), with_word());
  EXPECT_EQ(cuda::status_of(with_word()), status::ok);
}

TEST_F(device_environment, no_results_are_fine_and_take_no_memory) {
  counting_resource memory;
  const environment env{stream(), memory.as_resource(), word()};
  const array_view none = make_view(static_cast<const float*>(nullptr), {0, 5}, place::device);
  cuda::reduce_async(plan_of(op_kind::sum, none, {1}), nullptr, nullptr, env);
  EXPECT_EQ(cuda::status_of(env), status::ok);
  EXPECT_TRUE(memory.given.empty());
}

TEST_F(device_environment, what_is_refused_leaves_no_memory_behind) {
  counting_resource memory;
  const environment env{stream(), memory.as_resource(), word()};
  const auto* const x = on_device(tenths(1000));
  const auto* const odd = reinterpret_cast<const float*>(reinterpret_cast<const char*>(x) + 1);
  const plan p = plan_of(op_kind::sum, make_view(x, {1000}, place::device));
  EXPECT_THROW(cuda::reduce_async(p, odd, results(), env), shape_error);
  EXPECT_EQ(memory.taken_back, static_cast<int>(memory.given.size()));
  memory = {};

  environment beside = env;
  beside.status = reinterpret_cast<std::uint32_t*>(word_.data() + 2);
  EXPECT_THROW(cuda::reduce_async(p, x, results(), beside), shape_error);
  EXPECT_TRUE(memory.given.empty());
  EXPECT_THROW(cuda::status_of({stream()}), shape_error);

  memory.fails = true;
  EXPECT_THROW(cuda::reduce_async(p, x, results(), env), std::runtime_error);
  memory.fails = false;
  memory.gives_nothing = true;
  EXPECT_THROW(cuda::reduce_async(p, x, results(), env), out_of_memory);
  cuda::memory_resource one_way = memory.as_resource();
  one_way.deallocate = nullptr;
  EXPECT_THROW(cuda::reduce_async(p, x, results(), {stream(), one_way}), shape_error);
  EXPECT_EQ(memory.taken_back, 0);
}

TEST_F(device_environment, memory_that_is_not_there_is_named) {
  for (const cuda::memory_resource memory : {cuda::default_memory(), cuda::plain_memory()}) {
    try {
      const cuda::stream_workspace impossible(std::int64_t{1} << 50, {stream(), memory});
      FAIL() << "a PiB was allocated";
    } catch (const out_of_memory& e) {
      EXPECT_NE(std::string(e.what()).find("1125899906842624 bytes"), std::string::npos) << e.what();
    }
  }
}

}  // namespace
}  // namespace multifold::device_tests
