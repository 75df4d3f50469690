// Counts of elements that are not zero: which elements those are, in every dtype, and what becomes of counts.
#include "multifold/ops/tally.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>

#include "core/ops/tally_data.hpp"
#include "multifold/ops/visit.hpp"
#include "random_bits.hpp"

namespace multifold {
namespace {

using namespace testing_tallies;

template <class T>
class tallies : public ::testing::Test {};
using dtypes = ::testing::Types<bool8, std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t,
                                std::uint16_t, std::uint32_t, std::uint64_t, f16, bf16, float, double>;
TYPED_TEST_SUITE(tallies, dtypes);

TYPED_TEST(tallies, of_single_elements) {
  using T = TypeParam;
  test::random_bits random(3);
  for (const int rate : {1, 2}) {
    const std::vector<std::byte> all = elements(dtype_of<T>, 3000, rate, random);
    for (std::size_t i = 0; i < all.size(); i += sizeof(T)) {
      T x;
      std::memcpy(&x, all.data() + i, sizeof x);
      for (const op_kind op : ops) {
        for (const nan_policy nan : {nan_policy::propagate, nan_policy::omit}) {
          visit_fold<op_family::tally, T>(make_reduction(op, dtype_of<T>, nan), [&](const auto& fold) {
            using fold_type = std::remove_cvref_t<decltype(fold)>;
            static_assert(order_free<fold_type>);
            const auto element = bit_copy<typename fold_type::value_type>(x);
            tally_of_elements of;
            count(of, x, nan);
            const scalar value = fold.lower(fold.lift(element, 0), 1);
            EXPECT_EQ(value.what, scalar::kind::integer);
            EXPECT_EQ(static_cast<std::int64_t>(value.integer), value_of(op, of));
            EXPECT_EQ(fold.lift(element, 0), fold.widen(fold.absorb(fold.lane_identity(), element, 0)));
          });
        }
      }
    }
  }
}

TYPED_TEST(tallies, are_those_of_carriers) {
  using T = TypeParam;
  for (const op_kind op : ops) {
    for (const nan_policy nan : {nan_policy::propagate, nan_policy::omit}) {
      const reduction what = make_reduction(op, dtype_of<T>, nan);
      visit_fold<op_family::tally, T>(what, [&]<class Fold>(const Fold& fold) {
        visit_fold<op_family::tally, bits_carrier<T>>(what, [&]<class Carried>(const Carried& carried) {
          static_assert(std::is_same_v<Fold, Carried>);
          EXPECT_EQ(fold.mask, carried.mask);
          EXPECT_EQ(fold.most, carried.most);
        });
      });
    }
  }
}

TEST(tally, of_nothing) {
  for (const op_kind op : ops) {
    const merged_tally fold{op};
    const scalar value = fold.lower(fold.identity(), 0);
    EXPECT_EQ(static_cast<std::int64_t>(value.integer), op == op_kind::all ? 1 : 0);
  }
}

TEST(tally, of_batches) {
  EXPECT_EQ(static_cast<std::int64_t>(merged_tally{op_kind::all}.lower(6, 7).integer), 0);
  EXPECT_EQ(static_cast<std::int64_t>(merged_tally{op_kind::all}.lower(7, 7).integer), 1);
  EXPECT_EQ(static_cast<std::int64_t>(merged_tally{op_kind::any}.lower(std::int64_t{1} << 40, INT64_MAX).integer), 1);
  EXPECT_EQ(static_cast<std::int64_t>(merged_tally{op_kind::count_nonzero}.lower(7, 9).integer), 7);
}

}  // namespace
}  // namespace multifold
