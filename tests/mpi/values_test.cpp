// Reductions over ranks have the bits of one process, however the elements are cut.
#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "ranks.hpp"

namespace multifold {
namespace {

template <class T>
struct mpi_reals : testing::Test {};
using reals = testing::Types<float, double>;
TYPED_TEST_SUITE(mpi_reals, reals);

TYPED_TEST(mpi_reals, wild_sums_have_the_bits_of_one_process) {
  for (const std::size_t count : {0, 1, 3, 997, 20'000}) {
    const auto x = wild<TypeParam>(count);
    for (const op_kind op : {op_kind::sum, op_kind::mean}) {
      const reduce_result whole = reduce(op, x);
      for (const cut& c : cuts(static_cast<std::int64_t>(count))) {
        const reduce_result made = reduce(op, part_of(x, c), MPI_COMM_WORLD);
        EXPECT_EQ(made.data, whole.data);
        EXPECT_EQ(made.type, whole.type);
        EXPECT_EQ(made.count, static_cast<std::int64_t>(count));
      }
    }
  }
}

TYPED_TEST(mpi_reals, states_are_the_state_of_the_whole) {
  const auto x = wild<TypeParam>(997);
  const state whole = reduce_to_state(op_kind::var, x);
  for (const cut& c : cuts(997)) {
    EXPECT_EQ(allreduce(reduce_to_state(op_kind::var, part_of(x, c)), MPI_COMM_WORLD).bytes(), whole.bytes());
    const state made = allreduce([&] { return reduce_to_state(op_kind::var, part_of(x, c)); }, MPI_COMM_WORLD);
    EXPECT_EQ(made.bytes(), whole.bytes());
  }
}

TYPED_TEST(mpi_reals, running_sums_get_the_elements_of_all_ranks) {
  const auto x = wild<TypeParam>(997);
  for (const cut& c : cuts(997)) {
    running<TypeParam> total;
    total.add(part_of(x, c));
    allreduce(total, MPI_COMM_WORLD);
    EXPECT_EQ(total.count(), 997);
    EXPECT_EQ(total.save(), reduce_to_state(op_kind::sum, x).bytes());
    EXPECT_EQ(total.sum(), sum(x));
  }
}

// Every operation that has a state, against that of the whole array; all that a description holds among them.
template <class T>
void every_operation(const std::vector<T>& x, const std::vector<T>& y, const reduce_options& options) {
  std::vector<op_kind> ops(std::begin(all_ops), std::end(all_ops));
  ops.push_back(op_kind::describe);
  const auto all = cuts(static_cast<std::int64_t>(x.size()));
  for (const op_kind op : ops) {
    if (op == op_kind::prod && is_floating(dtype_of<T>)) continue;
    const reduce_result whole = reduce(op, x, options);
    for (const cut& c : all) {
      const reduce_result made = reduce(op, part_of(x, c), MPI_COMM_WORLD, options);
      EXPECT_EQ(made.data, whole.data) << name(op);
    }
  }
  for (const op_kind op : two_array_ops) {
    const reduce_result whole = reduce(op, x, y, options);
    for (const cut& c : all) {
      EXPECT_EQ(reduce(op, part_of(x, c), part_of(y, c), MPI_COMM_WORLD, options).data, whole.data) << name(op);
    }
  }
}

TEST(mpi_values, every_exact_operation) {
  every_operation(small<std::int32_t>(41), small<std::int32_t>(41, 8), {});
  every_operation(wild<float>(97), wild<float>(97, 5), {});
  auto holes = small<double>(50);
  holes[3] = holes[20] = holes[49] = std::numeric_limits<double>::quiet_NaN();
  every_operation(holes, small<double>(50, 9), {});
  every_operation(holes, small<double>(50, 9), {.nan = nan_policy::omit});
}

TEST(mpi_values, indices_count_over_the_ranks) {
  std::vector<float> x(1000, 1.0f);
  for (const std::size_t at : {0, 499, 500, 999}) {
    x[at] = 7;
    for (const cut& c : cuts(1000)) {
      EXPECT_EQ(reduce(op_kind::argmax, part_of(x, c), MPI_COMM_WORLD).value<std::int64_t>(), argmax(x));
    }
    x[at] = 1;
  }
}

// (6, 31, 17) cut along each of its axes, with every set of reduced axes that this axis is the slowest of.
TEST(mpi_values, axes) {
  const std::vector<std::int64_t> extents{6, 31, 17};
  const auto x = small<double>(6 * 31 * 17);
  const array_view whole = make_view(x.data(), extents);
  for (const std::vector<std::int64_t>& axes : {std::vector<std::int64_t>{0}, {1}, {2}, {0, 1}, {1, -1}, {0, 2}}) {
    const auto along = static_cast<std::size_t>(axes[0]);
    for (const op_kind op : {op_kind::sum, op_kind::max, op_kind::argmax, op_kind::std, op_kind::describe}) {
      const reduce_options options{
          .axes = axes, .keepdims = axes.size() == 2, .correction = op == op_kind::std ? 1 : 0};
      const reduce_result expected = reduce(op, whole, options);
      for (const cut& c : cuts(extents[along])) {
        array_view mine = whole;
        mine.data = x.data() + part_of(c).first * whole.strides[along];
        mine.extents[along] = part_of(c).count;
        const reduce_result made = reduce(op, mine, MPI_COMM_WORLD, options);
        EXPECT_EQ(made.extents, expected.extents);
        EXPECT_EQ(made.data, expected.data) << name(op) << " over " << to_string(axes);
      }
    }
  }
}

TEST(mpi_values, options_of_the_end) {
  const auto x = small<std::int32_t>(100);
  const auto mine = part_of(x, cuts(100)[0]);
  initial_value thousand;
  thousand.given = thousand.integer = true;
  thousand.integer_value = 1000;
  std::int64_t into = 0;
  const reduce_result placed =
      reduce(op_kind::sum, mine, MPI_COMM_WORLD,
             {.initial = thousand, .keep_state = true, .into = std::as_writable_bytes(std::span(&into, 1))});
  EXPECT_EQ(into, sum(x) + 1000);
  EXPECT_TRUE(placed.data.empty());
  EXPECT_EQ(placed.state, reduce_to_state(op_kind::sum, x).bytes());
  EXPECT_EQ(reduce(op_kind::sum, mine, MPI_COMM_WORLD, {.result = dtype::f32}).value<float>(),
            static_cast<float>(sum(x)));
}

TEST(mpi_values, sources) {
  const auto x = wild<float>(1000);
  const auto mine = part_of(x, cuts(1000)[4]);
  const auto input = make_source("elements", {dtype::f32, {static_cast<std::int64_t>(mine.size())}},
                                 [&](std::int64_t first, std::span<std::byte> chunk) {
                                   std::memcpy(chunk.data(), mine.data() + first, chunk.size());
                                   return static_cast<std::int64_t>(chunk.size() / sizeof(float));
                                 });
  EXPECT_EQ(reduce(op_kind::norm2, *input, MPI_COMM_WORLD).value<float>(), norm2(x));
}

TEST(mpi_values, parts_of_the_ranks) {
  MPI_Comm half = MPI_COMM_NULL;
  const std::vector<double> one(static_cast<std::size_t>(rank_of_world() + 1), 0.1);
  for (int round = 0; round < 20; ++round) {
    MPI_Comm_split(MPI_COMM_WORLD, rank_of_world() % 2, -rank_of_world(), &half);
    std::int64_t elements = 0;
    for (int r = rank_of_world() % 2; r < ranks_of_world(); r += 2) elements += r + 1;
    EXPECT_EQ(reduce(op_kind::sum, one, half).count, elements);
    MPI_Comm_free(&half);
  }
}

}  // namespace
}  // namespace multifold
