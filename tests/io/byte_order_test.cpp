#include "io/formats/byte_order.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace multifold::inline v0_1::io {
namespace {

TEST(byte_order, reverses_every_element_of_any_size_length_and_alignment) {
  for (const std::size_t item : {1, 2, 4, 8}) {
    for (std::size_t elements = 0; elements < 40; ++elements) {
      for (std::size_t shift = 0; shift < 9; ++shift) {
        std::vector<std::byte> bytes(shift + elements * item + 3);
        for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i * 7 + 1);
        std::vector<std::byte> expected = bytes;
        for (std::size_t i = 0; i < elements; ++i) {
          const auto first = expected.begin() + static_cast<std::ptrdiff_t>(shift + i * item);
          std::reverse(first, first + static_cast<std::ptrdiff_t>(item));
        }
        swap_bytes(std::span(bytes).subspan(shift, elements * item), static_cast<std::int64_t>(item));
        ASSERT_EQ(bytes, expected) << "item " << item << ", elements " << elements << ", shift " << shift;
      }
    }
  }
}

TEST(byte_order, leaves_a_part_of_an_element_alone) {
  std::vector<std::byte> bytes{std::byte{1}, std::byte{2}, std::byte{3}, std::byte{4}, std::byte{5}, std::byte{6}};
  swap_bytes(bytes, 4);
  EXPECT_EQ(bytes[0], std::byte{4});
  EXPECT_EQ(bytes[4], std::byte{5});
  EXPECT_EQ(bytes[5], std::byte{6});
}

}  // namespace
}  // namespace multifold::inline v0_1::io
