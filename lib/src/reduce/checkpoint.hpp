// How far a long sum has come, as bytes that a file keeps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "multifold/dtype.hpp"
#include "multifold/ops.hpp"

namespace multifold::detail {

/// The sum of the first `done` of `elements`, in memory order.
struct checkpoint {
  std::int64_t elements = 0;
  std::int64_t done = 0;
  nan_policy nan = nan_policy::propagate;
  std::uint64_t sample = 0;  // a checksum of some of the elements that are done
  std::vector<std::byte> state;
};

/// Little endian: magic "MFCHECK\n", u16 version, u16 NaN policy, u32 size of all; i64 elements, i64 done, u64 sample;
/// the state of the sum; FNV-1a-64 of all bytes before it.
std::vector<std::byte> encode(const checkpoint& c);

/// Throws: format_error, naming byte, found and expected, unless `in` is one whole checkpoint.
checkpoint decode_checkpoint(std::span<const std::byte> in);

}  // namespace multifold::detail
