// States of exact sums as bytes: what comes back, their layout, and every way in which bytes can be wrong.
#include "multifold/exact/blob.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/exact/data.hpp"
#include "multifold/error.hpp"
#include "multifold/exact.hpp"

namespace multifold {
namespace {

template <class Format>
class exact_blob : public ::testing::Test {};

using formats = ::testing::Types<exact_traits<f16>, exact_traits<bf16>, exact_traits<float>, exact_traits<double>,
                                 exact_product_traits<f16>, exact_product_traits<bf16>, exact_product_traits<float>,
                                 exact_product_traits<double>>;
TYPED_TEST_SUITE(exact_blob, formats);

template <class Format>
exact_accumulator<Format> random_sum(testing_data::engine& random, int count) {
  using element = typename Format::element;
  exact_accumulator<Format> sum;
  for (int i = 0; i < count; ++i) {
    const auto x = testing_data::random_finite<element>(random), y = testing_data::random_finite<element>(random);
    if constexpr (Format::products) sum.add_product(x, y);
    else sum.add(random() % 2 != 0 ? x : testing_data::negated(y));
  }
  return sum;
}

template <class Format>
std::vector<std::byte> saved(const exact_accumulator<Format>& sum) {
  std::vector<std::byte> bytes(exact_state_bytes<Format>);
  save_exact(sum, std::span(bytes));
  return bytes;
}

// The checksum of all but its own bytes, as one who forges a state would make it.
void sign(std::vector<std::byte>& bytes) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (std::size_t i = 0; i + 8 < bytes.size(); ++i) {
    hash = (hash ^ std::to_integer<std::uint64_t>(bytes[i])) * 0x100000001b3u;
  }
  for (std::size_t i = 0; i < 8; ++i) bytes[bytes.size() - 8 + i] = static_cast<std::byte>(hash >> (8 * i));
}

template <class Format>
std::string refusal(const std::vector<std::byte>& bytes) {
  testing_data::engine random(60);
  auto sum = random_sum<Format>(random, 20);
  const auto before = sum;
  try {
    merge_exact(sum, std::span(bytes));
  } catch (const format_error& e) {
    EXPECT_TRUE(sum == before);
    return e.what();
  }
  return "accepted";
}

TYPED_TEST(exact_blob, a_state_comes_back_and_merges_as_the_sum_it_was) {
  testing_data::engine random(61);
  for (const int count : {0, 1, 2, 1000}) {
    auto sum = random_sum<TypeParam>(random, count), other = random_sum<TypeParam>(random, 77);
    sum.add_counts({6, 1, 2, 3, 6});
    const auto bytes = saved(sum);
    EXPECT_TRUE(exact_state_kind(bytes) == TypeParam::kind);
    const auto loaded = load_exact<TypeParam>(bytes);
    ASSERT_TRUE(loaded == sum);
    ASSERT_EQ(saved(loaded), bytes);
    auto merged = other;
    merge_exact(merged, std::span(bytes));
    other.merge(sum);
    ASSERT_TRUE(merged == other);
    sum.normalise();
    ASSERT_EQ(saved(sum), bytes);
  }
}

TYPED_TEST(exact_blob, every_flipped_byte_is_found) {
  testing_data::engine random(62);
  const auto bytes = saved(random_sum<TypeParam>(random, 100));
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    for (const int flip : {0x01, 0x80, 0xff, 1 + static_cast<int>(random() % 255)}) {
      auto wrong = bytes;
      wrong[i] ^= static_cast<std::byte>(flip);
      ASSERT_EQ(refusal<TypeParam>(wrong).rfind("state of an exact sum, byte ", 0), 0u) << i;
    }
  }
}

