// Pointers that would end a kernel, and the CUDA context with it, are refused before anything is enqueued. Needs no
// GPU.
#include <gtest/gtest.h>

#include "multifold/cuda/fold.cuh"
#include "multifold/cuda/reduce_async.hpp"
#include "multifold/error.hpp"

namespace multifold::graphs_tests {
namespace {

class counting_queue final : public cuda::work_queue {
 public:
  void launch(const cuda::kernel_work&) override { ++items; }
  void clear(void*, std::size_t) override { ++items; }
  int items = 0;
};

// An address that is not read, a multiple of 256 and `off`.
template <class T = void>
T* at(std::uintptr_t off = 0) {
  return reinterpret_cast<T*>((std::uintptr_t{1} << 40) + off);
}

plan plan_of(op_kind op, dtype type, std::vector<std::int64_t> extents = {100, 3000},
             const std::vector<std::int64_t>& axes = {1}) {
  return make_plan(make_reduction(op, type),
                   normalise(make_view(nullptr, type, std::move(extents)), axes, order_of(op)), {}, h200_traits());
}

std::span<std::byte> workspace_of(const plan& p, std::byte* from = at<std::byte>()) {
  return {from, static_cast<std::size_t>(p.workspace_bytes())};
}

struct kind {
  op_kind op;
  dtype type;
  std::uintptr_t item, result, accumulator;  // alignments
};

constexpr kind kinds[] = {{op_kind::sum, dtype::f32, 4, 4, 8},     {op_kind::sum, dtype::i8, 1, 8, 16},
                          {op_kind::max, dtype::f64, 8, 8, 8},     {op_kind::argmin, dtype::f32, 4, 8, 8},
                          {op_kind::mean, dtype::bf16, 2, 2, 8},   {op_kind::dot, dtype::f32, 4, 4, 8},
                          {op_kind::describe, dtype::f32, 4, 8, 8}};

TEST(addresses, of_reductions_are_checked) {
  for (const kind& k : kinds) {
    const plan p = plan_of(k.op, k.type);
    SCOPED_TRACE(explain(p));
    const std::span<std::byte> space = workspace_of(p);
    counting_queue queue;
    const auto refused = [&](const operands& data, void* results, std::span<std::byte> workspace) {
      EXPECT_THROW(cuda::reduce_async(p, data, results, workspace, queue), shape_error);
    };
    const operands good{at(), at()};
    for (std::uintptr_t off = 1; off < k.result; off *= 2) refused(good, at(off), space);
    for (std::uintptr_t off = 1; off < k.item; off *= 2) refused({at(off), at()}, at(), space);
    refused(good, nullptr, space);
    refused({nullptr, at()}, at(), space);
    if (takes_two_arrays(k.op)) {
      refused({at(), nullptr}, at(), space);
      refused({at(), at(1)}, at(), space);
    }
    refused(good, at(), {});
    refused(good, at(), space.first(space.size() - 1));
    refused(good, at(), workspace_of(p, at<std::byte>(128)));
    refused(good, at(), workspace_of(p, nullptr));
    EXPECT_EQ(queue.items, 0);
    EXPECT_NO_THROW(cuda::reduce_async(p, good, at(k.result), space, queue));
    EXPECT_GT(queue.items, 0);
  }
}

TEST(addresses, of_counts_are_checked) {
  const plan p = plan_of(op_kind::sum, dtype::f32, {3000}, {0});
  counting_queue queue;
  for (const std::int64_t* const count : {static_cast<std::int64_t*>(nullptr), at<std::int64_t>(4)}) {
    EXPECT_THROW(cuda::reduce_counted_async(p, at(), count, at(), workspace_of(p), queue), shape_error);
  }
  EXPECT_THROW(cuda::reduce_counted_async(p, at(), at<std::int64_t>(), at(2), workspace_of(p), queue), shape_error);
  EXPECT_EQ(queue.items, 0);
}

TEST(addresses, of_accumulators_are_checked) {
  for (const kind& k : kinds) {
    const plan p = plan_of(k.op, k.type);
    SCOPED_TRACE(explain(p));
    counting_queue queue;
    const operands good{at(), at()};
    auto* const word = at<std::uint32_t>();
    for (void* const wrong : {static_cast<void*>(nullptr), at(k.accumulator / 2), at(1)}) {
      EXPECT_THROW(cuda::fill_identity_async(p.what, wrong, 100, queue), shape_error);
      EXPECT_THROW(cuda::accumulate_async(p, good, {wrong, 0, 0}, workspace_of(p), queue), shape_error);
      EXPECT_THROW(cuda::lower_async(p.what, wrong, 100, 3000, at(), word, queue), shape_error);
    }
    EXPECT_THROW(cuda::accumulate_async(p, nullptr, {at(), 0, 0}, workspace_of(p), queue), shape_error);
    EXPECT_THROW(cuda::lower_async(p.what, at(), 100, 3000, nullptr, word, queue), shape_error);
    if (k.result > 1) {
      EXPECT_THROW(cuda::lower_async(p.what, at(), 100, 3000, at(k.result / 2), word, queue), shape_error);
    }
    EXPECT_THROW(cuda::lower_async(p.what, at(), 100, 3000, at(), nullptr, queue), shape_error);
    EXPECT_THROW(cuda::lower_async(p.what, at(), 100, 3000, at(), at<std::uint32_t>(2), queue), shape_error);
    EXPECT_EQ(queue.items, 0);
    EXPECT_NO_THROW(cuda::fill_identity_async(p.what, at(k.accumulator), 100, queue));
    EXPECT_NO_THROW(cuda::accumulate_async(p, good, {at(k.accumulator), 0, 0}, workspace_of(p), queue));
    EXPECT_NO_THROW(cuda::lower_async(p.what, at(k.accumulator), 100, 3000, at(k.result), word, queue));
  }
}

struct sum_of_squares {
  using value_type = float;
  using accumulator = double;
  MULTIFOLD_HD double identity() const { return 0; }
  MULTIFOLD_HD double lift(float x, std::int64_t) const { return double{x} * x; }
  MULTIFOLD_HD double combine(double a, double b) const { return a + b; }
  MULTIFOLD_HD double lower(double sum, std::int64_t) const { return sum; }
};

TEST(addresses, of_operations_of_the_user_s_own_are_checked) {
  const sum_of_squares op;
  const plan p =
      cuda::make_fold_plan(op, make_view(at<const float>(), {100, 3000}, place::device), {1}, {}, h200_traits());
  const auto refused = [&](const float* data, double* results) {
    EXPECT_THROW(cuda::fold_async(p, op, data, results, workspace_of(p), nullptr), shape_error);
  };
  refused(nullptr, at<double>());
  refused(at<const float>(2), at<double>());
  refused(at<const float>(), nullptr);
  refused(at<const float>(), at<double>(4));
}

}  // namespace
}  // namespace multifold::graphs_tests
