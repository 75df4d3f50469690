// Extremes of rows of floating point, and their places, against keys of one element at a time: numbers of either sign
// alone, zeros, NaN of either sign, any bits, from any address.
#include "host/ops/extreme_bits.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "host/short_row.hpp"
#include "multifold/types/scalar_store.hpp"
#include "random_bits.hpp"

namespace multifold {
namespace {

template <class T>
struct extreme_bits : testing::Test {};
using reals = testing::Types<f16, bf16, float, double>;
TYPED_TEST_SUITE(extreme_bits, reals);

enum class flavour { any_bits, below_zero, above_zero, zeros };

template <class T>
T element(flavour of, test::random_bits& random) {
  using key = key_of<T>;
  constexpr auto sign = static_cast<std::uint64_t>(static_cast<std::make_unsigned_t<key>>(least_key<key>));
  std::uint64_t bits = random();
  if (of == flavour::zeros) return bit_copy<T>(static_cast<key>(bits % 2 == 0 ? 0 : sign));
  if (of == flavour::any_bits) return bit_copy<T>(static_cast<key>(bits));
  bits %= static_cast<std::uint64_t>(detail::infinity_bits<T>) + 1;
  return bit_copy<T>(static_cast<key>(of == flavour::below_zero ? bits | sign : bits));
}

template <class Op, class T>
scalar one_by_one(const Op& op, const T* x, std::int64_t count) {
  auto all = op.identity();
  for (std::int64_t i = 0; i < count; ++i) all = op.combine(all, op.lift(x[i], i));
  return op.lower(all, count);
}

TYPED_TEST(extreme_bits, are_those_of_keys) {
  using T = TypeParam;
  test::random_bits random(20261129);
  std::vector<T> x;
  for (int round = 0; round < 6000; ++round) {
    const auto of = static_cast<flavour>(random() % 4);
    const auto count = static_cast<std::int64_t>(1 + random() % (round % 10 == 0 ? 20'000 : 400));
    const std::size_t first = random() % 64;
    x.resize(first + static_cast<std::size_t>(count));
    for (T& each : x) each = element<T>(of, random);
    if (of == flavour::any_bits && random() % 2 == 0) {  // no NaN, or one of them, of either sign
      for (T& each : x) {
        while (std::isnan(to_double(each))) each = element<T>(of, random);
      }
      constexpr auto sign = static_cast<std::make_unsigned_t<key_of<T>>>(least_key<key_of<T>>);
      const auto least_nan = static_cast<std::make_unsigned_t<key_of<T>>>(detail::infinity_bits<T> + 1);
      const std::size_t at = first + random() % static_cast<std::uint64_t>(count);
      if (random() % 2 == 0)
        x[at] = bit_copy<T>(static_cast<key_of<T>>(random() % 2 == 0 ? least_nan | sign : least_nan));
    }
    for (const op_kind op : {op_kind::min, op_kind::max, op_kind::argmin, op_kind::argmax}) {
      const reduction what = make_reduction(op, dtype_of<T>);
      const T* const from = x.data() + first;
      const auto policy =
          order_policy<T>(op == op_kind::max || op == op_kind::argmax, nan_policy::propagate, dtype_of<T>);
      const bool place = op == op_kind::argmin || op == op_kind::argmax;
      const scalar wanted =
          place ? one_by_one(arg_extremum<T>{policy}, from, count) : one_by_one(extremum<T>{policy}, from, count);
      std::byte expected[8] = {}, found[8] = {};
      store(wanted, what.result, expected);
      host::run_row(what, {from, nullptr}, count, found);
      ASSERT_EQ(std::memcmp(found, expected, sizeof found), 0)
          << name(op) << " of " << name(dtype_of<T>) << ", " << count << " elements from " << first << ", flavour "
          << static_cast<int>(of);
    }
  }
}

}  // namespace
}  // namespace multifold
