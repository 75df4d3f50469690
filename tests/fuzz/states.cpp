// Fuzz target: bytes with a valid checksum are a state that merges and finishes, or are refused; what is read is the
// only form of what it says.
#include <cstdlib>
#include <iterator>

#include "fuzz/signed_bytes.hpp"
#include "multifold/error.hpp"
#include "multifold/exact/blob.hpp"
#include "multifold/state.hpp"

namespace {

using namespace multifold;

// One exact sum, or a sum of products, which no operation has.
void check_exact_sum(const std::vector<std::byte>& bytes) {
  std::vector<std::byte> whole;
  try {
    const exact_kind kind = exact_state_kind(bytes);
    if (!kind.products) whole = merge_states(empty_state(kind.element), bytes);
    else whole = merge_states(bytes, bytes);
  } catch (const error&) {
    return;
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
}

void check_merges(const state& read) {
  state behind = read, both = read;
  try {
    behind.move(read.end());
  } catch (const shape_error&) {
    return;  // indices that are as high as they can be
  }
  try {
    both.merge(behind);
    behind.merge(read);
  } catch (const overflow_error&) {
    return;
  }
  if (both.bytes() != behind.bytes() || state(both.bytes()).count() != both.count()) std::abort();
}

void finish_as(const state& read, op_kind op) {
  if (!read.has(op)) return;
  try {
    read.finish(op);
  } catch (const format_error&) {
    std::abort();
  } catch (const error&) {
    // no value, or one that does not fit
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::vector<std::byte> bytes = fuzzing::signed_bytes(data, size);
  check_exact_sum(bytes);
  try {
    const state read(bytes);
    if (read.bytes() != bytes) std::abort();
    check_merges(read);
    for (const op_kind op : all_ops) finish_as(read, op);
    for (const op_kind op : {op_kind::dot, op_kind::cov, op_kind::describe}) finish_as(read, op);
  } catch (const format_error&) {
  }
  return 0;
}
