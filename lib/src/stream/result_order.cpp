// One copy where both orders are the same; else one a result.
#include "stream/result_order.hpp"

#include <cstring>

namespace multifold::stream {

void put_in_order(const host::nest& n, host::interval which, const std::byte* from, std::int64_t item,
                  std::byte* results) {
  const std::int64_t count = which.end - which.begin;
  if (count <= 0) return;
  if (n.in_order) {
    std::memcpy(results + which.begin * item, from, static_cast<std::size_t>(count * item));
    return;
  }
  for (std::int64_t i = 0; i < count; ++i) {
    std::memcpy(results + n.result_of(which.begin + i) * item, from + i * item, static_cast<std::size_t>(item));
  }
}

}  // namespace multifold::stream
