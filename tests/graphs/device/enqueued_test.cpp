// What the GPU engine enqueues, listed by a queue that runs nothing: it is what topology_of says. Needs no GPU.
#include <gtest/gtest.h>

#include <iterator>
#include <span>
#include <string>
#include <vector>

#include "multifold/cuda/reduce_async.hpp"
#include "multifold/error.hpp"
#include "multifold/graphs/topology.hpp"
#include "random_bits.hpp"

namespace multifold::graphs_tests {
namespace {

class listing_queue final : public cuda::work_queue {
 public:
  void launch(const cuda::kernel_work& work) override {
    graphs::node n;
    n.blocks = work.blocks;
    n.threads = work.threads;
    add(n);
    EXPECT_NE(work.function, nullptr);
    std::size_t bytes = 0;
    for (const std::size_t each : work.argument_bytes) bytes += each;
    EXPECT_LE(bytes, 4096u) << "kernels of older devices take no more";
  }
  void clear(void* data, std::size_t bytes) override {
    graphs::node n;
    n.kind = graphs::node_kind::memset;
    n.bytes = static_cast<std::int64_t>(bytes);
    add(n);
    EXPECT_NE(data, nullptr);
  }
  graphs::topology listed;

 private:
  void add(graphs::node& n) {
    if (!listed.nodes.empty()) n.after = {listed.nodes.size() - 1};
    listed.nodes.push_back(n);
  }
};

// Addresses that are not read.
const operands nowhere{reinterpret_cast<void*>(std::uintptr_t{1} << 40),
                       reinterpret_cast<void*>(std::uintptr_t{1} << 41)};

const std::int64_t unread_count = 0;

graphs::topology enqueued(const plan& p, const std::int64_t* count = nullptr) {
  listing_queue queue;
  auto* const space = reinterpret_cast<std::byte*>(std::uintptr_t{1} << 42);
  auto* const results = reinterpret_cast<void*>(std::uintptr_t{1} << 43);
  const std::span<std::byte> workspace{space, static_cast<std::size_t>(p.workspace_bytes())};
  if (count == nullptr) cuda::reduce_async(p, nowhere, results, workspace, queue);
  else cuda::reduce_counted_async(p, nowhere, count, results, workspace, queue);
  return queue.listed;
}

void expect_said(const plan& p) {
  SCOPED_TRACE(explain(p));
  const graphs::topology found = enqueued(p), said = graphs::topology_of(p);
  ASSERT_TRUE(same_structure(found, said)) << to_text(found) << to_text(said);
  for (std::size_t i = 0; i < said.nodes.size(); ++i) {
    if (said.nodes[i].kind != graphs::node_kind::memset) continue;
    ASSERT_EQ(found.nodes[i].bytes, said.nodes[i].bytes) << said.nodes[i].label;
  }
}

TEST(enqueued, is_what_the_topology_says) {
  test::random_bits random(1);
  std::vector<op_kind> ops(std::begin(all_ops), std::end(all_ops));
  ops.insert(ops.end(), {op_kind::dot, op_kind::cov});
  constexpr dtype types[] = {dtype::boolean, dtype::i8,   dtype::u16, dtype::i32, dtype::i64,
                             dtype::f16,     dtype::bf16, dtype::f32, dtype::f64};
  constexpr std::int64_t extents[] = {1, 2, 7, 33, 64, 1024, 20'000, 300'000, 1 << 22};
  int planned = 0, waiting = 0;
  for (int i = 0; i < 20000 && !::testing::Test::HasFailure(); ++i) {
    const op_kind op = ops[random() % ops.size()];
    const dtype type = types[random() % std::size(types)];
    std::vector<std::int64_t> shape(1 + random() % 3), axes;
    double elements = 1;
    for (std::int64_t& extent : shape) {
      extent = extents[random() % std::size(extents)];
      elements *= static_cast<double>(extent);
    }
    if (elements > 0x1p40) continue;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      if (random() % 2 == 0) axes.push_back(static_cast<std::int64_t>(axis));
    }
    plan_options forced;
    if (random() % 4 == 0) forced.how = static_cast<finish>(random() % 3);
    if (random() % 4 == 0) forced.passes = static_cast<int>(1 + random() % 3);
    if (random() % 8 == 0) forced.threads = 64;
    const auto nan = random() % 2 == 0 ? nan_policy::omit : nan_policy::propagate;
    const auto numerics = random() % 2 == 0 ? accuracy::exact : accuracy::fast;
    array_view view = make_view(nullptr, type, shape);
    if (random() % 2 == 0) view.strides = fortran_strides(shape);
    const batches form = normalise(view, axes, order_of(op));
    try {
      const plan p = make_plan(make_reduction(op, type, nan, numerics), form, forced, h200_traits());
      expect_said(p);
      ++planned;
      waiting += p.waiting_bytes > 0 ? 1 : 0;
    } catch (const unsupported_error&) {
      continue;  // what was forced cannot be
    }
  }
  EXPECT_GT(planned, 10000);
  EXPECT_GT(waiting, 300);
}

TEST(enqueued, stays_the_same_when_a_plan_is_resized) {
  const reduction kinds[] = {make_reduction(op_kind::sum, dtype::f64),   make_reduction(op_kind::sum, dtype::f32),
                             make_reduction(op_kind::mean, dtype::bf16), make_reduction(op_kind::sum, dtype::f16),
                             make_reduction(op_kind::max, dtype::i32),   make_reduction(op_kind::describe, dtype::f32),
                             make_reduction(op_kind::var, dtype::i16),   make_reduction(op_kind::dot, dtype::f64)};
  for (const reduction& what : kinds) {
    for (const std::int64_t most : {100, 5'000, 100'000, 3'000'000, 1 << 28}) {
      const batches form = normalise(make_view(nullptr, what.input, {most}), {0}, order_of(what.op));
      const plan whole = make_plan(what, form, {}, h200_traits());
      const graphs::topology t = enqueued(whole), counted = enqueued(whole, &unread_count);
      ASSERT_TRUE(same_structure(t, counted)) << to_text(counted);
      for (const std::int64_t length : {most - 1, most / 2, most / 1000 + 1, std::int64_t{1}, std::int64_t{0}}) {
        if (length == 0 && !has_identity(what.op)) continue;
        const plan smaller = resized(whole, length);
        ASSERT_LE(smaller.workspace_bytes(), whole.workspace_bytes());
        const graphs::topology found = enqueued(smaller);
        ASSERT_EQ(found.nodes.size(), t.nodes.size()) << explain(whole) << length;
        for (std::size_t i = 0; i < t.nodes.size(); ++i) ASSERT_EQ(found.nodes[i].kind, t.nodes[i].kind);
      }
    }
  }
}

// Of the workspace, a kernel takes what the plan has for it, or nothing is enqueued.
TEST(enqueued, is_nothing_of_a_plan_whose_accumulators_are_others) {
  for (const op_kind op : {op_kind::max, op_kind::sum}) {
    const batches form = normalise(make_view(nullptr, dtype::f64, {1 << 20}), {0}, order_of(op));
    plan p = make_plan(make_reduction(op, dtype::f64), form, {}, h200_traits());
    ASSERT_FALSE(enqueued(p).nodes.empty());
    p.accumulator_bytes += 8;
    EXPECT_THROW(enqueued(p), unsupported_error);
  }
}

}  // namespace
}  // namespace multifold::graphs_tests
