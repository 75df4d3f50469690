// Elements at any address: the compiler emits unaligned loads, and vectorises them.
#pragma once

#include <cstddef>

namespace multifold::inline v0_1::host {

template <class T>
struct [[gnu::packed, gnu::may_alias]] packed {
  T value;
};

template <class T>
const packed<T>* packed_at(const std::byte* data) {
  return reinterpret_cast<const packed<T>*>(data);
}

}  // namespace multifold::inline v0_1::host
