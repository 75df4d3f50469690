// Counts in device memory: one graph for all of them, whatever writes them.
#include <limits>

#include "graphs/device/problems.hpp"
#include "multifold/graphs/capture.hpp"
#include "multifold/graphs/graph.hpp"

namespace multifold::graphs_tests {
namespace {

using device_tests::run_interpreted;

class device_count : public device_tests::device_test {};

// A captured reduction of as many elements as a number on the device says.
struct counted_graph {
  counted_graph(const plan& p, const operands& data, void* results)
      : count(sizeof(std::int64_t)), workspace(p.workspace_bytes()) {
    graphs::capture_scope scope(stream.get());
    cuda::reduce_counted_async(p, data, reinterpret_cast<const std::int64_t*>(count.data()), results, workspace.bytes(),
                               stream.get());
    captured = std::make_unique<graphs::executable>(scope.end());
  }
  status run(std::int64_t elements) {
    cuda::check(cudaMemcpyAsync(count.data(), &elements, sizeof elements, cudaMemcpyHostToDevice, stream.get()));
    captured->launch(stream.get());
    return cuda::status_of(workspace.bytes(), stream.get());
  }
  cuda::stream stream;
  cuda::device_buffer count, workspace;
  std::unique_ptr<graphs::executable> captured;
};

TEST_F(device_count, decides_how_much_of_the_row_is_reduced) {
  random_engine rng(1);
  for (const problem& q : problems) {
    const plan p = q.made();
    if (p.form.results() > 1) continue;
    SCOPED_TRACE(explain(p));
    const drawn_arrays drawn(p, rng);
    const device_arrays on_device(drawn);
    const device_results results(p);
    counted_graph g(p, on_device.data(), results.data());
    const std::int64_t most = p.form.length;
    for (const std::int64_t n :
         {most, most - 1, most / 2, std::int64_t{4097}, std::int64_t{1}, std::int64_t{0}, most}) {
      results.forget();
      const status found = g.run(n);
      if (n == 0 && !has_identity(q.op)) {
        EXPECT_EQ(found, status::empty);
        continue;
      }
      ASSERT_EQ(found, status::ok) << n;
      ASSERT_EQ(results.read(), run_interpreted(resized(p, n), drawn.host())) << n << " elements";
    }
  }
}

TEST_F(device_count, that_is_out_of_range_is_noted_and_nothing_is_written) {
  random_engine rng(2);
  for (const problem& q : problems) {
    const plan p = q.made();
    if (p.form.results() > 1) continue;
    SCOPED_TRACE(explain(p));
    const drawn_arrays drawn(p, rng);
    const device_arrays on_device(drawn);
    const device_results results(p);
    const auto untouched = results.read();
    counted_graph g(p, on_device.data(), results.data());
    for (const std::int64_t n : {p.form.length + 1, std::int64_t{-1}, std::numeric_limits<std::int64_t>::min(),
                                 std::numeric_limits<std::int64_t>::max()}) {
      EXPECT_EQ(g.run(n), status::bad_count) << n;
      EXPECT_EQ(results.read(), untouched);
    }
    EXPECT_EQ(g.run(p.form.length), status::ok);
  }
}

// Needs no GPU.
TEST(counted_reductions, are_refused_where_there_is_no_single_row) {
  const auto counted = [](const problem& q) {
    const array_view view = make_view(nullptr, q.type, q.extents);
    const plan p = make_plan(make_reduction(q.op, q.type), normalise(view, q.axes, order_of(q.op)), {}, h200_traits());
    cuda::stream_queue queue(nullptr);
    cuda::reduce_counted_async(p, nullptr, nullptr, nullptr, {}, queue);
  };
  EXPECT_THROW(counted({op_kind::sum, dtype::f32, {10, 10}, {1}}), unsupported_error);
  EXPECT_THROW(counted({op_kind::sum, dtype::f32, {10, 10}, {0}}), unsupported_error);
  EXPECT_THROW(counted({op_kind::sum, dtype::f32, {10}, {0}}), shape_error);
}

}  // namespace
}  // namespace multifold::graphs_tests
