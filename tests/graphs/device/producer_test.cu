// Everything that takes a stream begins after what is on it: arrays are written late, by a kernel that spins.
#include <functional>
#include <memory>

#include "device/device_producer.cuh"
#include "graphs/device/problems.hpp"
#include "multifold/cuda/event.hpp"
#include "multifold/cuda/fold.cuh"
#include "multifold/graphs/batch_graph.hpp"
#include "multifold/graphs/capture.hpp"
#include "multifold/graphs/graph.hpp"
#include "multifold/graphs/graph_cache.hpp"
#include "multifold/graphs/pass_graph.hpp"
#include "multifold/graphs/stream_graph.hpp"

namespace multifold::graphs_tests {
namespace {

using device_tests::late_bytes;
using device_tests::run_interpreted;
using std::chrono::milliseconds;

constexpr milliseconds none{0}, long_time{30};

class producers : public device_tests::device_test {};

// Both arrays of a problem, in one kind of memory.
template <class Memory>
struct late_arrays {
  late_arrays(const plan& p, const drawn_arrays& drawn)
      : bytes(p.form.elements() * item_bytes(p.what.input)),
        x(bytes),
        y(bytes),
        late_x(drawn.x, x.bytes()),
        late_y(drawn.y, y.bytes()) {}
  void forget() const {
    late_x.forget();
    late_y.forget();
  }
  void write(cudaStream_t stream, milliseconds delay) const {
    late_x.write(stream, delay);
    late_y.write(stream, none);
  }
  operands data() const { return {x.data(), y.data()}; }

