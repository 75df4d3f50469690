// Results find their places, whatever their order, and whichever thread copies them.
#include "stream/result_order.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

namespace multifold::inline v0_1::stream {
namespace {

void expect_in_place(const batches& form, std::int64_t step, int threads) {
  const host::nest n = host::nest_of(form);
  std::vector<std::int32_t> in_memory(static_cast<std::size_t>(n.results)), expected(in_memory.size()),
      got(in_memory.size());
  std::iota(in_memory.begin(), in_memory.end(), 7);
  for (std::int64_t i = 0; i < n.results; ++i) {
    expected[static_cast<std::size_t>(n.result_of(i))] = in_memory[static_cast<std::size_t>(i)];
  }
  for (std::int64_t first = 0; first < n.results; first += step) {
    put_in_order(n, {first, std::min(first + step, n.results)},
                 reinterpret_cast<const std::byte*>(in_memory.data() + first), 4,
                 reinterpret_cast<std::byte*>(got.data()), threads);
  }
  EXPECT_EQ(got, expected);
}

TEST(result_order, puts_every_result_in_its_place) {
  array_view fortran = make_view(nullptr, dtype::i8, {1300, 2, 1100});
  fortran.strides = fortran_strides(fortran.extents);
  const batches turned = normalise(fortran, {1}, element_order::any);
  const batches straight = normalise(make_view(nullptr, dtype::i8, {1'500'001, 2}), {1}, element_order::any);
  EXPECT_FALSE(host::nest_of(turned).in_order);
  for (const batches& form : {turned, straight}) {
    for (const int threads : {1, 3}) {
      for (const std::int64_t step : {INT64_C(1000), INT64_C(1'100'003), INT64_MAX / 2}) {
        expect_in_place(form, step, threads);
      }
    }
  }
}

}  // namespace
}  // namespace multifold::inline v0_1::stream
