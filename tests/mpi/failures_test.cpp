// What one rank cannot do, or does otherwise than the others, all of them are told; and then ranks go on.
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "ranks.hpp"

namespace multifold {
namespace {

// A call after the one that failed: no message of that is left.
void expect_in_step() {
  const std::vector<double> mine(3, static_cast<double>(rank_of_world()));
  const std::int64_t n = ranks_of_world();
  EXPECT_EQ(reduce(op_kind::sum, mine, MPI_COMM_WORLD).value<double>(), static_cast<double>(3 * n * (n - 1) / 2));
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// `f` is called with whether this rank is the last one, which does something else; all throw E, naming both.
template <class E, class F>
void expect_refused(const F& f, const std::string& expected, const std::string& found) {
  const int last = ranks_of_world() - 1;
  const std::string text = thrown<E>([&] { f(rank_of_world() == last && last > 0); });
  if (last > 0) {
    EXPECT_TRUE(has(text, expected) && has(text, found) && has(text, "rank " + std::to_string(last))) << text;
  } else {
    EXPECT_EQ(text, "");
  }
  expect_in_step();
}

TEST(mpi_failures, another_operation) {
  const std::vector<float> x(10, 1.0f);
  expect_refused<format_error>([&](bool odd) { reduce(odd ? op_kind::max : op_kind::sum, x, MPI_COMM_WORLD); },
                               "sum and mean of f32", "max of f32");
  expect_refused<format_error>([&](bool odd) { reduce(odd ? op_kind::argmax : op_kind::argmin, x, MPI_COMM_WORLD); },
                               "argmin of f32", "argmax of f32");
}

TEST(mpi_failures, another_dtype) {
  const std::vector<float> x(10, 1.0f);
  const std::vector<double> y(10, 1.0);
  expect_refused<format_error>(
      [&](bool odd) { odd ? reduce(op_kind::sum, y, MPI_COMM_WORLD) : reduce(op_kind::sum, x, MPI_COMM_WORLD); },
      "sum and mean of f32", "sum and mean of f64");
}

TEST(mpi_failures, other_extents) {
  const std::vector<float> x(12, 1.0f);
  expect_refused<format_error>(
      [&](bool odd) {
        const array_view mine =
            make_view(x.data(), odd ? std::vector<std::int64_t>{3, 4} : std::vector<std::int64_t>{4, 3});
        reduce(op_kind::sum, mine, MPI_COMM_WORLD, {.axes = {0}});
      },
      "(3,)", "(4,)");
}

TEST(mpi_failures, another_treatment_of_nan) {
  const std::vector<float> x(12, 1.0f);
  expect_refused<format_error>(
      [&](bool odd) {
        reduce(op_kind::var, x, MPI_COMM_WORLD, {.nan = odd ? nan_policy::omit : nan_policy::propagate});
      },
      "without its NaN", "with its NaN");
}

TEST(mpi_failures, the_same_index_twice) {
  const std::vector<float> x(12, 1.0f);
  const std::string text = thrown<shape_error>([&] { allreduce(reduce_to_state(op_kind::argmax, x), MPI_COMM_WORLD); });
  EXPECT_EQ(has(text, "rank 1, merged into rank 0: both states hold element 0"), ranks_of_world() > 1) << text;
  expect_in_step();

  // In any order, where each says where it begins.
  state mine = reduce_to_state(op_kind::argmax, x);
  mine.move(12 * (ranks_of_world() - 1 - rank_of_world()));
  EXPECT_EQ(allreduce(mine, MPI_COMM_WORLD).finish(op_kind::argmax).value<std::int64_t>(), 0);
  state apart = reduce_to_state(op_kind::argmax, x);  // with gaps, so that states of more ranks are longer
  apart.move(100 * ((rank_of_world() + 1) % ranks_of_world()));
  EXPECT_EQ(allreduce(apart, MPI_COMM_WORLD).count(), 12 * ranks_of_world());
}

TEST(mpi_failures, an_exception_on_one_rank_is_seen_by_all) {
  const std::vector<float> x(12, 1.0f);
  for (int failing = 0; failing < ranks_of_world(); ++failing) {
    const auto make = [&] {
      if (rank_of_world() == failing) throw std::runtime_error("the disk is torn");
      return reduce_to_state(op_kind::sum, x);
    };
    EXPECT_EQ(thrown<error>([&] { allreduce(make, MPI_COMM_WORLD); }),
              "rank " + std::to_string(failing) + ": the disk is torn");
    expect_in_step();

    const auto refuse = [&]() -> state {
      if (rank_of_world() >= failing) throw engine_error("none on " + std::to_string(rank_of_world()));
      return reduce_to_state(op_kind::sum, x);
    };
    const std::string which = std::to_string(failing);  // the first of several, and its type
    EXPECT_EQ(thrown<engine_error>([&] { allreduce(refuse, MPI_COMM_WORLD); }), "rank " + which + ": none on " + which);
    const auto odd = [&]() -> state {
      if (rank_of_world() == failing) throw failing;
      return reduce_to_state(op_kind::sum, x);
    };
    EXPECT_TRUE(has(thrown<error>([&] { allreduce(odd, MPI_COMM_WORLD); }), "no std::exception"));
    expect_in_step();
  }
}

TEST(mpi_failures, long_texts_and_every_type) {
  const std::string text(10'000, 'x');
  const auto seen = [&]<class E>(const E& thrown_there) {
    const auto make = [&]() -> state {
      if (rank_of_world() == ranks_of_world() - 1) throw thrown_there;
      return state(op_kind::sum, dtype::f32);
    };
    return thrown<E>([&] { allreduce(make, MPI_COMM_WORLD); });
  };
  const std::string all = "rank " + std::to_string(ranks_of_world() - 1) + ": " + text;
  EXPECT_EQ(seen(shape_error(text)), all);
  EXPECT_EQ(seen(format_error(text)), all);
  EXPECT_EQ(seen(io_error(text)), all);
  EXPECT_EQ(seen(unsupported_error(text)), all);
  EXPECT_EQ(seen(overflow_error(text)), all);
  EXPECT_EQ(seen(out_of_memory(text)), all);
  EXPECT_EQ(seen(cancelled_error(text)), all);
  EXPECT_EQ(seen(error(text)), all);
}

TEST(mpi_failures, what_has_no_state_or_no_value) {
  const std::vector<float> x(12, 1.0f), none;
  const std::vector<std::int64_t> huge(1, INT64_MAX);
  EXPECT_TRUE(has(thrown<unsupported_error>([&] { reduce(op_kind::prod, x, MPI_COMM_WORLD); }), "rank 0"));
  EXPECT_TRUE(
      has(thrown<unsupported_error>([&] { reduce(op_kind::sum, x, MPI_COMM_WORLD, {.only_state = true}); }), "rank 0"));
  EXPECT_TRUE(
      has(thrown<unsupported_error>([&] { reduce(op_kind::max, x, MPI_COMM_WORLD, {.engine = engine_choice::both}); }),
          "rank 0"));
  EXPECT_NE(thrown<shape_error>([&] { reduce(op_kind::max, none, MPI_COMM_WORLD); }), "");
  EXPECT_EQ(thrown<overflow_error>([&] { reduce(op_kind::sum, huge, MPI_COMM_WORLD); }) != "", ranks_of_world() > 1);
  EXPECT_EQ(reduce(op_kind::sum, none, MPI_COMM_WORLD).value<float>(), 0);
  float into[2];
  EXPECT_NE(thrown<shape_error>(
                [&] { reduce(op_kind::sum, x, MPI_COMM_WORLD, {.into = std::as_writable_bytes(std::span(into))}); }),
            "");
  expect_in_step();
}

TEST(mpi_failures, communicators) {
  const std::vector<float> x(12, 1.0f);
  EXPECT_TRUE(has(thrown<error>([&] { reduce(op_kind::sum, x, MPI_COMM_NULL); }), "MPI_COMM_NULL"));
  if (ranks_of_world() == 1) return;
  MPI_Comm group = MPI_COMM_NULL, between = MPI_COMM_NULL;
  const int side = rank_of_world() % 2;
  MPI_Comm_split(MPI_COMM_WORLD, side, 0, &group);
  MPI_Intercomm_create(group, 0, MPI_COMM_WORLD, 1 - side, 0, &between);
  EXPECT_TRUE(has(thrown<unsupported_error>([&] { reduce(op_kind::sum, x, between); }), "MPI_Intercomm_merge"));
  MPI_Comm_free(&between);
  MPI_Comm_free(&group);
}

}  // namespace
}  // namespace multifold
