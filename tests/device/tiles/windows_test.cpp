// Runs of tiles whose elements need several windows, against plans that are interpreted.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <vector>

#include "device/exact/expected.hpp"
#include "device/interpreted.hpp"

namespace multifold::device_tests {
namespace {

class windows_on_device : public exact_on_device {};

// Some lanes of a run see far-off elements and need more windows than others, wherever a tile keeps the run; one run in
// seven has an infinity or a NaN.
TEST_F(windows_on_device, lanes_that_need_more_windows_than_others) {
  struct shape {
    std::vector<std::int64_t> extents;
    std::int64_t axis;
  };
  const std::vector<shape> shapes{{{11, 15, 3}, 1}, {{97, 64, 2}, 1}, {{3, 2048}, 1}, {{40, 1000}, 1},
                                  {{5, 20000}, 1},  {{1000, 33}, 0},  {{700, 5}, 1},  {{2, 300, 100}, 1}};
  const auto try_all = [&]<class T>(dtype type) {
    for (const shape& of : shapes) {
      for (const int apart : {30, 45, 60, 100}) {
        const std::int64_t count = element_count(of.extents);
        const auto drawn = [&] {
          std::vector<T> x(static_cast<std::size_t>(count));
          for (T& each : x) {
            const double near = std::ldexp(1 + static_cast<double>(rng() >> 12) * 0x1p-52, static_cast<int>(rng() % 4));
            each = static_cast<T>(std::ldexp(rng() % 2 == 0 ? near : -near, rng() % 9 == 0 ? -apart : 0));
          }
          return x;
        };
        std::vector<T> x = drawn(), y = drawn();
        for (const op_kind op : {op_kind::sum, op_kind::var, op_kind::dot, op_kind::norm1, op_kind::describe}) {
          const reduction what = make_reduction(op, type, nan_policy::propagate, accuracy::exact);
          ASSERT_NO_FATAL_FAILURE(expect_interpreted(what, of.extents, {of.axis}, x, y)) << "2^-" << apart;
        }
        for (std::size_t i = 0; i < x.size(); i += 211) {
          x[i] = i % 3 == 0 ? std::numeric_limits<T>::quiet_NaN()
                            : (i % 3 == 1 ? T{1} : T{-1}) * std::numeric_limits<T>::infinity();
        }
        for (const op_kind op : {op_kind::sum, op_kind::mean, op_kind::norm2}) {
          const reduction what = make_reduction(op, type, nan_policy::propagate, accuracy::exact);
          ASSERT_NO_FATAL_FAILURE(expect_interpreted(what, of.extents, {of.axis}, x, y)) << "specials";
        }
      }
    }
  };
  try_all.operator()<float>(dtype::f32);
  try_all.operator()<double>(dtype::f64);
}

// A few elements of any exponents a run, in rows and columns: pairs, and windows where those do not do.
TEST_F(windows_on_device, few_elements_of_any_bits) {
  const auto try_all = [&]<class T>(dtype type) {
    for (const std::int64_t rows : {2, 3, 4, 5}) {
      for (const bool columns : {false, true}) {
        const std::vector<std::int64_t> extents =
            columns ? std::vector<std::int64_t>{3, rows, 2311} : std::vector<std::int64_t>{7001, rows};
        std::vector<T> x(static_cast<std::size_t>(element_count(extents)));
        for (std::size_t i = 0; i < x.size(); ++i) {
          std::uint64_t bits = rng();
          if (i % 997 != 0) bits &= ~(std::uint64_t{1} << (std::is_same_v<T, double> ? 62 : sizeof(T) == 4 ? 30 : 14));
          if (i % 5 == 0) bits <<= 8 * sizeof(bits) - 1, bits >>= 8 * (sizeof(bits) - sizeof(T));  // +-0
          std::memcpy(&x[i], &bits, sizeof(T));
        }
        for (const op_kind op : {op_kind::sum, op_kind::mean}) {
          for (const dtype result : {type, dtype::f64}) {
            reduction what = make_reduction(op, type, nan_policy::propagate, accuracy::exact);
            what.result = result;
            ASSERT_NO_FATAL_FAILURE(expect_interpreted(what, extents, {1}, x, x)) << rows << " rows";
          }
        }
      }
    }
  };
  try_all.operator()<bf16>(dtype::bf16);
  try_all.operator()<float>(dtype::f32);
  try_all.operator()<double>(dtype::f64);
}

template <class T>
T rounded_to(double x) {
  if constexpr (std::is_same_v<T, f16>) return to_f16(x);
  else if constexpr (std::is_same_v<T, bf16>) return to_bf16(x);
  else return static_cast<T>(x);
}

// A thread has several columns at once: some are ordinary, others far apart, beyond the least normal number, zeros of
// one sign, or not finite. Rows end with columns that are not there; axes are dense, cut and turned.
TEST_F(windows_on_device, columns_of_a_thread_that_differ) {
  struct shape {
    std::vector<std::int64_t> extents, axes;
  };
  const std::vector<shape> shapes{{{5, 2, 4099}, {1}}, {{236, 2, 131}, {1}},    {{3, 7, 1001}, {1}},
                                  {{20, 301}, {0}},    {{400, 5, 3}, {1}},      {{1, 9, 70}, {1}},
                                  {{500, 8, 2}, {1}},  {{7, 20, 30, 2}, {1, 3}}};
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const auto try_all = [&]<class T>(dtype type) {
    for (const shape& of : shapes) {
      const auto inner = of.extents.back(), rows = of.extents[of.extents.size() - 2];
      // The first so many kinds of columns: two windows, more of them, none, specials.
      for (const unsigned kinds : {1u, 2u, 3u, 5u, 8u}) {
        std::vector<unsigned> kind(static_cast<std::size_t>(element_count(of.extents) / rows));
        for (unsigned& each : kind) each = static_cast<unsigned>(rng() % kinds);
        std::vector<T> x(static_cast<std::size_t>(element_count(of.extents)));
        for (std::size_t i = 0; i < x.size(); ++i) {
          const std::size_t outer = i / static_cast<std::size_t>(rows * inner), c = i % static_cast<std::size_t>(inner);
          const bool seldom = rng() % 3 == 0;
          double value = std::ldexp(1 + static_cast<double>(rng() >> 12) * 0x1p-52, static_cast<int>(rng() % 4));
          if (rng() % 2 == 0) value = -value;
          switch (kind[outer * static_cast<std::size_t>(inner) + c]) {
            case 1: value = seldom ? std::ldexp(value, -35) : value; break;
            case 2: value = -0.0; break;
            case 3: value = seldom ? std::ldexp(value, -110) : value; break;
            case 4: value = seldom ? 0.0 : std::ldexp(value, -1070); break;
            case 5: value = seldom ? -0.0 : 0.0; break;
            case 6: value = seldom ? infinity : value; break;
            case 7: value = seldom ? (i % 2 == 0 ? infinity : std::numeric_limits<double>::quiet_NaN()) : value; break;
            default: break;
          }
          x[i] = rounded_to<T>(value);
        }
        for (const op_kind op : {op_kind::sum, op_kind::mean}) {
          for (const dtype result : {type, dtype::f64}) {
            reduction what = make_reduction(op, type, nan_policy::propagate, accuracy::exact);
            what.result = result;
            ASSERT_NO_FATAL_FAILURE(expect_interpreted(what, of.extents, of.axes, x, x)) << kinds << " kinds";
          }
        }
        std::vector<T> y = x;
        std::rotate(y.begin(), y.begin() + 1, y.end());
        for (const op_kind op :
             {op_kind::norm1, op_kind::sumsq, op_kind::norm2, op_kind::var, op_kind::std, op_kind::dot, op_kind::cov}) {
          reduction what = make_reduction(op, type, nan_policy::propagate, accuracy::exact);
          if (rng() % 4 == 0) what.result = dtype::f64;
          ASSERT_NO_FATAL_FAILURE(expect_interpreted(what, of.extents, of.axes, x, y)) << kinds << " kinds";
        }
      }
    }
  };
  try_all.operator()<f16>(dtype::f16);
  try_all.operator()<bf16>(dtype::bf16);
  try_all.operator()<float>(dtype::f32);
  try_all.operator()<double>(dtype::f64);
}

}  // namespace
}  // namespace multifold::device_tests
