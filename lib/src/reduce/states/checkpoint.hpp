// How far a long sum has come, as bytes that a file keeps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "multifold/dtype.hpp"
#include "multifold/ops.hpp"
#include "reduce/states/element_digest.hpp"

namespace multifold::inline v0_1::detail {

/// The sum of the first `done` of `elements`, in memory order.
struct checkpoint {
  std::int64_t elements = 0;
  std::int64_t done = 0;
  nan_policy nan = nan_policy::propagate;
  element_digest summed;    // of the elements that are done
  element_digest identity;  // of the source's identity: see source.hpp; none if it has none
  std::vector<std::byte> state;
};

/// Little endian: magic "MFCHECK\n", u16 version, u16 NaN policy, u32 size of all; i64 elements, i64 done; the digests
/// of the elements summed and of the source's identity, u64 low and high each; the state of the sum; FNV-1a-64 of all
/// bytes before it.
std::vector<std::byte> encode(const checkpoint& c);

/// Throws: format_error, naming byte, found and expected, unless `in` is one whole checkpoint.
checkpoint decode_checkpoint(std::span<const std::byte> in);

}  // namespace multifold::inline v0_1::detail
