// Fuzz target: bytes with a valid checksum are a state that merges and rounds, or are refused; what is merged is whole.
#include <cstdlib>

#include "fuzz/signed_bytes.hpp"
#include "multifold/error.hpp"
#include "multifold/exact/blob.hpp"
#include "multifold/state.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace multifold;
  const std::vector<std::byte> bytes = fuzzing::signed_bytes(data, size);
  std::vector<std::byte> whole;
  try {
    const exact_kind kind = exact_state_kind(bytes);
    if (!kind.products) whole = merge_states(empty_state(kind.element), bytes);
    else whole = merge_states(bytes, bytes);
  } catch (const error&) {
    return 0;
  }
  // From here on nothing may be refused, but for counts that grow out of their type.
  try {
    if (merge_states(whole, bytes) != merge_states(bytes, whole)) std::abort();
  } catch (const overflow_error&) {
  }
  alignas(8) std::byte value[8];
  if (!exact_state_kind(whole).products) {
    for (const op_kind op : {op_kind::sum, op_kind::mean}) round_state(whole, op, dtype::f64, value);
  }
  return 0;
}
