// Fuzz target: bytes with a valid checksum are a checkpoint that is written as it was read, or are refused.
#include <cstdlib>

#include "fuzz/signed_bytes.hpp"
#include "multifold/error.hpp"
#include "reduce/states/checkpoint.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace multifold;
  const std::vector<std::byte> bytes = fuzzing::signed_bytes(data, size);
  try {
    const detail::checkpoint found = detail::decode_checkpoint(bytes);
    if (found.done < 0 || found.done > found.elements) std::abort();
    if (detail::encode(found) != bytes) std::abort();
  } catch (const format_error&) {
    // refused
  }
  return 0;
}
