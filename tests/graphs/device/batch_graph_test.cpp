// Many reductions as one graph: each gives what it gives alone, and one memset serves all.
#include "multifold/graphs/batch_graph.hpp"
#include "graphs/device/problems.hpp"
#include "multifold/error.hpp"

namespace multifold::graphs_tests {
namespace {

using device_tests::run_interpreted;
using graphs::batch_graph;
using graphs::batch_item;

class batch_graph_on_device : public device_tests::device_test {};

TEST_F(batch_graph_on_device, gives_every_result_however_many_branches_there_are) {
  random_engine rng(1);
  std::vector<std::unique_ptr<drawn_arrays>> drawn;
  std::vector<std::unique_ptr<device_arrays>> on_device;
  std::vector<std::unique_ptr<device_results>> results;
  std::vector<batch_item> items;
  for (const problem& q : problems) {
    const plan p = q.made();
    drawn.push_back(std::make_unique<drawn_arrays>(p, rng));
    on_device.push_back(std::make_unique<device_arrays>(*drawn.back()));
    results.push_back(std::make_unique<device_results>(p));
    items.push_back({p, on_device.back()->data(), results.back()->data()});
  }
  const cuda::stream stream;
  for (const int branches : {1, 3, 100}) {
    const batch_graph g(items, branches);
    for (int turn = 0; turn < 2; ++turn) {
      for (const auto& r : results) r->forget();
      g.launch(stream.get());
      for (std::size_t i = 0; i < items.size(); ++i) {
        SCOPED_TRACE(explain(items[i].p));
        ASSERT_EQ(g.status_of(i, stream.get()), status::ok);
        ASSERT_EQ(results[i]->read(), run_interpreted(items[i].p, drawn[i]->host())) << branches << " branches";
      }
    }
    int memsets = 0;
    const graphs::topology made = g.driver_topology();
    for (const graphs::node& n : made.nodes) memsets += n.kind == graphs::node_kind::memset;
    EXPECT_EQ(memsets, 1);
  }
}

TEST_F(batch_graph_on_device, of_nothing_does_nothing) {
  const cuda::stream stream;
  const batch_graph g({}, 4);
  g.launch(stream.get());
  EXPECT_TRUE(g.driver_topology().nodes.empty());
  EXPECT_THROW(batch_graph({}, 0), shape_error);
}

}  // namespace
}  // namespace multifold::graphs_tests
