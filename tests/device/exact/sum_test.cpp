// Exact sums on the GPU: the bits of the interpreter's, whatever the data, the shape, the plan and the alignment.
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "device/exact/expected.hpp"

namespace multifold::device_tests {
namespace {

// Short rows and long, columns, strides, one element, and none of them at a boundary of anything.
const std::vector<exact_case> shapes{
    {.extents = {1}, .axes = {0}},
    {.extents = {33}, .axes = {0}},
    {.extents = {4096}, .axes = {0}},
    {.extents = {33001}, .axes = {0}},
    {.extents = {100003}, .axes = {0}},
    {.extents = {300, 16}, .axes = {1}},
    {.extents = {257, 129}, .axes = {1}},
    {.extents = {5, 40001}, .axes = {1}},
    {.extents = {3, 300007}, .axes = {1}},
    {.extents = {1000003}, .axes = {0}},
    {.extents = {3001, 8}, .axes = {0}},
    {.extents = {40001, 3}, .axes = {0}},
    {.extents = {70, 2048}, .axes = {0}},
    {.extents = {3, 50, 65}, .axes = {1}},
    {.extents = {6, 7, 8, 9}, .axes = {0, 2}},
    {.extents = {20, 900, 5}, .axes = {0, 2}},
    {.extents = {12, 2500}, .axes = {}},
    {.extents = {3, 120001}, .axes = {1}},
    {.extents = {16384}, .axes = {0}},  // whole vectors, in one part and in several
    {.extents = {65536}, .axes = {0}},
    {.extents = {1001472}, .axes = {0}},
    {.extents = {3, 300007}, .axes = {1}, .forced = {.threads = 512}},  // the kernels for longer rows
    {.extents = {1000003}, .axes = {0}, .forced = {.threads = 512}},
};

TEST_F(exact_on_device, every_family_of_data_in_every_shape) {
  for (const dtype type : real_dtypes) {
    for (const exact_case& shape : shapes) {
      for (const data_family family : all_families) {
        ASSERT_NO_FATAL_FAILURE(expect_exact(shape, type, family, rng));
      }
    }
  }
}

TEST_F(exact_on_device, means_and_omitted_nans) {
  for (const dtype type : real_dtypes) {
    for (exact_case shape : shapes) {
      for (const data_family family :
           {data_family::normal, data_family::any_bits, data_family::specials, data_family::empty_zeros}) {
        shape.op = op_kind::mean;
        ASSERT_NO_FATAL_FAILURE(expect_exact(shape, type, family, rng));
        shape.nan = nan_policy::omit;
        ASSERT_NO_FATAL_FAILURE(expect_exact(shape, type, family, rng));
        shape.op = op_kind::sum;
        ASSERT_NO_FATAL_FAILURE(expect_exact(shape, type, family, rng));
        shape.nan = nan_policy::propagate;
      }
    }
  }
}

TEST_F(exact_on_device, misaligned_arrays) {
  for (const dtype type : real_dtypes) {
    for (std::int64_t shift = 1; shift < 16 / item_bytes(type); shift = shift * 2 + 1) {
      for (exact_case shape : {shapes[4], shapes[5], shapes[9], shapes[8], shapes[12], shapes[2], shapes.back()}) {
        shape.shift = shift;
        for (const data_family family : {data_family::lognormal, data_family::any_bits}) {
          ASSERT_NO_FATAL_FAILURE(expect_exact(shape, type, family, rng));
        }
      }
    }
  }
}

// Parts so long that they claim their last tiles; and whose claimed tiles are looked at again, where NaN and infinities
// are among them.
TEST_F(exact_on_device, parts_that_claim_tiles) {
  for (const dtype type : {dtype::f16, dtype::bf16, dtype::f32}) {
    const std::int64_t each = (std::int64_t{5} << 20) / item_bytes(type) + 77;
    for (const data_family family : {data_family::normal, data_family::lognormal, data_family::any_bits,
                                     data_family::specials, data_family::cancelling}) {
      const exact_case one{.extents = {3 * each}, .axes = {0}, .forced = {.parts = 3, .threads = 64}, .shift = 1};
      ASSERT_NO_FATAL_FAILURE(expect_exact(one, type, family, rng));
      const exact_case two{.extents = {2, 2 * each}, .axes = {1}, .forced = {.parts = 2, .threads = 32}};
      ASSERT_NO_FATAL_FAILURE(expect_exact(two, type, family, rng));
    }
  }
}

// Rows that a block tries in one double, and loses where their magnitudes are too far apart for that.
TEST_F(exact_on_device, rows_of_a_few_kilobytes) {
  for (const dtype type : real_dtypes) {
    for (const std::int64_t length : {2, 7, 8, 31, 127, 255, 256, 257, 511, 513, 1000, 1024, 1025, 2047, 2048, 4096}) {
      for (const std::int64_t rows : {1, 3}) {
        for (const std::int64_t shift : {0, 1}) {
          for (const data_family family : {data_family::normal, data_family::lognormal, data_family::any_bits,
                                           data_family::cancelling, data_family::specials}) {
            const exact_case one{.extents = {rows, length}, .axes = {1}, .shift = shift};
            ASSERT_NO_FATAL_FAILURE(expect_exact(one, type, family, rng));
          }
        }
      }
    }
  }
}

// Every grid, block, finish and chain of passes that a plan can be made of.
TEST_F(exact_on_device, the_same_bits_for_every_plan) {
  std::vector<plan_options> options;
  for (const int threads : {32, 96, 256, 512}) {
    for (const std::int64_t parts : {1, 2, 7, 100}) options.push_back({.parts = parts, .threads = threads});
  }
  for (const finish how : {finish::next_pass, finish::last_block}) {
    options.push_back({.how = how});
    options.push_back({.how = how, .parts = 50});
  }
  options.push_back({.parts = 9, .threads = 512});
  for (const int passes : {1, 2, 3}) options.push_back({.passes = passes});
  options.push_back({.parts = 9, .form = block_form::shared_tree});
  for (const dtype type : real_dtypes) {
    for (const plan_options& forced : options) {
      for (const data_family family : {data_family::normal, data_family::lognormal, data_family::any_bits}) {
        const exact_case one{.extents = {600011}, .axes = {0}, .forced = forced};
        ASSERT_NO_FATAL_FAILURE(expect_exact(one, type, family, rng));
        const exact_case two{.extents = {2, 300007}, .axes = {1}, .forced = forced};
        ASSERT_NO_FATAL_FAILURE(expect_exact(two, type, family, rng));
      }
    }
  }
}

TEST_F(exact_on_device, initial_values_and_other_result_dtypes) {
  for (const dtype type : real_dtypes) {
    for (const exact_case& shape : shapes) {
      const auto bytes = exact_elements(type, element_count(shape.extents), data_family::lognormal, rng);
      const array_view view = make_view(bytes.data(), type, shape.extents);
      for (const dtype result : real_dtypes) {
        reduction what = make_reduction(op_kind::sum, type, nan_policy::propagate, accuracy::exact);
        what.result = result;
        what.initial = {true, false, 0, 0x1.23456789abcdep-40};
        const plan p = make_plan(what, normalise(view, shape.axes, element_order::any), {}, cuda::device_traits());
        const device_array on_device(bytes);
        ASSERT_EQ(run_on_device(p, on_device.data()), summed(p, bytes.data())) << explain(p);
      }
    }
  }
}

// The fast subset for compute-sanitizer: each kernel once, with data that it keeps and data that it loses.
class exact_Sanitized : public exact_on_device {};

TEST_F(exact_Sanitized, every_kernel) {
  const std::vector<exact_case> cases{
      {.extents = {1070001}, .axes = {0}},
      {.extents = {3, 20000}, .axes = {1}},
      {.extents = {4001}, .axes = {0}},
      {.extents = {300, 16}, .axes = {1}},
      {.extents = {40, 33}, .axes = {1}},
      {.extents = {17000, 3}, .axes = {0}},
      {.extents = {6, 7, 8, 9}, .axes = {0, 2}},
      {.extents = {1070001}, .axes = {0}, .forced = {.threads = 512}},
      {.extents = {40001}, .axes = {0}, .forced = {.how = finish::last_block}},
      {.extents = {1024}, .axes = {0}},   // a row that is tried in one double
      {.extents = {16384}, .axes = {0}},  // whole vectors, in one part and in several
      {.extents = {262144}, .axes = {0}},
  };
  for (const dtype type : real_dtypes) {
    for (const exact_case& one : cases) {
      for (const data_family family :
           {data_family::normal, data_family::any_bits, data_family::specials, data_family::empty_zeros}) {
        ASSERT_NO_FATAL_FAILURE(expect_exact(one, type, family, rng));
      }
    }
  }
}

// A part that is lost among parts that are kept.
TEST_F(exact_Sanitized, one_element_that_no_pair_holds) {
  for (const dtype type : {dtype::bf16, dtype::f32, dtype::f64}) {
    const std::int64_t length = 1 << 18;
    auto bytes = exact_elements(type, length, data_family::normal, rng);
    visit_dtype(type, [&]<class T>() {
      if constexpr (floating_storage<T>) {
        const T least = bit_copy<T>(static_cast<typename detail::float_layout<T>::bits_type>(1));
        std::memcpy(bytes.data() + bytes.size() / 3 / sizeof(T) * sizeof(T), &least, sizeof(T));
      }
    });
    const batches form = normalise(make_view(bytes.data(), type, {length}), {0}, element_order::any);
    const plan p = make_plan(make_reduction(op_kind::sum, type), form, {}, cuda::device_traits());
    const device_array on_device(bytes);
    ASSERT_EQ(run_on_device(p, on_device.data()), summed(p, bytes.data())) << explain(p);
  }
}

}  // namespace
}  // namespace multifold::device_tests
