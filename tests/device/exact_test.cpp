// Exact sums on the GPU: the bits of the interpreter's, whatever the data, the shape, the plan and the alignment.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "device/device_fixture.hpp"
#include "device/exact_device_data.hpp"
#include "multifold/error.hpp"
#include "multifold/exact.hpp"
#include "multifold/ops/exact_sum.hpp"

namespace multifold::device_tests {
namespace {

constexpr dtype real_dtypes[] = {dtype::f16, dtype::bf16, dtype::f32, dtype::f64};

struct exact_case {
  op_kind op = op_kind::sum;
  nan_policy nan = nan_policy::propagate;
  std::vector<std::int64_t> extents = {};
  std::vector<std::int64_t> axes = {};
  plan_options forced = {};
  std::int64_t shift = 0;
};

// Few results of long batches: the interpreter would copy an accumulator for every element.
std::vector<std::byte> summed(const plan& p, const void* data) {
  std::vector<std::byte> results(static_cast<std::size_t>(p.form.results() * item_bytes(p.what.result)));
  visit_dtype(p.what.input, [&]<class T>() {
    if constexpr (floating_storage<T>) {
      for (std::int64_t batch = 0; batch < p.form.results(); ++batch) {
        exact_sum<T> sum;
        for (std::int64_t i = 0; i < p.form.length; ++i) {
          const T x = static_cast<const T*>(data)[p.form.offset_of(batch, i)];
          if (p.what.nan == nan_policy::propagate || !detail::unpack(x).nan) sum.add(x);
        }
        store(finish_scalar(p.what.op, sum, p.what.initial), p.what.result,
              results.data() + p.form.result_of(batch) * item_bytes(p.what.result));
      }
    }
  });
  return results;
}

void expect_exact(const exact_case& c, dtype type, data_family family, random_engine& rng) {
  const auto bytes = exact_elements(type, element_count(c.extents), family, rng);
  const array_view view = make_view(bytes.data(), type, c.extents);
  const batches form = normalise(view, c.axes, order_of(c.op));
  const plan p = make_plan(make_reduction(c.op, type, c.nan, accuracy::exact), form, c.forced, cuda::device_traits());
  SCOPED_TRACE(explain(p) + "data: " + std::string(name(family)));
  const device_array on_device(bytes, c.shift * item_bytes(type));
  ASSERT_EQ(run_on_device(p, on_device.data()), summed(p, bytes.data()));
}

class exact_on_device : public device_test {
 protected:
  random_engine rng{70};
};

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
    {.extents = {3, 300007}, .axes = {1}, .forced = {.how = finish::atomic}},  // the kernels for longer rows
    {.extents = {1000003}, .axes = {0}, .forced = {.how = finish::atomic}},
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

// Rows that a block tries in one binary64, and loses where their magnitudes are too far apart for that.
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

TEST_F(exact_on_device, magnitudes_as_far_apart_as_one_binary64_allows_and_farther) {
  for (const std::int64_t length : {std::int64_t{2}, std::int64_t{200}, std::int64_t{1024}}) {
    const array_view view = make_view(nullptr, dtype::f32, {length});
    reduction what = make_reduction(op_kind::sum, dtype::f32, nan_policy::propagate, accuracy::exact);
    const plan p = make_plan(what, normalise(view, {0}, element_order::any), {}, cuda::device_traits());
    for (int apart = 10; apart < 60; ++apart) {
      for (const float sign : {1.0f, -1.0f}) {
        std::vector<float> x(static_cast<std::size_t>(length), 0x1.fffffep10f);
        x.front() = std::ldexp(sign * 0x1.000002p0f, 10 - apart);
        x[x.size() / 2] = sign * 0x1.000002p10f;
        const auto bytes = std::as_bytes(std::span<const float>(x));
        const device_array on_device({bytes.begin(), bytes.end()});
        ASSERT_EQ(run_on_device(p, on_device.data()), summed(p, x.data())) << length << " elements, 2^" << apart;
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
  options.push_back({.how = finish::atomic, .parts = 9});
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

// One element among millions of ordinary ones that no pair holds, wherever it stands: one part is lost, the others not.
TEST_F(exact_on_device, a_single_special_is_seen_anywhere) {
  for (const dtype type : real_dtypes) {
    for (const std::int64_t length : {(1 << 20) + 77, 1 << 20}) {  // with a rest, and of whole vectors
      const auto bytes = exact_elements(type, length, data_family::normal, rng);
      const array_view view = make_view(bytes.data(), type, {length});
      reduction what = make_reduction(op_kind::sum, type, nan_policy::propagate, accuracy::exact);
      what.result = dtype::f64;
      const batches form = normalise(view, {0}, element_order::any);
      const plan p = make_plan(what, form, {}, cuda::device_traits());
      // Many tiles for every part: the last ones are dealt as blocks ask for them.
      const plan dealt = make_plan(what, form, {.parts = 7, .threads = 64}, cuda::device_traits());
      cuda::device_buffer memory(static_cast<std::int64_t>(bytes.size()) + 64);
      const std::int64_t item = item_bytes(type);
      for (int turn = 0; turn < 32; ++turn) {
        auto changed = bytes;
        const std::int64_t spot[] = {0, length - 1, turn,
                                     static_cast<std::int64_t>(rng() % static_cast<std::uint64_t>(length))};
        visit_dtype(type, [&]<class T>() {
          if constexpr (floating_storage<T>) {
            using bits = typename detail::float_layout<T>::bits_type;
            const bits infinity = detail::float_layout<T>::infinity;
            const bits special[] = {infinity, static_cast<bits>(infinity | detail::float_layout<T>::sign),
                                    static_cast<bits>(infinity + 1), 1};
            std::memcpy(changed.data() + spot[turn % 4] * item, &special[turn / 4 % 4], sizeof(bits));
          }
        });
        cuda::check(cudaMemcpy(memory.data(), changed.data(), changed.size(), cudaMemcpyHostToDevice));
        cuda::check(cudaDeviceSynchronize());
        const auto expected = summed(p, changed.data());
        ASSERT_EQ(run_on_device(p, memory.data()), expected) << "element " << spot[turn % 4];
        ASSERT_EQ(run_on_device(dealt, memory.data()), expected) << "element " << spot[turn % 4] << ", seven parts";
      }
    }
  }
}

// The most that a bin, a lane or a window may take, one less and one more.
TEST_F(exact_on_device, constants_at_the_limits_of_every_accumulator) {
  for (const dtype type : real_dtypes) {
    for (const std::int64_t adds : {1 << 9, 1 << 11, 1 << 12, 1 << 14}) {
      for (const std::int64_t off : {-1, 0, 1}) {
        for (const double exponent : {0.0, 15.0, -14.0}) {
          // One block of 32 threads: every thread gets that many elements, all of one sign and the largest significand.
          const std::int64_t length = (adds + off) * 32;
          std::vector<std::byte> bytes(static_cast<std::size_t>(length * item_bytes(type)));
          visit_dtype(type, [&]<class T>() {
            if constexpr (floating_storage<T>) {
              using layout = detail::float_layout<T>;
              using bits = typename layout::bits_type;
              const auto field = static_cast<bits>(static_cast<bits>(layout::bias + static_cast<int>(exponent))
                                                   << layout::mantissa_bits);
              const bits x = static_cast<bits>(field | ((bits{1} << layout::mantissa_bits) - 1));
              for (std::int64_t i = 0; i < length; ++i) {
                std::memcpy(bytes.data() + i * static_cast<std::int64_t>(sizeof(T)), &x, sizeof(T));
              }
            }
          });
          const array_view view = make_view(bytes.data(), type, {length});
          reduction what = make_reduction(op_kind::sum, type, nan_policy::propagate, accuracy::exact);
          what.result = dtype::f64;
          const plan p = make_plan(what, normalise(view, {0}, element_order::any), {.parts = 1, .threads = 32},
                                   cuda::device_traits());
          const device_array on_device(bytes);
          ASSERT_EQ(run_on_device(p, on_device.data()), summed(p, bytes.data())) << explain(p);
        }
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
      {.extents = {1070001}, .axes = {0}, .forced = {.how = finish::atomic}},
      {.extents = {40001}, .axes = {0}, .forced = {.how = finish::last_block}},
      {.extents = {1024}, .axes = {0}},   // a row that is tried in one binary64
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
