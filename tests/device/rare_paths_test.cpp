// Ways through the kernels that ordinary data and shapes hardly ever take: each test makes the data that takes one.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "device/exact/expected.hpp"
#include "device/interpreted.hpp"
#include "multifold/cuda/buffer.hpp"

namespace multifold::device_tests {
namespace {

class rare_paths : public exact_on_device {};

// The last block adds them with 32 lanes a column.
TEST_F(rare_paths, columns_in_more_than_32_parts) {
  for (const dtype type : {dtype::i8, dtype::i32, dtype::f32, dtype::f64}) {
    for (const std::int64_t parts : {33, 64, 101}) {
      for (const finish how : {finish::last_block, finish::next_pass}) {
        const auto bytes = random_elements(type, 3001 * 8, op_kind::sum, rng);
        const array_view view = make_view(bytes.data(), type, {3001, 8});
        const plan p =
            make_plan(make_reduction(op_kind::sum, type, nan_policy::propagate, accuracy::fast),
                      normalise(view, {0}, element_order::any), {.how = how, .parts = parts}, cuda::device_traits());
        const device_array there(bytes);
        ASSERT_EQ(run_on_device(p, there.data()), run_interpreted(p, bytes.data())) << explain(p);
      }
    }
  }
}

// 2^14 times the greatest element and then the least one: more bits than double has.
TEST_F(rare_paths, columns_of_f16_that_outgrow_a_lane) {
  constexpr std::int64_t rows = 20000, columns = 256;
  std::vector<std::uint16_t> x(rows * columns, 0x0001);
  std::fill_n(x.begin(), 17000 * columns, std::uint16_t{0x7bff});
  reduction what = make_reduction(op_kind::sum, dtype::f16, nan_policy::propagate, accuracy::exact);
  what.result = dtype::f64;
  const array_view view = make_view(x.data(), dtype::f16, {rows, columns});
  const plan p =
      make_plan(what, normalise(view, {0}, element_order::any), {.parts = 1, .threads = 32}, cuda::device_traits());
  const device_array there(bytes_of(x));
  const auto found = run_on_device(p, there.data());
  const double expected = 17000 * 65504.0 + 3000 * 0x1p-24;
  for (std::int64_t c = 0; c < columns; ++c) {
    double sum;
    std::memcpy(&sum, found.data() + c * 8, 8);
    ASSERT_EQ(sum, expected) << "column " << c << "\n" << explain(p);
  }
}

// What cancels is so far above the rest that 128 bits below it do not hold that.
TEST_F(rare_paths, fixed_point_sums_of_warps_far_apart) {
  const auto try_all = [&]<class T>(dtype type) {
    for (const std::int64_t length : {130, 1000, 4096, 20011}) {
      for (int apart = 20; apart < 120; apart += 3) {
        std::vector<T> x(static_cast<std::size_t>(length), T{0});
        const auto spot = [&] { return static_cast<std::size_t>(rng() % static_cast<std::uint64_t>(length)); };
        for (int i = 0; i < 3; ++i) x[spot()] = std::ldexp(T{1} + std::numeric_limits<T>::epsilon(), -apart - i);
        const std::size_t up = spot(), down = (up + 7) % x.size();
        x[up] = T{1};
        x[down] = T{-1};
        const array_view view = make_view(x.data(), type, {length});
        for (const dtype result : {dtype::f64, dtype::f32}) {
          reduction what = make_reduction(op_kind::sum, type, nan_policy::propagate, accuracy::exact);
          what.result = result;
          const plan p = make_plan(what, normalise(view, {0}, element_order::any), {}, cuda::device_traits());
          const device_array there(bytes_of(x));
          ASSERT_EQ(run_on_device(p, there.data()), summed(p, x.data())) << "2^-" << apart << "\n" << explain(p);
        }
      }
    }
  };
  try_all.operator()<float>(dtype::f32);
  try_all.operator()<double>(dtype::f64);
}

// Blocks that lose tile after tile mark the rest unread, whatever was in the workspace. Everything cancels but the last
// element, so that each tile counts.
TEST_F(rare_paths, pair_rows_that_give_up) {
  constexpr std::size_t half = 750'003;
  std::vector<double> x(2 * half + 1, 1.0);
  for (std::size_t i = 0; i < half; ++i) {
    x[i] = std::ldexp(1 + static_cast<double>(rng() >> 11) * 0x1p-53, static_cast<int>(rng() % 1600) - 800);
    x[half + i] = -x[i];
  }
  const array_view view = make_view(x.data(), dtype::f64, {static_cast<std::int64_t>(x.size())});
  const reduction what = make_reduction(op_kind::sum, dtype::f64, nan_policy::propagate, accuracy::exact);
  const device_array there(bytes_of(x));
  for (const std::int64_t parts : {1, 3, 7}) {
    const plan p = make_plan(what, normalise(view, {0}, element_order::any), {.parts = parts, .threads = 64},
                             cuda::device_traits());
    for (int i = 0; i < 3; ++i) {
      ASSERT_EQ(run_on_device(p, there.data()), bytes_of(std::vector<double>{1.0})) << explain(p);
    }
  }
}

// The identity of a search for indices is as great as the greatest integer.
TEST_F(rare_paths, packed_integers_as_great_as_the_identity) {
  for (const op_kind op : {op_kind::argmin, op_kind::argmax}) {
    for (const dtype type : all_dtypes) {
      if (is_floating(type)) continue;
      for (const std::int64_t length : {16, 4096, 1 << 17}) {
        std::vector<std::byte> bytes(static_cast<std::size_t>(3 * length * item_bytes(type)));
        visit_dtype(type, [&]<class T>() {
          if constexpr (std::is_integral_v<T>) {
            const T worst = op == op_kind::argmin ? std::numeric_limits<T>::max() : std::numeric_limits<T>::min();
            for (std::int64_t i = 0; i < 3 * length; ++i) {
              std::memcpy(bytes.data() + i * static_cast<std::int64_t>(sizeof(T)), &worst, sizeof(T));
            }
          } else if constexpr (std::is_same_v<T, bool8>) {
            std::fill(bytes.begin(), bytes.end(), std::byte{op == op_kind::argmin});
          }
        });
        const device_array there(bytes);
        const array_view view = make_view(bytes.data(), type, {3, length});
        const plan p =
            make_plan(make_reduction(op, type), normalise(view, {1}, order_of(op)), {}, cuda::device_traits());
        ASSERT_EQ(run_on_device(p, there.data()), bytes_of(std::vector<std::int64_t>{0, 0, 0})) << explain(p);
      }
    }
  }
}

// Batches that are lost are added again by one lane each, by groups of lanes, and in parts.
TEST_F(rare_paths, sums_that_are_lost_in_groups_of_any_size) {
  const struct {
    std::vector<std::int64_t> extents, axes;
  } shapes[] = {{{9001, 40}, {1}},  {{700, 900}, {1}},     {{270, 20011}, {1}},   {{30011, 20}, {0}},
                {{300, 2000}, {0}}, {{130, 200, 33}, {1}}, {{40, 50, 61}, {0, 2}}};
  for (const dtype type : {dtype::bf16, dtype::f32, dtype::f64}) {
    for (const auto& [extents, axes] : shapes) {
      for (const data_family family : {data_family::any_bits, data_family::specials, data_family::negative_zeros}) {
        const auto bytes = exact_elements(type, element_count(extents), family, rng);
        const device_array there(bytes);
        const batches form = normalise(make_view(bytes.data(), type, extents), axes, element_order::any);
        for (const op_kind op : {op_kind::sum, op_kind::mean}) {
          for (const nan_policy nan : {nan_policy::propagate, nan_policy::omit}) {
            reduction what = make_reduction(op, type, nan, accuracy::exact);
            what.initial.given = op == op_kind::sum && nan == nan_policy::omit;
            const plan p = make_plan(what, form, {}, cuda::device_traits());
            ASSERT_EQ(run_on_device(p, there.data()), summed(p, bytes.data())) << explain(p) << name(family);
          }
        }
      }
    }
  }
}

// n times the middle between two floats, and a last place of double more or less.
TEST_F(rare_paths, output_of_means_beside_the_middle_of_two_floats) {
  constexpr std::int64_t rows = 4000;
  for (std::int64_t n = 3; n <= 33; n += 2) {
    std::vector<float> x(static_cast<std::size_t>(rows * n), 0.0f);
    for (std::int64_t r = 0; r < rows; ++r) {
      const double middle = 1 + 0x1p-24 + static_cast<double>(rng() % (1 << 23)) * 0x1p-23;
      const double sum = middle * static_cast<double>(n);  // exact: 25 bits times 6
      float* const row = x.data() + r * n;
      row[0] = static_cast<float>(sum);
      row[n / 2] = static_cast<float>(sum - row[0]);
      row[n - 1] = static_cast<float>(std::ldexp(r % 2 == 0 ? 1.0 : -1.0, std::ilogb(sum) - 52));
    }
    const reduction what = make_reduction(op_kind::mean, dtype::f32, nan_policy::propagate, accuracy::exact);
    ASSERT_NO_FATAL_FAILURE(expect_interpreted(what, {rows, n}, {1}, x, {}));
  }
}

// Products of ordinary numbers that cancel, between them those of tiny ones: all that is left in the end.
TEST_F(rare_paths, windows_with_elements_far_below) {
  constexpr std::int64_t length = 1 << 17;
  for (const int below : {18, 25, 40, 60}) {
    std::vector<float> x(length), y(length);
    std::normal_distribution<float> normal;
    for (std::size_t i = 0; i < x.size(); i += 2) {
      const bool tiny = i / 2 % 61 == 0;
      x[i] = tiny ? std::ldexp(1 + normal(rng) / 16, -below) : normal(rng);
      x[i + 1] = tiny ? 0 : x[i];
      y[i] = normal(rng);
      y[i + 1] = -y[i];
    }
    for (const op_kind op : {op_kind::dot, op_kind::cov}) {
      reduction what = make_reduction(op, dtype::f32);
      what.result = dtype::f64;
      for (const std::int64_t parts : {1, 4}) {
        ASSERT_NO_FATAL_FAILURE(expect_interpreted(what, {length}, {0}, x, y, {.parts = parts}));
        ASSERT_NO_FATAL_FAILURE(expect_interpreted(what, {length}, {0}, y, x, {.parts = parts}));
      }
    }
  }
}

// Sums that round to infinity, or just not, and their means; with 2^-1000 pairs do not hold them.
TEST_F(rare_paths, sums_beside_the_greatest_number) {
  constexpr std::int64_t rows = 500;
  constexpr double greatest = std::numeric_limits<double>::max();
  constexpr double others[] = {0x1p970, 0x1p969, -0x1p969, 0x1p969, 1, 0x1p-1000, -0x1p-1000, 0x1p-1074, 0, -greatest};
  for (const std::int64_t length : {3, 4, 7, 40, 700}) {
    std::vector<double> x(static_cast<std::size_t>(rows * length));
    for (std::size_t i = 0; i < x.size(); ++i) {
      const bool first = i % static_cast<std::size_t>(length) == 0;
      x[i] = first ? greatest : others[rng() % std::size(others)];
    }
    for (std::size_t i = x.size() / 2; i < x.size(); ++i) x[i] = -x[i];
    for (const op_kind op : {op_kind::sum, op_kind::mean, op_kind::norm1, op_kind::describe}) {
      for (const dtype result : {dtype::f64, dtype::f32}) {
        if (!result_dtype_allowed(op, dtype::f64, result)) continue;
        reduction what = make_reduction(op, dtype::f64);
        what.result = result;
        ASSERT_NO_FATAL_FAILURE(expect_interpreted(what, {rows, length}, {1}, x, x));
        ASSERT_NO_FATAL_FAILURE(expect_interpreted(what, {length, rows}, {0}, x, x));
      }
    }
  }
}

// Arrays that come in two chunks: elements of the second one are numbered on, by every kernel.
TEST_F(rare_paths, indices_of_later_chunks_in_rows_groups_columns_and_strided_arrays) {
  struct shape {
    std::vector<std::int64_t> extents, axes;
    std::size_t cut;  // the axis that is cut: the first of those that are reduced
  };
  const std::vector<shape> shapes{{{50000}, {0}, 0},         {{300, 16}, {1}, 1},        {{40, 1000}, {1}, 1},
                                  {{3, 70000}, {1}, 1},      {{3001, 8}, {0}, 0},        {{6000, 3}, {0}, 0},
                                  {{40, 2, 700}, {0, 2}, 0}, {{6, 17, 8, 9}, {1, 3}, 1}, {{2000, 5, 3}, {0, 2}, 0}};
  for (const op_kind op : {op_kind::argmin, op_kind::argmax, op_kind::describe}) {
    for (const dtype type : {dtype::i8, dtype::i32, dtype::f16, dtype::f32, dtype::f64}) {
      for (const shape& s : shapes) {
        const auto bytes = random_elements(type, element_count(s.extents), op, rng);
        const array_view whole = make_view(bytes.data(), type, s.extents);
        const reduction what = make_reduction(op, type);
        const plan all = make_plan(what, normalise(whole, s.axes, order_of(op)), {}, cuda::device_traits());
        std::int64_t behind = 1;  // reduced elements for a step along the axis that is cut
        for (const std::int64_t axis : s.axes) {
          if (static_cast<std::size_t>(axis) != s.cut) behind *= s.extents[static_cast<std::size_t>(axis)];
        }
        const std::int64_t first = s.extents[s.cut] / 5, count = all.form.results();
        const device_array there(bytes);
        cuda::device_buffer sums(count * accumulator_bytes(what)), results(count * result_bytes(what)), status(256);
        cuda::stream stream;
        cuda::fill_identity_async(what, sums.data(), count, stream.get());
        cuda::check(cudaMemsetAsync(status.data(), 0, 256, stream.get()));
        std::vector<cuda::device_buffer> spaces;
        for (const bool second : {false, true}) {
          array_view chunk = whole;
          chunk.extents[s.cut] = second ? s.extents[s.cut] - first : first;
          const plan p = make_plan(what, normalise(chunk, s.axes, order_of(op)), {}, cuda::device_traits());
          spaces.emplace_back(p.workspace_bytes());
          const std::int64_t skipped = second ? first * whole.strides[s.cut] * item_bytes(type) : 0;
          cuda::accumulate_async(p, static_cast<const std::byte*>(there.data()) + skipped,
                                 {sums.data(), 0, second ? first * behind : 0}, spaces.back().bytes(), stream.get());
        }
        cuda::lower_async(what, sums.data(), count, all.form.length, results.data(),
                          reinterpret_cast<std::uint32_t*>(status.data()), stream.get());
        stream.synchronise();
        std::vector<std::byte> found(static_cast<std::size_t>(results.size()));
        cuda::check(cudaMemcpy(found.data(), results.data(), found.size(), cudaMemcpyDeviceToHost));
        ASSERT_EQ(found, run_interpreted(all, bytes.data())) << explain(all);
      }
    }
  }
}

}  // namespace
}  // namespace multifold::device_tests