TYPED_TEST(exact_blob, every_truncation_and_anything_after_the_end_is_found) {
  testing_data::engine random(63);
  auto bytes = saved(random_sum<TypeParam>(random, 100));
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const std::vector<std::byte> cut(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
    ASSERT_EQ(refusal<TypeParam>(cut).find("byte " + std::to_string(size) + ": found the end, expected"), 23u) << size;
  }
  bytes.push_back(std::byte{0});
  EXPECT_NE(refusal<TypeParam>(bytes).find("found 1 more bytes, expected the end"), std::string::npos);
}

TYPED_TEST(exact_blob, buffers_of_another_size_are_refused) {
  std::vector<std::byte> bytes(exact_state_bytes<TypeParam> + 1);
  const exact_accumulator<TypeParam> sum;
  EXPECT_THROW(save_exact(sum, std::span(bytes)), shape_error);
  EXPECT_THROW(save_exact(sum, std::span(bytes).first(10)), shape_error);
}

TYPED_TEST(exact_blob, a_sum_too_large_for_its_count_is_found_behind_a_valid_checksum) {
  using element = typename TypeParam::element;
  const element largest = testing_oracle::from_bits<element>(testing_data::infinity_bits<element> - 1);
  exact_accumulator<TypeParam> sum;
  for (int i = 0; i < 4; ++i) {
    if constexpr (TypeParam::products) sum.add_product(largest, testing_data::negated(largest));
    else sum.add(testing_data::negated(largest));
  }
  auto bytes = saved(sum);
  EXPECT_EQ(refusal<TypeParam>(bytes), "accepted");
  bytes[16] = std::byte{0};  // n, and the inputs other than -0
  bytes[48] = std::byte{0};
  sign(bytes);
  EXPECT_NE(refusal<TypeParam>(bytes).find("byte 56: found a sum larger than its number of inputs"), std::string::npos);
  auto huge = saved(exact_accumulator<TypeParam>());
  huge[16] = std::byte{9};
  huge[huge.size() - 9] = std::byte{0x40};  // far beyond what any count allows
  sign(huge);
  EXPECT_NE(refusal<TypeParam>(huge).find("byte 56: found a sum larger than its number of inputs"), std::string::npos);
  if (TypeParam::kind.element == dtype::f16 && TypeParam::products) return;  // shares the wider range of f32
  bytes[16] = std::byte{3};
  sign(bytes);
  EXPECT_NE(refusal<TypeParam>(bytes).find("byte 56: found a sum larger than its number of inputs"), std::string::npos);
}

TYPED_TEST(exact_blob, other_kinds_than_sums_and_products_are_refused) {
  auto bytes = saved(exact_accumulator<TypeParam>());
  bytes[11] = std::byte{2};
  sign(bytes);
  EXPECT_NE(refusal<TypeParam>(bytes).find("byte 11: found 2, expected 0 (sums) or 1 (products)"), std::string::npos);
}

TYPED_TEST(exact_blob, impossible_counts_are_found_behind_a_valid_checksum) {
  const auto bytes = saved(exact_accumulator<TypeParam>());
  for (const std::size_t at : {16u, 24u, 32u, 40u, 48u}) {
    auto wrong = bytes;
    wrong[at + 7] = std::byte{0x80};
    sign(wrong);
    const std::string what = at == 16 ? "a count of -9" : "a mark of -9";
    EXPECT_NE(refusal<TypeParam>(wrong).find("byte " + std::to_string(at) + ": found " + what), std::string::npos);
    if (at == 16) continue;
    for (const int mark : {1, 2}) {
      wrong = bytes;
      wrong[at] = static_cast<std::byte>(mark);
      sign(wrong);
      const std::string found =
          mark == 2 ? "byte " + std::to_string(at) + ": found a mark of 2" : "byte 16: found 0 inputs";
      EXPECT_NE(refusal<TypeParam>(wrong).find(found), std::string::npos);
    }
  }
}

