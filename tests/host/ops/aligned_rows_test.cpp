// Long rows that begin anywhere, of operations to which order is nothing: vectors begin where cache lines do, and every
// element counts once all the same.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "host/kernels/instantiate.hpp"
#include "random_bits.hpp"

namespace {

using namespace multifold;
using namespace multifold::host;

template <class Op>
typename Op::accumulator row_of_level(const Op& op, simd_level level, const std::byte* x, std::size_t length) {
  typename Op::accumulator found = op.identity();
  rows_work w{};
  w.data = x;
  w.acc = reinterpret_cast<std::byte*>(&found);
  w.rows = 1;
  w.length = w.row_stride = static_cast<std::int64_t>(length);
  w.index_step = 1;
  table_of<Op>.kernels[static_cast<std::size_t>(level)].rows(&op, w);
  return found;
}

template <class T>
struct AlignedRows : testing::Test {};
using elements = testing::Types<std::int8_t, std::uint16_t, std::int32_t, std::int64_t, std::uint64_t>;
TYPED_TEST_SUITE(AlignedRows, elements);

TYPED_TEST(AlignedRows, FromEveryByteOfALine) {
  using T = TypeParam;
  test::random_bits random(31);
  for (const std::size_t bytes : {4000u, 4096u, 5000u, 20000u}) {
    const std::size_t length = bytes / sizeof(T);
    std::vector<std::byte> memory(bytes + 192);
    for (std::byte& b : memory) b = static_cast<std::byte>(random());
    const auto line = static_cast<std::size_t>(64 - reinterpret_cast<std::uintptr_t>(memory.data()) % 64);
    for (std::size_t offset = 0; offset < 64; ++offset) {
      const std::byte* const x = memory.data() + line + offset;
      std::vector<T> copy(length);
      std::memcpy(copy.data(), x, length * sizeof(T));
      int128_t sum = 0;
      for (const T v : copy) sum += v;
      const auto least = std::min_element(copy.begin(), copy.end());
      for (const simd_level level : {simd_level::portable, simd_level::avx2, simd_level::avx512}) {
        if (!supported(level)) continue;
        ASSERT_TRUE(row_of_level(integer_sum<T>{}, level, x, length) == sum) << name(level) << ' ' << offset;
        ASSERT_EQ(row_of_level(arg_extremum<T>{}, level, x, length).index, least - copy.begin())
            << name(level) << ' ' << offset << ' ' << length;
      }
    }
  }
}

}  // namespace
