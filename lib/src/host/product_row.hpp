// One contiguous row to its product of integers. Blocks without factors other than 1 and -1 only flip the sign, and so
// does every block of a product beyond binary64: in two thousand others. A zero ends the row.
#pragma once

#include <type_traits>

#include "host/row.hpp"

namespace multifold::host {

template <class T>
MULTIFOLD_INLINE typename integer_product<T>::accumulator row_of(const integer_product<T>& op, const row_span<T>& row,
                                                                 std::int64_t, std::int64_t) {
  const packed<T>* const x = row.data;
  const std::int64_t length = row.length;
  constexpr int block = 64;
  auto total = op.identity();
  std::int64_t k = 0;
  for (; k + block <= length; k += block) {
    using bits = std::make_unsigned_t<key_of<T>>;
    bits zero = 0, other = 0, sign = 0;
    prefetch_behind(x + k, block * sizeof(T));
    for (int j = 0; j < block; ++j) {
      if constexpr (std::is_same_v<T, bool8>) {
        zero = static_cast<bits>(zero | (x[k + j].value.bits == 0 ? 1 : 0));
      } else {
        const bits b = static_cast<bits>(x[k + j].value);
        constexpr bits shift = std::is_signed_v<T> ? 1 : 0;
        zero = static_cast<bits>(zero | (b == 0 ? 1 : 0));
        other = static_cast<bits>(other | (static_cast<bits>(b + shift) > 1 + shift ? 1 : 0));
        if constexpr (std::is_signed_v<T>) sign = static_cast<bits>(sign ^ b);
      }
    }
    if (zero != 0) return {0, 0, 0, false, false};
    if (other == 0 || total.exponent > multifold::detail::beyond_formats) {
      total.negative = total.negative != ((sign >> (8 * sizeof(bits) - 1)) != 0);
    } else {
      for (int j = 0; j < block; ++j) total = op.combine(total, op.lift(x[k + j].value, 0));
    }
  }
  for (; k < length; ++k) total = op.combine(total, op.lift(x[k].value, 0));
  return total;
}

}  // namespace multifold::host
