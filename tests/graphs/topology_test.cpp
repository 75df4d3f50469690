// What the GPU engine makes of plans, node by node; and topologies compared.
#include "multifold/graphs/topology.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "graphs/chains.hpp"
#include "multifold/error.hpp"

namespace multifold::graphs_tests {
namespace {

using graphs::same_structure;
using graphs::topology_of;

TEST(topology, of_exact_sums_of_long_rows) {
  EXPECT_EQ(chain_of(plan_of(op_kind::sum, dtype::f32, {huge})),
            "memset claims | bin_rows 264 x 512 | bin_parts 1 x 512");
  EXPECT_EQ(chain_of(plan_of(op_kind::mean, dtype::bf16, {huge})),
            "memset claims | bin_rows 264 x 512 | bin_parts 1 x 512");
  EXPECT_EQ(chain_of(plan_of(op_kind::sum, dtype::f64, {huge})),
            "memset sums, arrivals, marks, claims | pair_rows 264 x 512 | wide_rows 132 x 192");
}

TEST(topology, of_exact_sums_that_one_wave_reads) {
  EXPECT_EQ(chain_of(plan_of(op_kind::sum, dtype::f32, {10})), "block_sums 1 x 32");
  EXPECT_EQ(chain_of(plan_of(op_kind::sum, dtype::f64, {1 << 16})), "block_sums 64 x 256 | block_parts 1 x 256");
  plan_options last;
  last.how = finish::last_block;
  EXPECT_EQ(chain_of(plan_of(op_kind::sum, dtype::f64, {1 << 16}, {0}, last)), "memset arrivals | block_sums 64 x 256");
}

TEST(topology, of_exact_sums_that_may_be_added_again) {
  EXPECT_EQ(chain_of(plan_of(op_kind::sum, dtype::f64, {1 << 24, 16}, {1})),
            "memset status | memset lost batches | tile_sums 396 x 256 | sum_groups 1452 x 32");
  // Tiles lose none of the narrow elements of whole batches.
  EXPECT_EQ(chain_of(plan_of(op_kind::sum, dtype::f32, {1 << 24, 16}, {1})), "memset status | tiles 396 x 256");
  EXPECT_EQ(chain_of(plan_of(op_kind::sum, dtype::f32, {1 << 20, 24}, {0})),
            "memset status | memset lost batches, arrivals | part_lanes 396 x 256 | sum_groups 3168 x 32");
  plan_options forced;
  forced.threads = 512;
  EXPECT_EQ(chain_of(plan_of(op_kind::sum, dtype::f32, {10}, {0}, forced)),
            "memset lost batches | block_rows 1 x 512 | sum_groups 1 x 32");
  // Pairs always hold sums of f16.
  EXPECT_EQ(chain_of(plan_of(op_kind::sum, dtype::f16, {1 << 20, 24}, {0})),
            "memset status | tiles 330 x 256 | tiles 12 x 256");
}

TEST(topology, follows_the_finish) {
  const auto finished = [](finish how) {
    plan_options forced;
    forced.how = how;
    return chain_of(plan_of(op_kind::sum, dtype::i32, {huge}, {0}, forced));
  };
  EXPECT_EQ(finished(finish::last_block), "memset arrivals | block_rows 528 x 512");
  EXPECT_EQ(finished(finish::next_pass), "block_rows 528 x 512 | partials 1 x 512");
  EXPECT_EQ(finished(finish::atomic), "memset arrivals | fill_identity 1 x 256 | block_rows 528 x 512");
}

TEST(topology, follows_the_number_of_passes) {
  plan_options forced;
  forced.passes = 3;
  EXPECT_EQ(chain_of(plan_of(op_kind::sum, dtype::i32, {huge}, {0}, forced)),
            "block_rows 528 x 512 | partials 22 x 512 | partials 1 x 512");
  EXPECT_EQ(chain_of(plan_of(op_kind::max, dtype::i32, {10})), "block_rows 1 x 32");
}

TEST(topology, of_moments_is_rows_or_tiles_and_another_look) {
  const std::string rows = "memset lost batches, arrivals, sums, arrivals | part_sums 396 x 256";
  EXPECT_EQ(chain_of(plan_of(op_kind::describe, dtype::f32, {huge})), rows + " | moment_groups 2244 x 32");
  EXPECT_EQ(chain_of(plan_of(op_kind::dot, dtype::f64, {huge})), rows + " | moment_groups 792 x 32");
  EXPECT_EQ(chain_of(plan_of(op_kind::norm2, dtype::f32, {1 << 21})), rows + " | moment_groups 2048 x 32");
  EXPECT_EQ(chain_of(plan_of(op_kind::dot, dtype::f32, {100'000, 1000}, {1})),
            "memset status | memset lost batches | part_sums 396 x 256 | moment_groups 4224 x 32");
  EXPECT_EQ(chain_of(plan_of(op_kind::describe, dtype::f32, {1000, 100}, {1})),
            "memset status | memset lost batches | tiles 14 x 256 | moment_groups 500 x 32");
}

TEST(topology, of_results_that_wait_ends_with_their_way_into_place) {
  array_view view = make_view(nullptr, dtype::i8, {2395, 15, 22285});
  view.strides = {15, 1, 2395 * 15};
  const auto planned = [&](op_kind op) {
    return make_plan(make_reduction(op, dtype::i8), normalise(view, {1}, order_of(op)), {}, h200_traits());
  };
  EXPECT_EQ(chain_of(planned(op_kind::min)), "memset status | tiles 396 x 256 | place_results 3325 x 256");
  EXPECT_EQ(chain_of(planned(op_kind::norm2)),
            "memset status | memset lost batches | tiles 396 x 256 | moment_groups 1056 x 256 | "
            "place_results 26486 x 256");
  const graphs::node last = topology_of(planned(op_kind::min)).nodes.back();
  EXPECT_EQ(last.bytes, std::int64_t{2395} * 22285);
  EXPECT_EQ(last.shape, "tiles of 128 x 128");
  plan in_place = planned(op_kind::min);
  in_place.waiting_bytes = 0;
  EXPECT_EQ(chain_of(in_place), "memset status | tiles 396 x 256");
}

TEST(topology, says_what_a_pass_reads) {
  plan_options forced;
  forced.passes = 2;
  const plan p = plan_of(op_kind::max, dtype::i32, {4, 1 << 28}, {1}, forced);
  const graphs::topology t = topology_of(p);
  ASSERT_EQ(chain_of(p), "memset status | block_rows 528 x 512 | partials 4 x 512");
  EXPECT_EQ(t.title, "max of i32 on NVIDIA H200");
  EXPECT_EQ(t.nodes[0].bytes, 4);
  EXPECT_EQ(t.nodes[1].bytes, std::int64_t{1} << 32);
  EXPECT_EQ(t.nodes[1].shape, "(4, 268435456) -> (4 x 132, 2039808)");
  EXPECT_EQ(t.nodes[2].bytes, 4 * 132 * p.accumulator_bytes);
  EXPECT_EQ(t.nodes[2].shape, "(4, 132) -> (4 x 1, 132)");
  // Both arrays.
  EXPECT_EQ(topology_of(plan_of(op_kind::dot, dtype::f32, {huge})).nodes[1].bytes, huge * 8);
}

TEST(topology, of_no_results_is_empty) {
  EXPECT_TRUE(topology_of(plan_of(op_kind::sum, dtype::f32, {0, 7}, {1})).nodes.empty());
  EXPECT_FALSE(topology_of(plan_of(op_kind::sum, dtype::f32, {7, 0}, {1})).nodes.empty());
}

TEST(topology, of_a_plan_for_the_host_is_refused) {
  EXPECT_THROW(topology_of(plan_of(op_kind::sum, dtype::f32, {huge}, {0}, {}, engine_traits{})), unsupported_error);
}

TEST(same_structure, is_kinds_grids_and_edges) {
  const graphs::topology made = topology_of(plan_of(op_kind::sum, dtype::f64, {1 << 24, 64}, {1}));
  EXPECT_TRUE(same_structure(made, made));
  EXPECT_TRUE(same_structure({}, {}));
  EXPECT_FALSE(same_structure(made, {}));

  graphs::topology renamed = made;
  renamed.title = "";
  for (graphs::node& n : renamed.nodes) n.label = n.shape = "", n.bytes = 0;
  EXPECT_TRUE(same_structure(made, renamed));

  const auto differs_if = [&made](auto change) {
    graphs::topology other = made;
    change(other.nodes[2]);
    return !same_structure(made, other) && !same_structure(other, made);
  };
  EXPECT_TRUE(differs_if([](graphs::node& n) { n.kind = graphs::node_kind::memset; }));
  EXPECT_TRUE(differs_if([](graphs::node& n) { n.blocks += 1; }));
  EXPECT_TRUE(differs_if([](graphs::node& n) { n.threads += 32; }));
  EXPECT_TRUE(differs_if([](graphs::node& n) { n.after = {0}; }));
  EXPECT_TRUE(differs_if([](graphs::node& n) { n.body = {graphs::node{}}; }));
}

}  // namespace
}  // namespace multifold::graphs_tests
