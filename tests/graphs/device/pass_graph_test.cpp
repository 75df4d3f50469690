// Graphs of passes: the same nodes whatever makes them, the same results as the plan, over whatever arrays they are set
// to.
#include "multifold/graphs/pass_graph.hpp"

#include <optional>
#include <thread>
#include <utility>

#include "graphs/device/problems.hpp"
#include "multifold/cuda/event.hpp"

namespace multifold::graphs_tests {
namespace {

using device_tests::run_interpreted;
using graphs::build;
using graphs::pass_graph;

class pass_graph_on_device : public device_tests::device_test {};

TEST_F(pass_graph_on_device, has_the_nodes_that_the_plan_says_however_it_is_made) {
  random_engine rng(1);
  for (const problem& q : problems) {
    const plan p = q.made();
    SCOPED_TRACE(explain(p));
    const drawn_arrays drawn(p, rng);
    const device_arrays on_device(drawn);
    const device_results results(p);
    const pass_graph made(p, on_device.data(), results.data(), build::nodes);
    const pass_graph captured(p, on_device.data(), results.data(), build::capture);
    const graphs::topology said = graphs::topology_of(p), found = made.driver_topology();
    EXPECT_TRUE(same_structure(found, said)) << to_text(found) << to_text(said);
    EXPECT_TRUE(same_structure(graphs::driver_topology_of(p), said));
    EXPECT_TRUE(same_structure(captured.driver_topology(), said)) << to_text(captured.driver_topology());
    for (std::size_t i = 0; i < said.nodes.size(); ++i) {
      const graphs::node& mine = said.nodes[i];
      const graphs::node& theirs = found.nodes[i];
      if (mine.kind == graphs::node_kind::kernel) {
        EXPECT_EQ(theirs.label, mine.label);
      } else {
        EXPECT_EQ(theirs.bytes, mine.bytes) << mine.label;
      }
    }
  }
}

TEST_F(pass_graph_on_device, gives_the_plan_s_results_again_and_over_other_arrays) {
  random_engine rng(2);
  const cuda::stream stream;
  for (const build how : {build::nodes, build::capture}) {
    for (const problem& q : problems) {
      const plan p = q.made();
      SCOPED_TRACE(explain(p));
      const drawn_arrays first(p, rng), second(p, rng);
      const device_arrays first_there(first), second_there(second);
      const device_results results(p), others(p);
      pass_graph g(p, first_there.data(), results.data(), how);
      g.upload(stream.get());
      for (int i = 0; i < 2; ++i) {
        results.forget();
        g.launch(stream.get());
        ASSERT_EQ(g.status_of(stream.get()), status::ok);
        ASSERT_EQ(results.read(), run_interpreted(p, first.host()));
      }
      g.rebind(second_there.data(), others.data());
      g.launch(stream.get());
      ASSERT_EQ(others.read(), run_interpreted(p, second.host()));
      ASSERT_EQ(results.read(), run_interpreted(p, first.host()));
      const std::int64_t set = g.nodes_set();
      g.rebind(second_there.data(), others.data());
      ASSERT_EQ(g.nodes_set(), set) << "nothing had changed";
    }
  }
}

TEST_F(pass_graph_on_device, follows_arrays_to_other_alignments) {
  random_engine rng(3);
  const cuda::stream stream;
  for (const problem& q : problems) {
    const plan p = q.made();
    SCOPED_TRACE(explain(p));
    const drawn_arrays drawn(p, rng);
    const device_arrays aligned(drawn);
    const device_array x(drawn.x, item_bytes(q.type)), y(drawn.y, 3 * item_bytes(q.type));
    const device_results results(p);
    pass_graph g(p, aligned.data(), results.data());
    g.rebind({x.data(), y.data()}, results.data());
    g.launch(stream.get());
    ASSERT_EQ(results.read(), run_interpreted(p, drawn.host()));
  }
}

TEST_F(pass_graph_on_device, is_resized_within_its_capacity) {
  random_engine rng(4);
  const cuda::stream stream;
  for (const problem& q : problems) {
    const plan p = q.made();
    if (p.form.results() > 1) continue;
    SCOPED_TRACE(explain(p));
    const drawn_arrays drawn(p, rng);
    const device_arrays on_device(drawn);
    const device_results results(p);
    pass_graph g(p, on_device.data(), results.data());
    const std::int64_t most = p.form.length;
    for (const std::int64_t length : {most - 1, most / 2, std::int64_t{4097}, std::int64_t{1}, std::int64_t{0}, most}) {
      if (length == 0 && !has_identity(q.op)) {
        EXPECT_THROW(g.resize(length), shape_error);
        continue;
      }
      g.resize(length);
      results.forget();
      g.launch(stream.get());
      ASSERT_EQ(g.status_of(stream.get()), status::ok);
      ASSERT_EQ(results.read(), run_interpreted(g.current(), drawn.host())) << length << " elements";
    }
    EXPECT_THROW(g.resize(most + 1), shape_error);
    results.forget();
    g.launch(stream.get());
    ASSERT_EQ(results.read(), run_interpreted(p, drawn.host())) << "after an error the graph is as it was";
  }
}

TEST_F(pass_graph_on_device, is_copied_moved_and_destroyed_while_it_runs) {
  random_engine rng(5);
  const plan p = problem{op_kind::sum, dtype::f32, {1 << 24}, {0}}.made();
  const drawn_arrays drawn(p, rng);
  const device_arrays on_device(drawn);
  const auto expected = run_interpreted(p, drawn.host());
  const cuda::stream one, two, three;
  const device_results a(p), b(p), c(p);
  {
    pass_graph first(p, on_device.data(), a.data());
    pass_graph second(first);
    second.rebind(on_device.data(), b.data());
    for (int i = 0; i < 20; ++i) {
      first.launch(one.get());
      second.launch(two.get());
    }
    pass_graph moved(std::move(first));
    EXPECT_THROW(first.launch(one.get()), unsupported_error);  // NOLINT: on purpose
    moved.launch(one.get());
    second = moved;
    second.rebind(on_device.data(), c.data());
    second.launch(three.get());
    moved = pass_graph(second);
  }
  EXPECT_EQ(a.read(), expected);
  EXPECT_EQ(b.read(), expected);
  EXPECT_EQ(c.read(), expected);
}

TEST_F(pass_graph_on_device, names_memory_that_it_cannot_use) {
  const plan p = problem{op_kind::sum, dtype::f32, {100'000}, {0}}.made();
  std::vector<float> pageable(100'000, 1.0f);
  cuda::device_buffer data(400'000), small(p.workspace_bytes() - 256), space(p.workspace_bytes() + 256);
  const device_results results(p);
  EXPECT_THROW(pass_graph(p, pageable.data(), results.data()), unsupported_error);
  EXPECT_THROW(pass_graph(p, data.data(), pageable.data()), unsupported_error);
  EXPECT_THROW(pass_graph(p, data.data(), results.data(), small.bytes()), shape_error);
  EXPECT_THROW(pass_graph(p, data.data(), results.data(), space.bytes().subspan(64)), shape_error);
  EXPECT_THROW(pass_graph(p, data.data(), results.data(), std::span<std::byte>{}), shape_error);
  EXPECT_THROW(pass_graph(p, data.data() + 2, results.data()), shape_error);
  pass_graph g(p, data.data(), results.data(), space.bytes());
  EXPECT_THROW(g.rebind(pageable.data(), results.data()), unsupported_error);
  EXPECT_THROW(g.rebind(data.data() + 2, results.data()), shape_error);
  EXPECT_THROW(
      pass_graph(problem{op_kind::sum, dtype::f32, {100, 100}, {1}}.made(), data.data(), results.data()).resize(10),
      unsupported_error);
}

TEST_F(pass_graph_on_device, keeps_no_memory_when_it_is_gone) {
  const plan p = problem{op_kind::sum, dtype::f32, {100'000}, {0}, accuracy::fast, in_passes(2)}.made();
  cuda::device_buffer data(400'000);
  cuda::check(cudaMemset(data.data(), 0, 400'000));
  const device_results results(p);
  const cuda::stream stream;
  const auto cycles = [&](int count) {
    for (int i = 0; i < count; ++i) pass_graph(p, data.data(), results.data()).launch(stream.get());
    stream.synchronise();
    std::size_t free = 0, total = 0;
    cuda::check(cudaMemGetInfo(&free, &total));
    return free;
  };
  cycles(1000);
  const std::size_t before = cycles(1000);
  EXPECT_GE(cycles(100'000) + (std::size_t{4} << 20), before);
}

// For compute-sanitizer.
class SanitizedPassGraph : public device_tests::device_test {};

TEST_F(SanitizedPassGraph, of_every_kind) {
  random_engine rng(6);
  const cuda::stream stream;
  for (problem q : problems) {
    if (q.extents.size() == 1) q.extents[0] = std::min<std::int64_t>(q.extents[0], 150'001);
    const plan p = q.made();
    SCOPED_TRACE(explain(p));
    const drawn_arrays drawn(p, rng);
    const device_arrays on_device(drawn);
    const device_results results(p);
    pass_graph g(p, on_device.data(), results.data(), q.type == dtype::f32 ? build::capture : build::nodes);
    g.launch(stream.get());
    ASSERT_EQ(results.read(), run_interpreted(p, drawn.host()));
    if (p.form.results() > 1) continue;
    g.resize(p.form.length / 3);
    g.launch(stream.get());
    ASSERT_EQ(results.read(), run_interpreted(g.current(), drawn.host()));
  }
}

}  // namespace
}  // namespace multifold::graphs_tests
