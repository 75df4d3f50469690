// Runs of tiles whose elements need several windows, against plans that are interpreted.
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "device/exact_expected.hpp"
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

}  // namespace
}  // namespace multifold::device_tests