// One input is a NaN, or an infinity of one sign, or a number: never two of them.
TYPED_TEST(exact_blob, two_marks_of_one_input_are_found_behind_a_valid_checksum) {
  using element = typename TypeParam::element;
  const element infinity = testing_oracle::from_bits<element>(testing_data::infinity_bits<element>);
  for (const std::size_t second : {24u, 32u, 40u}) {
    for (const std::size_t first : {24u, 32u, 40u}) {
      if (first == second) continue;
      exact_accumulator<TypeParam> sum;
      if constexpr (TypeParam::products) sum.add_product(infinity, infinity);
      else sum.add(infinity);
      auto bytes = saved(sum);
      bytes[32] = std::byte{0};
      bytes[first] = std::byte{1};
      sign(bytes);
      EXPECT_EQ(refusal<TypeParam>(bytes), "accepted");
      bytes[second] = std::byte{1};
      sign(bytes);
      EXPECT_NE(refusal<TypeParam>(bytes).find("byte 16: found 1 inputs, expected one for each mark"),
                std::string::npos);
      bytes[16] = std::byte{2};
      sign(bytes);
      EXPECT_EQ(refusal<TypeParam>(bytes), "accepted");
    }
  }
}

TEST(exact_blob_format, other_kinds_and_versions_say_so) {
  exact_sum<double> sum;
  sum.add(1.5);
  auto bytes = saved(sum);
  EXPECT_EQ(refusal<exact_traits<float>>(bytes),
            "state of an exact sum, byte 10: found sums of f64, expected sums of f32");
  EXPECT_EQ(refusal<exact_product_traits<double>>(bytes),
            "state of an exact sum, byte 10: found sums of f64, expected sums of products of f64");
  EXPECT_EQ(refusal<exact_traits<bf16>>(saved(exact_sum<float>())),
            "state of an exact sum, byte 10: found sums of f32, expected sums of bf16");
  bytes[8] = std::byte{2};
  sign(bytes);
  EXPECT_EQ(refusal<exact_traits<double>>(bytes),
            "state of an exact sum, byte 8: found version 2, expected version 1; a newer multifold wrote this");
  EXPECT_THROW(exact_state_kind(bytes), format_error);
  bytes[8] = std::byte{0};  // there was none before version 1
  sign(bytes);
  EXPECT_EQ(refusal<exact_traits<double>>(bytes), "state of an exact sum, byte 8: found version 0, expected version 1");
  bytes[0] = std::byte{'Z'};
  EXPECT_EQ(refusal<exact_traits<double>>(bytes),
            "state of an exact sum, byte 0: found 90, expected the magic bytes of the state of an exact sum");
}

TEST(exact_blob_format, counts_beyond_the_limit_leave_the_sum_as_it_was) {
  exact_sum<float> sum, other;
  sum.add(3);
  sum.add_counts({INT64_MAX - 1, 0, 0, 0, INT64_MAX - 1});
  other.add(4);
  const auto bytes = saved(other);
  const auto before = sum;
  EXPECT_THROW(merge_exact(sum, std::span(bytes)), overflow_error);
  EXPECT_TRUE(sum == before);
}

// -3.25 in units of 2^-24: a state of version 1 that every later version has to read. Made by Python.
TEST(exact_blob_format, version_1_byte_by_byte) {
  exact_sum<f16> sum;
  sum.add(to_f16(-3.25));
  std::string hex;
  for (const std::byte b : saved(sum)) {
    for (const unsigned half : {std::to_integer<unsigned>(b) >> 4, std::to_integer<unsigned>(b) & 15u}) {
      hex += "0123456789abcdef"[half];
    }
  }
  EXPECT_EQ(hex,
            "4d4645584143540a0100010050000000"  //
            "01000000000000000000000000000000"  //
            "00000000000000000000000000000000"  //
            "01000000000000000000c0fcffffffff"  //
            "ffffffffffffffffad73d7560e2fccca");
  EXPECT_EQ(exact_state_bytes_max, 600u);
}

}  // namespace
}  // namespace multifold
