#include "io/formats/zip/crc32.hpp"
#include "random_bits.hpp"

#include <gtest/gtest.h>

#include <string_view>
#include <vector>

namespace multifold::inline v0_1::io {
namespace {

std::uint32_t crc_of(std::string_view text, bool simd = true) {
  return crc32(std::as_bytes(std::span(text.data(), text.size())), simd);
}

// Bit by bit, as the definition has it.
std::uint32_t plain(std::span<const std::byte> bytes) {
  std::uint32_t rest = ~std::uint32_t{0};
  for (const std::byte b : bytes) {
    rest ^= std::to_integer<std::uint32_t>(b);
    for (int bit = 0; bit < 8; ++bit) rest = rest >> 1 ^ (rest & 1 ? 0xedb88320u : 0);
  }
  return ~rest;
}

std::vector<std::byte> noise(std::size_t bytes) {
  test::random_bits random(9);
  std::vector<std::byte> all(bytes);
  for (std::byte& b : all) b = static_cast<std::byte>(random());
  return all;
}

TEST(crc32, has_the_check_value_of_the_standard) {
  EXPECT_EQ(crc_of("123456789"), 0xcbf43926u);
  EXPECT_EQ(crc_of("123456789", false), 0xcbf43926u);
  EXPECT_EQ(crc_of(""), 0u);
}

TEST(crc32, is_right_for_every_length_and_place) {
  const std::vector<std::byte> all = noise(3000);
  for (std::size_t bytes = 0; bytes < 1200; ++bytes) {
    const auto some = std::span(all).subspan(bytes % 67, bytes);
    ASSERT_EQ(crc32(some), plain(some)) << bytes;
    ASSERT_EQ(crc32(some, false), plain(some)) << bytes;
  }
  EXPECT_EQ(crc32(all), plain(all));
}

TEST(crc32, is_joined) {
  const std::vector<std::byte> all = noise(2000);
  const std::span<const std::byte> bytes(all);
  for (std::size_t cut = 0; cut <= bytes.size(); cut += 13) {
    ASSERT_EQ(joined_crc32(crc32(bytes.first(cut)), crc32(bytes.subspan(cut)), bytes.size() - cut), crc32(bytes));
  }
  // 2^32 zeros, by zlib.
  std::uint32_t zeros = crc_of(std::string_view("\0", 1));
  for (int i = 0; i < 32; ++i) zeros = joined_crc32(zeros, zeros, std::uint64_t{1} << i);
  EXPECT_EQ(zeros, 0xd202ef8du);
}

}  // namespace
}  // namespace multifold::inline v0_1::io
