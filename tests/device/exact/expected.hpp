// What an exact sum on the GPU has to come to, by adding element after element on the CPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <vector>

#include "device/device_fixture.hpp"
#include "device/exact/device_data.hpp"
#include "multifold/exact.hpp"
#include "multifold/ops/exact_sum.hpp"

namespace multifold::device_tests {

inline constexpr dtype real_dtypes[] = {dtype::f16, dtype::bf16, dtype::f32, dtype::f64};

struct exact_case {
  op_kind op = op_kind::sum;
  nan_policy nan = nan_policy::propagate;
  std::vector<std::int64_t> extents = {};
  std::vector<std::int64_t> axes = {};
  plan_options forced = {};
  std::int64_t shift = 0;
};

// Few results of long batches: the interpreter would copy an accumulator for every element.
inline std::vector<std::byte> summed(const plan& p, const void* data) {
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

inline void expect_exact(const exact_case& c, dtype type, data_family family, random_engine& rng) {
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

  // Batches of all families in turn: they meet in a tile, and those that follow each other ask for different exchanges.
  std::vector<std::byte> mixed_elements(dtype type, std::int64_t batches, std::int64_t length, std::int64_t step) {
    std::vector<std::byte> all;
    for (std::int64_t batch = 0; batch < batches; ++batch) {
      const auto family = static_cast<std::size_t>(batch * step) % std::size(all_families);
      const auto some = exact_elements(type, length, all_families[family], rng);
      all.insert(all.end(), some.begin(), some.end());
    }
    return all;
  }
};

}  // namespace multifold::device_tests
