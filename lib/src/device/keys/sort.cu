// Keys in order, by the radix sort of the toolkit's CUB, over as many bits as the number of groups has.
#include <bit>
#include <cub/device/device_radix_sort.cuh>

#include "device/keys/call.hpp"
#include "multifold/cuda/error.hpp"

namespace multifold::inline v0_1::cuda::keys {
namespace {

int key_bits(std::int64_t groups) {
  return groups < 2 ? 1 : static_cast<int>(std::bit_width(static_cast<std::uint64_t>(groups - 1)));
}

template <class Value>
void sort_with(const sort_call& c, void* workspace, std::size_t& bytes, cudaStream_t stream) {
  check(cub::DeviceRadixSort::SortPairs(workspace, bytes, c.keys, c.sorted_keys, static_cast<const Value*>(c.values),
                                        static_cast<Value*>(c.sorted_values), c.count, c.first_bit, key_bits(c.groups),
                                        stream));
}

void sort_any(const sort_call& c, void* workspace, std::size_t& bytes, cudaStream_t stream) {
  if (c.item_bytes == 1) sort_with<std::uint8_t>(c, workspace, bytes, stream);
  else if (c.item_bytes == 2) sort_with<std::uint16_t>(c, workspace, bytes, stream);
  else if (c.item_bytes == 4) sort_with<std::uint32_t>(c, workspace, bytes, stream);
  else sort_with<std::uint64_t>(c, workspace, bytes, stream);
}

}  // namespace

std::int64_t sort_workspace_bytes(const sort_call& c) {
  std::size_t bytes = 0;
  sort_any(c, nullptr, bytes, nullptr);
  return static_cast<std::int64_t>(bytes);
}

void sort(const sort_call& c, void* workspace, std::int64_t workspace_bytes, cudaStream_t stream) {
  auto bytes = static_cast<std::size_t>(workspace_bytes);
  sort_any(c, workspace, bytes, stream);
}

}  // namespace multifold::inline v0_1::cuda::keys
