// Reductions inside somebody's capture: in every mode, in a child graph, with errors, beside other threads.
#include "multifold/graphs/capture.hpp"

#include <thread>

#include "graphs/device/problems.hpp"
#include "multifold/graphs/graph.hpp"

namespace multifold::graphs_tests {
namespace {

using device_tests::run_interpreted;

class capture : public device_tests::device_test {};

// The memory that a reduction and its relatives work in.
struct setting {
  explicit setting(const plan& p)
      : results(p), workspace(p.workspace_bytes()), accumulators(p.form.results() * accumulator_bytes(p.what)) {}
  device_results results;
  cuda::device_buffer workspace, accumulators;
};

// As reduce_async does it, or by an accumulator as streams do.
void enqueue(const plan& p, const operands& data, const setting& s, bool by_accumulators, cudaStream_t stream) {
  if (!by_accumulators) return cuda::reduce_async(p, data, s.results.data(), s.workspace.bytes(), stream);
  cuda::check(cudaMemsetAsync(s.workspace.data(), 0, 256, stream));
  cuda::fill_identity_async(p.what, s.accumulators.data(), p.form.results(), stream);
  cuda::accumulate_async(p, data, {s.accumulators.data(), 0, 0}, s.workspace.bytes(), stream);
  cuda::lower_async(p.what, s.accumulators.data(), p.form.results(), p.form.length, s.results.data(),
                    reinterpret_cast<std::uint32_t*>(s.workspace.data()), stream);
}

void expect_replays(cudaGraph_t g, const plan& p, cuda::device_buffer& x, cuda::device_buffer& y, const setting& s,
                    random_engine& rng) {
  cudaGraphExec_t exec = nullptr;
  cuda::check(cudaGraphInstantiate(&exec, g, 0));
  const cuda::stream stream;
  for (int i = 0; i < 2; ++i) {
    const drawn_arrays drawn(p, rng);
    cuda::check(cudaMemcpy(x.data(), drawn.x.data(), drawn.x.size(), cudaMemcpyHostToDevice));
    cuda::check(cudaMemcpy(y.data(), drawn.y.data(), drawn.y.size(), cudaMemcpyHostToDevice));
    s.results.forget();
    cuda::check(cudaGraphLaunch(exec, stream.get()));
    stream.synchronise();
    EXPECT_EQ(s.results.read(), run_interpreted(p, drawn.host()));
  }
  cuda::check(cudaGraphExecDestroy(exec));
}

TEST_F(capture, takes_every_reduction_in_every_mode_and_as_a_child_while_others_allocate) {
  random_engine rng(1);
  for (const auto mode :
       {cudaStreamCaptureModeThreadLocal, cudaStreamCaptureModeRelaxed, cudaStreamCaptureModeGlobal}) {
    for (const problem& q : problems) {
      for (const bool by_accumulators : {false, true}) {
        const plan p = q.made();
        SCOPED_TRACE(explain(p));
        const std::int64_t bytes = p.form.elements() * item_bytes(q.type);
        cuda::device_buffer x(bytes), y(bytes);
        const setting s(p);
        const cuda::stream stream;
        cuda::check(cudaStreamBeginCapture(stream.get(), mode));
        enqueue(p, {x.data(), y.data()}, s, by_accumulators, stream.get());
        if (mode != cudaStreamCaptureModeGlobal) {
          std::thread([] { EXPECT_NO_THROW(cuda::device_buffer(1 << 20)); }).join();
        }
        cudaGraph_t inner = nullptr;
        cuda::check(cudaStreamEndCapture(stream.get(), &inner));
        expect_replays(inner, p, x, y, s, rng);
        const graphs::graph outer;
        cudaGraphNode_t child = nullptr;
        cuda::check(cudaGraphAddChildGraphNode(&child, outer.get(), nullptr, 0, inner));
        expect_replays(outer.get(), p, x, y, s, rng);
        cuda::check(cudaGraphDestroy(inner));
      }
    }
  }
}

TEST_F(capture, ends_when_an_exception_passes) {
  const cuda::stream stream;
  EXPECT_THROW(
      {
        const graphs::capture_scope scope(stream.get());
        EXPECT_TRUE(graphs::is_being_captured(stream.get()));
        throw shape_error("on purpose");
      },
      shape_error);
  EXPECT_FALSE(graphs::is_being_captured(stream.get()));
  EXPECT_EQ(cudaStreamSynchronize(stream.get()), cudaSuccess);
}

TEST_F(capture, refuses_streams_that_cannot_be_captured_and_leaves_them_as_they_are) {
  EXPECT_THROW(graphs::capture_scope{nullptr}, unsupported_error);
  EXPECT_THROW(graphs::capture_scope{cudaStreamLegacy}, unsupported_error);
  const cuda::stream stream;
  graphs::capture_scope mine(stream.get());
  EXPECT_THROW(graphs::capture_scope{stream.get()}, unsupported_error);
  EXPECT_TRUE(graphs::is_being_captured(stream.get()));
  const graphs::graph g = mine.end();
  EXPECT_TRUE(graphs::topology_of(g.get()).nodes.empty());
}

TEST_F(capture, survives_errors_of_reductions) {
  const plan p = problem{op_kind::sum, dtype::f32, {100'000}, {0}}.made();
  cuda::device_buffer data(400'000), workspace(p.workspace_bytes());
  const device_results results(p);
  const cuda::stream stream;
  graphs::capture_scope scope(stream.get());
  EXPECT_THROW(cuda::reduce_async(p, data.data(), results.data(), workspace.bytes().first(16), stream.get()),
               shape_error);
  EXPECT_THROW(cuda::reduce_async(p, data.data() + 1, results.data(), workspace.bytes(), stream.get()), shape_error);
  EXPECT_TRUE(graphs::is_being_captured(stream.get()));
  cuda::reduce_async(p, data.data(), results.data(), workspace.bytes(), stream.get());
  EXPECT_TRUE(same_structure(graphs::topology_of(scope.end().get()), graphs::topology_of(p)));
}

}  // namespace
}  // namespace multifold::graphs_tests