  std::int64_t bytes;
  Memory x, y;
  late_bytes late_x, late_y;
};

// Work for a stream.
using enqueued = std::function<void(cudaStream_t)>;

// `prepare` makes work of a plan, arrays and a place for results. The work is put behind a producer, and returns while
// that is still at it. The first round loads kernels, which may wait for the device.
template <class Prepare>
void expect_behind_producers(const Prepare& prepare) {
  random_engine rng(1);
  for (const problem& q : problems) {
    const plan p = q.made();
    SCOPED_TRACE(explain(p));
    const drawn_arrays drawn(p, rng);
    const std::vector<std::byte> expected = run_interpreted(p, drawn.host());
    const late_arrays<cuda::device_buffer> arrays(p, drawn);
    const device_results results(p);
    const cuda::stream stream;
    const enqueued work = prepare(p, arrays.data(), results.data());
    for (const milliseconds delay : {none, long_time}) {
      results.forget();
      arrays.forget();
      arrays.write(stream.get(), delay);
      work(stream.get());
      if (delay > none) {
        const cudaError_t found = cudaStreamQuery(stream.get());
        cuda::forget(found);
        EXPECT_EQ(found, cudaErrorNotReady) << "the call has waited";
      }
      stream.synchronise();
      EXPECT_EQ(results.read(), expected);
    }
  }
}

TEST_F(producers, come_before_reductions) {
  expect_behind_producers([](const plan& p, const operands& data, void* results) -> enqueued {
    const auto workspace = std::make_shared<cuda::device_buffer>(p.workspace_bytes());
    return [=](cudaStream_t stream) { cuda::reduce_async(p, data, results, workspace->bytes(), stream); };
  });
}

TEST_F(producers, come_before_accumulators) {
  expect_behind_producers([](const plan& p, const operands& data, void* results) -> enqueued {
    const auto workspace = std::make_shared<cuda::device_buffer>(p.workspace_bytes());
    const auto sums = std::make_shared<cuda::device_buffer>(p.form.results() * accumulator_bytes(p.what));
    return [=](cudaStream_t stream) {
      cuda::check(cudaMemsetAsync(workspace->data(), 0, 256, stream));
      cuda::fill_identity_async(p.what, sums->data(), p.form.results(), stream);
      cuda::accumulate_async(p, data, {sums->data(), 0, 0}, workspace->bytes(), stream);
      cuda::lower_async(p.what, sums->data(), p.form.results(), p.form.length, results,
                        reinterpret_cast<std::uint32_t*>(workspace->data()), stream);
    };
  });
}

TEST_F(producers, come_before_graphs_of_passes) {
  expect_behind_producers([](const plan& p, const operands& data, void* results) -> enqueued {
    const auto g = std::make_shared<graphs::pass_graph>(p, data, results);
    return [=](cudaStream_t stream) { g->launch(stream); };
  });
}

TEST_F(producers, come_before_graphs_of_batches) {
  expect_behind_producers([](const plan& p, const operands& data, void* results) -> enqueued {
    const auto g = std::make_shared<graphs::batch_graph>(std::vector<graphs::batch_item>{{p, data, results}});
    return [=](cudaStream_t stream) { g->launch(stream); };
  });
}

TEST_F(producers, come_before_what_was_captured) {
  expect_behind_producers([](const plan& p, const operands& data, void* results) -> enqueued {
    const auto workspace = std::make_shared<cuda::device_buffer>(p.workspace_bytes());
    const cuda::stream captured;
    graphs::capture_scope scope(captured.get());
    cuda::reduce_async(p, data, results, workspace->bytes(), captured.get());
    const auto g = std::make_shared<graphs::executable>(scope.end());
    return [=](cudaStream_t stream) { static_cast<void>(workspace), g->launch(stream); };
  });
}

TEST_F(producers, write_counts_too) {
  random_engine rng(2);
  const std::int64_t most = 200'003, few = 1'001;
  const plan p = problem{op_kind::sum, dtype::f32, {most}, {0}}.made();
  const drawn_arrays drawn(p, rng);
  const late_arrays<cuda::device_buffer> arrays(p, drawn);
  const device_results results(p);
  const cuda::device_buffer count(sizeof few), workspace(p.workspace_bytes());
  const late_bytes late_count(std::as_bytes(std::span(&few, 1)), count.bytes());
  const cuda::stream stream;
  for (const milliseconds delay : {none, long_time}) {
    results.forget();
    arrays.forget();
    late_count.forget();
    arrays.write(stream.get(), delay);
    late_count.write(stream.get(), none);
    cuda::reduce_counted_async(p, arrays.data(), reinterpret_cast<const std::int64_t*>(count.data()), results.data(),
                               workspace.bytes(), stream.get());
    EXPECT_EQ(cuda::status_of(workspace.bytes(), stream.get()), status::ok);
    EXPECT_EQ(results.read(), run_interpreted(resized(p, few), drawn.host()));
  }
}

TEST_F(producers, that_are_at_work_are_no_error) {
  const float one = 1;
  const cuda::device_buffer x(sizeof one);
  const late_bytes late(std::as_bytes(std::span(&one, 1)), x.bytes());
  const cuda::stream stream;
  const cuda::event event;
  late.forget();
  late.write(stream.get(), long_time);
  event.record(stream.get());
  EXPECT_FALSE(event.is_done());
  EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess);
  event.synchronise();
  EXPECT_TRUE(event.is_done());
}

struct sum_of_squares {
  using value_type = float;
  using accumulator = double;
  MULTIFOLD_HD double identity() const { return 0; }
  MULTIFOLD_HD double lift(float x, std::int64_t) const { return double{x} * x; }
  MULTIFOLD_HD double combine(double a, double b) const { return a + b; }
  MULTIFOLD_HD double lower(double sum, std::int64_t) const { return sum; }
};

TEST_F(producers, come_before_operations_of_the_user_s_own) {
  const std::int64_t length = 1 << 20;
  const std::vector<float> x(length, 0.5f);
  const cuda::device_buffer data(length * 4), results(sizeof(double));
  const late_bytes late(std::as_bytes(std::span(x)), data.bytes());
  const auto* const first = reinterpret_cast<const float*>(data.data());
  const plan p = cuda::make_fold_plan(sum_of_squares{}, make_view(first, {length}, place::device), {0});
  const cuda::device_buffer workspace(p.workspace_bytes());
  const cuda::stream stream;
  for (const milliseconds delay : {none, long_time}) {
    late.forget();
    late.write(stream.get(), delay);
    cuda::fold_async(p, sum_of_squares{}, first, reinterpret_cast<double*>(results.data()), workspace.bytes(),
                     stream.get());
    double found = 0;
    cuda::check(cudaMemcpyAsync(&found, results.data(), sizeof found, cudaMemcpyDeviceToHost, stream.get()));
    stream.synchronise();
    EXPECT_EQ(found, length / 4);
  }
}

TEST_F(producers, come_before_graphs_that_are_kept) {
  random_engine rng(3);
  graphs::graph_cache cache;
  for (const problem& q : problems) {
    const plan p = q.made();
    SCOPED_TRACE(explain(p));
    const drawn_arrays drawn(p, rng);
    const std::vector<std::byte> expected = run_interpreted(p, drawn.host());
    const late_arrays<cuda::device_buffer> arrays(p, drawn);
    const cuda::stream own;
    // Seen; made; launched again; and behind the default stream.
    for (const cudaStream_t stream : {own.get(), own.get(), own.get(), cudaStream_t{cudaStreamLegacy}}) {
      std::vector<std::byte> found(expected.size(), std::byte{device_tests::poison});
      arrays.forget();
      arrays.write(stream, long_time);
      const bool ran = stream == own.get() ? cache.run(p, arrays.data(), found.data(), stream)
                                           : cache.run(p, arrays.data(), found.data());
      if (ran) {
        EXPECT_EQ(found, expected);
      }
      cuda::check(cudaDeviceSynchronize());
    }
  }
}

TEST_F(producers, come_before_graphs_of_copies) {
  random_engine rng(4);
  for (const problem& q : problems) {
    const plan p = q.made();
    if (p.form.results() > 1) continue;
    SCOPED_TRACE(explain(p));
    const drawn_arrays drawn(p, rng);
    const late_arrays<cuda::pinned_buffer> arrays(p, drawn);
    const cuda::stream stream;
    graphs::stream_graph g(p.what, p.form.length, {.chunk_bytes = 100'000});
    for (const milliseconds delay : {none, long_time}) {
      std::vector<std::byte> found(static_cast<std::size_t>(result_bytes(p.what)));
      arrays.forget();
      arrays.write(stream.get(), delay);
      g.run(arrays.data(), p.form.length, found.data(), stream.get());
      if (p.what.numerics == accuracy::fast && is_floating(q.type)) continue;  // rounded by chunks
      EXPECT_EQ(found, run_interpreted(p, drawn.host()));
    }
  }
}

TEST_F(producers, that_are_being_captured_are_refused_and_left_alone) {
  const plan p = problem{op_kind::sum, dtype::f32, {200'003}, {0}}.made();
  const cuda::device_buffer x(200'003 * 4);
  const cuda::pinned_buffer pinned(200'003 * 4);
  graphs::graph_cache cache;
  graphs::stream_graph copies(p.what, 200'003);
  float found = 0;
  const cuda::stream stream;
  graphs::capture_scope scope(stream.get());
  EXPECT_THROW(cache.run(p, x.data(), &found, stream.get()), unsupported_error);
  EXPECT_THROW(copies.run(pinned.data(), 200'003, &found, stream.get()), unsupported_error);
  EXPECT_TRUE(graphs::is_being_captured(stream.get()));
  EXPECT_TRUE(graphs::topology_of(scope.end().get()).nodes.empty());
}

}  // namespace
}  // namespace multifold::graphs_tests
