// Groups on the GPU: each has the bits of the reduction of its elements alone, in whatever order keys come.
#include "multifold/cuda/by_key.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <vector>

#include "device/keys/call.hpp"
#include "device/keys/fixture.hpp"

namespace multifold::device_tests {
namespace {

constexpr op_kind every_op[] = {
    op_kind::sum,    op_kind::mean,  op_kind::prod,     op_kind::min,   op_kind::max, op_kind::argmin,
    op_kind::argmax, op_kind::norm1, op_kind::sumsq,    op_kind::norm2, op_kind::var, op_kind::std,
    op_kind::dot,    op_kind::cov,   op_kind::describe, op_kind::any,   op_kind::all, op_kind::count_nonzero};

TEST_F(by_key_on_device, every_operation_of_every_dtype) {
  for (const dtype type : all_dtypes) {
    for (const op_kind op : every_op) {
      for (const pattern kind : {pattern::any, pattern::ascending}) {
        const std::int64_t count = 1 + static_cast<std::int64_t>(rng() % 6000);
        key_case c = make_keys(kind, count, 1 + static_cast<std::int64_t>(rng() % 300), rng);
        if (!has_identity(op)) c = without_empty_groups(c);
        const auto x = elements_of(type, count, op, rng), y = elements_of(type, count, op, rng);
        ASSERT_NO_FATAL_FAILURE(expect_groups(make_reduction(op, type), c, x, y));
      }
    }
  }
}

class SanitizedByKey : public by_key_on_device {};

TEST_F(SanitizedByKey, of_every_length_number_and_order) {
  for (const std::int64_t count : {0, 1, 2, 33, 2047, 2048, 2049, 9000}) {
    for (const std::int64_t groups : {1, 2, 255, 257, 4000}) {
      for (const pattern kind : all_patterns) {
        for (const op_kind op : {op_kind::sum, op_kind::argmax, op_kind::describe}) {
          const dtype type = op == op_kind::sum ? dtype::f32 : dtype::i8;
          key_case c = make_keys(kind, count, groups, rng);
          if (!has_identity(op)) c = without_empty_groups(c);
          if (op == op_kind::describe && groups > 300) continue;
          const auto x = elements_of(type, count, op, rng);
          ASSERT_NO_FATAL_FAILURE(expect_groups(make_reduction(op, type), c, x, x));
        }
      }
    }
  }
}

TEST_F(SanitizedByKey, bad_keys_are_told_and_harm_nothing) {
  constexpr std::int64_t count = 30000, groups = 900;
  const auto x = random_elements(dtype::f32, count, op_kind::sum, rng);
  const device_array there(x);
  const std::int64_t wrong[] = {-1, groups, INT32_MAX, INT32_MIN, std::int64_t{1} << 32, INT64_MAX, INT64_MIN};
  for (const bool ascend : {true, false}) {
    for (const dtype type : {dtype::i32, dtype::i64}) {
      for (const std::int64_t at : {std::int64_t{0}, std::int64_t{2048}, std::int64_t{12345}, count - 1}) {
        for (int i = 0; i < (type == dtype::i32 ? 4 : 7); ++i) {
          key_case c = make_keys(ascend ? pattern::ascending : pattern::any, count, groups, rng);
          c.keys[static_cast<std::size_t>(at)] = wrong[i];
          for (auto later = static_cast<std::size_t>(at); later < c.keys.size(); later += 777) {
            c.keys[later] = wrong[rng() % 4];
          }
          const device_array keys = keys_there(c.keys, type);
          for (const op_kind op : {op_kind::sum, op_kind::argmin}) {
            const outcome got =
                run(make_reduction(op, dtype::f32), there.data(), count, {keys.data(), type, groups, ascend});
            ASSERT_EQ(got.how.bad_key, at) << "key " << wrong[i] << " of " << name(type);
          }
        }
      }
    }
  }
  const device_array keys = keys_there(make_keys(pattern::any, count, groups, rng).keys, dtype::i32);
  EXPECT_EQ(
      run(make_reduction(op_kind::sum, dtype::f32), there.data(), count, {keys.data(), dtype::i32, 0}).how.bad_key, 0);
}

TEST_F(SanitizedByKey, keys_that_fall_are_told_where_they_were_said_to_ascend) {
  constexpr std::int64_t count = 10000, groups = 3000;
  const auto x = random_elements(dtype::f32, count, op_kind::sum, rng);
  const device_array there(x);
  for (const std::int64_t at : {1, 2047, 2048, 2049, 9999}) {
    key_case c = make_keys(pattern::ascending, count, groups, rng);
    c.keys[static_cast<std::size_t>(at - 1)] = groups - 1;
    c.keys[static_cast<std::size_t>(at)] = groups - 2;
    const device_array keys = keys_there(c.keys, dtype::i64);
    const reduction what = make_reduction(op_kind::sum, dtype::f32);
    const outcome got = run(what, there.data(), count, {keys.data(), dtype::i64, groups, true});
    EXPECT_FALSE(got.how.ascend) << "key " << at;
    EXPECT_FALSE(got.how.bad_key);
    ASSERT_NO_FATAL_FAILURE(expect_groups(what, c, x, x));
  }
}

TEST_F(by_key_on_device, the_first_group_without_elements_is_told) {
  constexpr std::int64_t count = 20000;
  const auto x = random_elements(dtype::i32, count, op_kind::max, rng);
  const device_array there(x);
  for (const std::int64_t empty : {0, 1, 77, 498, 499}) {
    for (const bool ascend : {true, false}) {
      key_case c = make_keys(ascend ? pattern::ascending : pattern::any, count, 500, rng);
      for (std::int64_t& key : c.keys) {
        if (key == empty) key = empty < 499 ? empty + 1 : 498;
      }
      const device_array keys = keys_there(c.keys, dtype::i32);
      for (const op_kind op : {op_kind::max, op_kind::argmax, op_kind::sum}) {
        const outcome got =
            run(make_reduction(op, dtype::i32), there.data(), count, {keys.data(), dtype::i32, c.groups, ascend});
        EXPECT_EQ(got.how.empty_group, empty);
        EXPECT_EQ(got.how.worst, op == op_kind::sum ? status::ok : status::empty);
      }
    }
  }
}

TEST_F(by_key_on_device, long_arrays_in_any_order_have_the_bits_of_sorted_ones) {
  constexpr std::int64_t count = 3'000'000;
  for (const std::int64_t groups : {3, 1000, 20'000, 1'000'000}) {
    for (const op_kind op : {op_kind::sum, op_kind::describe, op_kind::dot}) {
      const key_case c = make_keys(pattern::any, count, groups, rng);
      const auto x = exact_elements(dtype::f32, count, data_family::lognormal, rng);
      std::vector<std::int64_t> order(count);
      std::iota(order.begin(), order.end(), 0);
      std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
        return c.keys[static_cast<std::size_t>(a)] < c.keys[static_cast<std::size_t>(b)];
      });
      std::vector<std::byte> sorted(x.size());
      std::vector<std::int64_t> sorted_keys(count);
      for (std::size_t i = 0; i < order.size(); ++i) {
        std::memcpy(sorted.data() + i * 4, x.data() + order[i] * 4, 4);
        sorted_keys[i] = c.keys[static_cast<std::size_t>(order[i])];
      }
      const reduction what = make_reduction(op, dtype::f32);
      const device_array first(x), second(sorted), keys = keys_there(c.keys, dtype::i32),
                                                   ascending = keys_there(sorted_keys, dtype::i64);
      outcome any = run(what, {first.data(), first.data()}, count, {keys.data(), dtype::i32, groups, false});
      outcome inside = run(what, {second.data(), second.data()}, count, {ascending.data(), dtype::i64, groups, true});
      ASSERT_TRUE(any.how.worst == status::ok && inside.how.worst == status::ok && inside.how.ascend);
      if (op == op_kind::describe) {
        for (std::int64_t g = 0; g < groups; ++g) {
          auto* const each = reinterpret_cast<summary*>(inside.results.data()) + g;
          for (std::int64_t* const at : {&each->argmin, &each->argmax}) {
            if (*at >= 0) *at = order[static_cast<std::size_t>(*at)];
          }
        }
      }
      EXPECT_TRUE(any.results == inside.results) << name(op) << " of " << groups << " groups";
    }
  }
}

TEST_F(by_key_on_device, positions_of_other_dtypes) {
  const key_case c = without_empty_groups(make_keys(pattern::any, 5000, 20, rng));
  const auto x = elements_of(dtype::f64, c.count(), op_kind::argmin, rng);
  for (const dtype type : {dtype::i16, dtype::u32, dtype::u64}) {
    reduction what = make_reduction(op_kind::argmin, dtype::f64);
    what.result = type;
    ASSERT_NO_FATAL_FAILURE(expect_groups(what, c, x, x));
  }
  reduction what = make_reduction(op_kind::argmin, dtype::f64);
  what.result = dtype::u8;
  const device_array there(x), keys = keys_there(c.keys, dtype::i32);
  EXPECT_EQ(run(what, there.data(), c.count(), {keys.data(), dtype::i32, c.groups}).how.worst, status::overflow);
}

// As elements of more than 2^32 have them.
TEST_F(by_key_on_device, numbers_of_64_bits) {
  constexpr std::int64_t count = 5000;
  const key_case c{std::vector<std::int64_t>(count, 0), 1};
  const device_array keys = keys_there(c.keys, dtype::i32);
  const cuda::device_buffer numbers(count * 8), report(256), out(count * 2);
  const cuda::stream stream;
  cuda::stream_queue queue(stream.get());
  const engine_traits gpu = cuda::device_traits();
  const cuda::keys::element_numbers order{numbers.data(), true};
  cuda::keys::check_keys({keys.data(), false, count, 1}, nullptr, order,
                         reinterpret_cast<cuda::keys::key_report*>(report.data()), gpu, queue);
  std::vector<std::int64_t> found(count);
  cuda::check(cudaStreamSynchronize(stream.get()));
  cuda::check(cudaMemcpy(found.data(), numbers.data(), count * 8, cudaMemcpyDeviceToHost));
  for (std::int64_t i = 0; i < count; ++i) ASSERT_EQ(found[static_cast<std::size_t>(i)], i);
  std::reverse(found.begin(), found.end());
  const device_array reversed(std::as_bytes(std::span(found)));
  std::vector<std::uint16_t> x(count), y(count);
  for (auto& each : x) each = static_cast<std::uint16_t>(rng());
  const device_array there(std::as_bytes(std::span(x)));
  const cuda::keys::element_numbers backwards{const_cast<void*>(reversed.data()), true};
  cuda::keys::gather(there.data(), backwards, out.data(), 2, count, gpu, queue);
  const std::vector<std::int64_t> offsets{0, count}, inside{7};
  const device_array offsets_there(std::as_bytes(std::span(offsets))), inside_there(std::as_bytes(std::span(inside)));
  const cuda::device_buffer position(8);
  cuda::keys::put_positions({static_cast<const std::int64_t*>(offsets_there.data()), backwards, 1},
                            static_cast<const std::int64_t*>(inside_there.data()), position.data(), dtype::i64, nullptr,
                            gpu, queue);
  cuda::check(cudaStreamSynchronize(stream.get()));
  cuda::check(cudaMemcpy(y.data(), out.data(), count * 2, cudaMemcpyDeviceToHost));
  std::reverse(y.begin(), y.end());
  EXPECT_EQ(x, y);
  std::int64_t place = 0;
  cuda::check(cudaMemcpy(&place, position.data(), 8, cudaMemcpyDeviceToHost));
  EXPECT_EQ(place, count - 1 - 7);
}

TEST_F(by_key_on_device, in_a_graph) {
  const engine_traits gpu = cuda::device_traits();
  const key_case c = make_keys(pattern::any, 200'000, 700, rng);
  const auto x = exact_elements(dtype::f32, c.count(), data_family::normal, rng);
  const device_array there(x), keys = keys_there(c.keys, dtype::i64);
  const reduction what = make_reduction(op_kind::describe, dtype::f32);
  const cuda::device_keys of{keys.data(), dtype::i64, c.groups};
  const outcome wanted = run(what, there.data(), c.count(), of);
  const cuda::stream stream;
  const poisoned_results results(c.groups * result_bytes(what), stream.get());
  const cuda::device_buffer workspace(cuda::by_key_workspace_bytes(what, c.count(), of, gpu));
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t ready = nullptr;
  cuda::check(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeThreadLocal));
  cuda::reduce_by_key_async(what, there.data(), c.count(), of, results.data(), workspace.bytes(), gpu, stream.get());
  cuda::check(cudaStreamEndCapture(stream.get(), &graph));
  cuda::check(cudaGraphInstantiate(&ready, graph, 0));
  for (int i = 0; i < 2; ++i) cuda::check(cudaGraphLaunch(ready, stream.get()));
  EXPECT_EQ(cuda::by_key_status_of(workspace.bytes(), c.count(), of, stream.get()).worst, status::ok);
  EXPECT_TRUE(results.read() == wanted.results);
  cudaGraphExecDestroy(ready);
  cudaGraphDestroy(graph);
}

TEST_F(by_key_on_device, refusals) {
  const engine_traits gpu = cuda::device_traits();
  const reduction what = make_reduction(op_kind::sum, dtype::f32);
  const cuda::device_buffer memory(4096);
  const auto call = [&](const void* x, cuda::device_keys of, void* results, std::span<std::byte> workspace) {
    cuda::reduce_by_key_async(what, x, 10, of, results, workspace, gpu, cudaStreamPerThread);
  };
  std::byte* const at = memory.data();
  const cuda::device_keys of{at, dtype::i32, 3};
  const cuda::device_buffer enough(cuda::by_key_workspace_bytes(what, 10, of, gpu));
  EXPECT_THROW(call(nullptr, of, at, enough.bytes()), shape_error);
  EXPECT_THROW(call(at + 1, of, at, enough.bytes()), shape_error);
  EXPECT_THROW(call(at, of, nullptr, enough.bytes()), shape_error);
  EXPECT_THROW(call(at, of, at, enough.bytes().first(static_cast<std::size_t>(enough.size()) - 1)), shape_error);
  EXPECT_THROW(call(at, {at + 2, dtype::i32, 3}, at, enough.bytes()), shape_error);
  EXPECT_THROW(call(at, {at, dtype::i32, -1}, at, enough.bytes()), shape_error);
  EXPECT_THROW(call(at, {at, dtype::u32, 3}, at, enough.bytes()), unsupported_error);
  EXPECT_THROW(call(at, {at, dtype::i32, (std::int64_t{1} << 31) + 1}, at, enough.bytes()), unsupported_error);
}

}  // namespace
}  // namespace multifold::device_tests
