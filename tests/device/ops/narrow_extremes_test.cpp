// Extremes of elements of 1 and 2 bytes, and where they stand, where threads take columns as words.
#include <cstdint>
#include <vector>

#include "device/exact/expected.hpp"
#include "device/interpreted.hpp"

namespace multifold::device_tests {
namespace {

class narrow_extremes_on_device : public exact_on_device {
 protected:
  template <class T>
  void try_all(dtype type, std::int64_t columns, std::int64_t length, const std::vector<T>& x) {
    for (const op_kind op : {op_kind::argmin, op_kind::argmax, op_kind::min, op_kind::max}) {
      for (const nan_policy nan : {nan_policy::propagate, nan_policy::omit}) {
        const reduction what = make_reduction(op, type, nan);
        ASSERT_NO_FATAL_FAILURE(expect_interpreted(what, {length, columns}, {0}, x, x));
        const std::int64_t outer = columns / 7;
        if (outer * 7 == columns) {
          ASSERT_NO_FATAL_FAILURE(expect_interpreted(what, {outer, length, 7}, {1}, x, x));
        }
      }
    }
  }
};

TEST_F(narrow_extremes_on_device, of_columns_with_ties_and_every_bit) {
  for (const std::int64_t columns : {5, 7 * 43, 1026}) {
    for (const std::int64_t length : {1, 2, 3, 7, 40, 999}) {
      for (const unsigned different : {2u, 5u, 0x10000u}) {
        const auto count = static_cast<std::size_t>(columns * length);
        std::vector<std::uint8_t> bytes(count);
        std::vector<std::uint16_t> halves(count);
        for (auto& each : bytes) each = static_cast<std::uint8_t>(rng() % different * 0x51u);
        for (auto& each : halves) each = static_cast<std::uint16_t>(rng() % different * 0x2a55u);
        for (const dtype type : {dtype::i8, dtype::u8, dtype::boolean})
          ASSERT_NO_FATAL_FAILURE(try_all(type, columns, length, bytes));
        for (const dtype type : {dtype::i16, dtype::u16})
          ASSERT_NO_FATAL_FAILURE(try_all(type, columns, length, halves));
      }
    }
  }
}

// A first element that is a number, since there is no index where all elements are omitted.
TEST_F(narrow_extremes_on_device, of_floating_point_with_nan_and_zeros_of_both_signs) {
  for (const dtype type : {dtype::f16, dtype::bf16}) {
    const std::uint16_t infinity = type == dtype::f16 ? 0x7c00 : 0x7f80;
    for (const std::int64_t columns : {5, 7 * 43, 1026}) {
      for (const std::int64_t length : {1, 2, 3, 7, 40, 999}) {
        for (const unsigned one_in : {2u, 50u, 5000u}) {
          std::vector<std::uint16_t> x(static_cast<std::size_t>(columns * length));
          for (auto& each : x) {
            each = static_cast<std::uint16_t>(rng());
            if ((each & infinity) == infinity) each = 0;
            if (one_in < 50 && rng() % 2 == 0) each &= 0x8000;  // zeros
            if (rng() % one_in == 0) each = static_cast<std::uint16_t>(infinity | rng());
            if (rng() % one_in == 0) each = static_cast<std::uint16_t>(infinity | (rng() & 0x8000));
          }
          for (std::int64_t i = 0; i < columns * length; ++i) {
            const bool first = i < columns || i / 7 % length == 0;
            std::uint16_t& each = x[static_cast<std::size_t>(i)];
            if (first && (each & 0x7fff) > infinity) each = 0;
          }
          ASSERT_NO_FATAL_FAILURE(try_all(type, columns, length, x));
        }
      }
    }
  }
}

}  // namespace
}  // namespace multifold::device_tests
