// The GPU engine against the interpreter: every operation, element type, access pattern, finish and block form.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "device/device_fixture.hpp"
#include "multifold/error.hpp"
#include "multifold/ops/visit.hpp"

namespace multifold::device_tests {
namespace {

struct problem {
  std::vector<std::int64_t> extents;
  std::vector<std::int64_t> axes;
};

// Rows short and long, columns few and many, a full reduction, strides that need the general kernel, single elements.
const std::vector<problem> problems{
    {{1}, {0}},
    {{31}, {0}},
    {{33}, {0}},
    {{100003}, {0}},
    {{7, 5}, {1}},
    {{300, 16}, {1}},
    {{257, 129}, {1}},
    {{5, 40001}, {1}},
    {{40001, 1}, {0}},
    {{3001, 8}, {0}},
    {{1000, 33}, {0}},
    {{70, 2048}, {0}},
    {{3, 50, 65}, {1}},
    {{4, 300, 3}, {1}},
    {{9, 10, 11}, {0, 2}},
    {{6, 7, 8, 9}, {0, 2}},
    {{12, 2500}, {}},
    {{2, 3, 4}, {0, 1, 2}},
    {{17, 4096}, {1}},
    {{2, 9000, 16}, {1}},
    {{256}, {0}},  // whole vectors, in one part and in several, of one vector a thread and of more
    {{16384}, {0}},
    {{65536}, {0}},
    {{1001472}, {0}},
    {{900, 33}, {1}},  // in tiles: whole batches a box, all rows of some columns, and boxes that follow each other
    {{70, 37, 3}, {1}},
    {{3, 5, 2003}, {1}},
    {{2, 40, 1003}, {1}},
    {{2, 9001, 3}, {1}},
    {{12, 5001}, {1}},
};

void expect_agreement(op_kind op, dtype type, nan_policy nan, const problem& shape, const plan_options& forced,
                      random_engine& rng, std::int64_t shift_items = 0, accuracy numerics = accuracy::fast) {
  std::int64_t count = element_count(shape.extents);
  const auto bytes = random_elements(type, count, op, rng);
  array_view view = make_view(bytes.data(), type, shape.extents);
  const batches form = normalise(view, shape.axes, order_of(op));
  const plan p = make_plan(make_reduction(op, type, nan, numerics), form, forced, cuda::device_traits());
  SCOPED_TRACE(explain(p));
  const device_array on_device(bytes, shift_items * item_bytes(type));
  std::vector<std::byte> expected;
  try {
    expected = run_interpreted(p, bytes.data());
  } catch (const overflow_error&) {
    EXPECT_THROW(run_on_device(p, on_device.data()), overflow_error);
    return;
  }
  EXPECT_EQ(run_on_device(p, on_device.data()), expected);
}

// Norms and the like.
bool has_one_chain_only(op_kind op) { return family_of(make_reduction(op, dtype::f32)) == op_family::moments; }

class agreement : public device_test, public ::testing::WithParamInterface<op_kind> {
 protected:
  random_engine rng{20};
};

TEST_P(agreement, of_every_dtype_and_shape_as_planned) {
  for (dtype type : all_dtypes) {
    for (const problem& shape : problems) expect_agreement(GetParam(), type, nan_policy::propagate, shape, {}, rng);
  }
}

TEST_P(agreement, of_misaligned_arrays) {
  for (dtype type : all_dtypes) {
    for (std::int64_t shift = 1; shift < 16 / item_bytes(type); shift = shift * 2 + 1) {
      for (const problem& shape : {problems[2], problems[3], problems[5], problems[6], problems[9], problems[11],
                                   problems[24], problems[25], problems[26], problems[27]}) {
        expect_agreement(GetParam(), type, nan_policy::propagate, shape, {}, rng, shift);
      }
    }
  }
}

TEST_P(agreement, of_forced_finishes_and_block_forms) {
  if (has_one_chain_only(GetParam())) return;  // see make_plan_test
  for (dtype type : all_dtypes) {
    for (finish how : {finish::next_pass, finish::last_block, finish::atomic}) {
      const reduction what = make_reduction(GetParam(), type, nan_policy::propagate, accuracy::fast);
      if (how == finish::atomic && !merges_in_any_order(what)) continue;
      for (block_form form : {block_form::shuffle, block_form::shared_tree}) {
        plan_options forced;
        forced.how = how;
        forced.form = form;
        forced.threads = 128;
        for (std::size_t i : {3u, 6u, 7u, 9u, 10u, 11u, 12u, 14u, 19u, 22u}) {
          forced.parts = std::min<std::int64_t>(7, problems[i].extents[static_cast<std::size_t>(problems[i].axes[0])]);
          expect_agreement(GetParam(), type, nan_policy::propagate, problems[i], forced, rng);
        }
      }
    }
  }
}

TEST_P(agreement, of_chains_of_passes) {
  if (has_one_chain_only(GetParam())) return;  // see make_plan_test
  for (dtype type : {dtype::i8, dtype::f32, dtype::f64, dtype::i64}) {
    for (int passes : {1, 2, 3, 5}) {
      plan_options forced;
      forced.passes = passes;
      for (std::size_t i : {3u, 6u, 7u, 9u, 19u, 22u, 23u}) {
        expect_agreement(GetParam(), type, nan_policy::propagate, problems[i], forced, rng);
      }
    }
  }
}

TEST_P(agreement, where_nan_is_omitted) {
  for (dtype type : {dtype::f16, dtype::bf16, dtype::f32, dtype::f64}) {
    for (std::size_t i : {3u, 5u, 9u, 14u, 20u, 22u})
      expect_agreement(GetParam(), type, nan_policy::omit, problems[i], {}, rng);
  }
}

INSTANTIATE_TEST_SUITE_P(ops, agreement, ::testing::ValuesIn(all_ops),
                         [](const auto& instance) { return std::string(name(instance.param)); });

// The fast subset for compute-sanitizer: each kernel, each finish, once.
class Sanitized : public device_test {};

TEST_F(Sanitized, every_kernel_and_finish) {
  random_engine rng(3);
  for (op_kind op : {op_kind::sum, op_kind::argmax}) {
    for (dtype type : {dtype::i8, dtype::f32}) {
      for (std::size_t i : {2u, 5u, 6u, 9u, 10u, 12u, 14u, 20u, 21u, 22u, 23u, 24u, 25u, 26u, 27u, 28u, 29u}) {
        expect_agreement(op, type, nan_policy::propagate, problems[i], {}, rng);
      }
      for (finish how : {finish::next_pass, finish::last_block}) {
        for (block_form form : {block_form::shuffle, block_form::shared_tree}) {
          plan_options forced;
          forced.how = how;
          forced.form = form;
          forced.threads = 64;
          forced.parts = 5;
          expect_agreement(op, type, nan_policy::propagate, problems[6], forced, rng, 1);
          expect_agreement(op, type, nan_policy::propagate, problems[9], forced, rng, 1);
        }
      }
    }
  }
  plan_options atomic;
  atomic.how = finish::atomic;
  atomic.parts = 5;
  expect_agreement(op_kind::sum, dtype::i32, nan_policy::propagate, problems[6], atomic, rng);
  expect_agreement(op_kind::max, dtype::f32, nan_policy::propagate, problems[9], atomic, rng);
}

}  // namespace
}  // namespace multifold::device_tests
