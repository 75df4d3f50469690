// Pinned arrays through combs: the same results as the interpreter, whatever the chunks.
#include "multifold/graphs/stream_graph.hpp"

#include <initializer_list>
#include <utility>

#include "graphs/device/problems.hpp"

namespace multifold::graphs_tests {
namespace {

using device_tests::run_interpreted;
using graphs::stream_graph;

class stream_graph_on_device : public device_tests::device_test {};

// A pinned copy.
struct pinned_array {
  explicit pinned_array(const std::vector<std::byte>& bytes) : memory(static_cast<std::int64_t>(bytes.size())) {
    std::memcpy(memory.data(), bytes.data(), bytes.size());
  }
  cuda::pinned_buffer memory;
};

TEST_F(stream_graph_on_device, gives_the_plan_s_results_for_every_length) {
  random_engine rng(1);
  for (const problem& q : problems) {
    if (q.extents.size() > 1 || q.numerics == accuracy::fast) continue;
    const plan p = q.made();
    SCOPED_TRACE(explain(p));
    const drawn_arrays drawn(p, rng);
    const pinned_array x(drawn.x), y(drawn.y);
    const std::int64_t most = p.form.length;
    for (const auto& [chunk_bytes, copies] : std::initializer_list<std::pair<std::int64_t, int>>{
             {4096, 1}, {4096, 3}, {100'000, 1}, {30'000, 4}, {1 << 24, 4}}) {
      stream_graph g(p.what, most, {.chunk_bytes = chunk_bytes, .copies = copies, .slots = 3, .chunks = 8});
      for (const std::int64_t count : {most, most / 2 + 1, std::int64_t{1}, std::int64_t{0}, most}) {
        std::vector<std::byte> result(static_cast<std::size_t>(result_bytes(p.what)), std::byte{0});
        if (count == 0 && !has_identity(q.op)) {
          EXPECT_THROW(g.run({x.memory.data(), y.memory.data()}, count, result.data()), shape_error);
          continue;
        }
        g.run({x.memory.data(), y.memory.data()}, count, result.data());
        ASSERT_EQ(result, run_interpreted(resized(p, count), drawn.host()))
            << count << " in chunks of " << chunk_bytes << ", " << copies << " a reduction";
      }
    }
  }
}

TEST_F(stream_graph_on_device, is_a_comb) {
  const reduction what = make_reduction(op_kind::sum, dtype::i32);
  const cuda::pinned_buffer array(12 * 4096);
  std::memset(array.data(), 0, 12 * 4096);
  for (const int each : {1, 3}) {
    stream_graph g(what, 12 * 1024, {.chunk_bytes = 4096, .copies = each, .slots = 2, .chunks = 12});
    EXPECT_THROW(g.driver_topology(), unsupported_error);
    std::int64_t sum = 1;
    g.run(array.data(), 12 * 1024, &sum);
    EXPECT_EQ(sum, 0);
    const graphs::topology t = g.driver_topology();
    int copies = 0;
    for (const graphs::node& n : t.nodes) {
      if (n.kind != graphs::node_kind::memcpy) continue;
      // The first waits for nothing, others for the one before them, and the first into a slot for that as well.
      const bool takes_slot = copies >= 2 * each && copies % each == 0;
      EXPECT_EQ(n.after.size(), copies == 0 ? 0u : takes_slot ? 2u : 1u) << copies;
      EXPECT_EQ(n.bytes, 4096);
      ++copies;
    }
    EXPECT_EQ(copies, 12);
  }
}

TEST_F(stream_graph_on_device, names_what_it_cannot_read) {
  const reduction what = make_reduction(op_kind::sum, dtype::f32);
  std::vector<float> pageable(1000, 1.0f);
  const cuda::pinned_buffer array(4000);
  stream_graph g(what, 2000);
  float sum = 0;
  EXPECT_THROW(g.run(pageable.data(), 1000, &sum), unsupported_error);
  EXPECT_THROW(g.run(array.data(), 2001, &sum), shape_error);
  EXPECT_THROW(g.run(array.data(), -1, &sum), shape_error);
  EXPECT_THROW(stream_graph(what, 0), shape_error);
  EXPECT_THROW(stream_graph(what, 10, {.slots = 1}), shape_error);
  EXPECT_THROW(stream_graph(what, 10, {.copies = 0}), shape_error);
  EXPECT_EQ(sum, 0.0f);
}

}  // namespace
}  // namespace multifold::graphs_tests
