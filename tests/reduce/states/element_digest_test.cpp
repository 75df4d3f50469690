#include "reduce/states/element_digest.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <set>
#include <vector>

#include "random_bits.hpp"
#include "reduce/sources/vector_source.hpp"
#include "reduce/states/digested_window.hpp"

namespace multifold::inline v0_1::detail {
namespace {

constexpr auto block = static_cast<std::size_t>(digest_block_bytes);

std::vector<std::byte> noise(std::size_t bytes) {
  test::random_bits random(3);
  std::vector<std::byte> all(bytes);
  for (std::byte& b : all) b = static_cast<std::byte>(random());
  return all;
}

TEST(element_digest, is_the_same_in_any_order_of_blocks) {
  const std::vector<std::byte> all = noise(9 * block + 1234);
  const std::span<const std::byte> bytes(all);
  element_digest sum = digest_of(7, bytes.subspan(7 * block));
  sum += digest_of(0, bytes.first(2 * block));
  sum += digest_of(2, bytes.subspan(2 * block, 5 * block));
  EXPECT_EQ(sum, digest_of(0, bytes));
  EXPECT_NE(sum, digest_of(1, bytes));
}

TEST(element_digest, is_the_same_without_simd) {
  const std::vector<std::byte> all = noise(3 * block + 77);
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, std::size_t{1023}, std::size_t{1024}, block - 1,
                                  block, block + 1, all.size()}) {
    const std::span<const std::byte> some(all.data(), bytes);
    EXPECT_EQ(digest_of(5, some), digest_of(5, some, false)) << bytes;
  }
}

// Zeros, with one bit anywhere; more or fewer of them; or all in another place.
TEST(element_digest, tells_what_is_alike) {
  std::vector<std::byte> zeros(2 * block);
  std::set<std::uint64_t> low, high;
  std::size_t cases = 0;
  const auto look = [&](std::int64_t place, std::size_t bytes) {
    const element_digest found = digest_of(place, std::span(zeros).first(bytes));
    low.insert(found.low);
    high.insert(found.high);
    ++cases;
  };
  for (std::size_t byte = 0; byte < zeros.size(); byte += 7) {
    for (const int bit : {1, 0x80}) {
      zeros[byte] = static_cast<std::byte>(bit);
      look(0, zeros.size());
      zeros[byte] = {};
    }
  }
  for (std::int64_t place = 0; place < 100; ++place) look(place, block);
  for (std::size_t bytes = 1; bytes < 2000; ++bytes) look(0, bytes);
  EXPECT_EQ(low.size(), cases);
  EXPECT_EQ(high.size(), cases);
}

TEST(element_digest, of_nothing_is_none) {
  EXPECT_EQ(digest_of(""), element_digest());
  EXPECT_NE(digest_of("a"), digest_of("b"));
}

class digested_window_test : public ::testing::Test {
 protected:
  static constexpr std::int64_t count = 500'000;

  // Counts what is read of it.
  class counted final : public vector_source<float> {
   public:
    using vector_source::vector_source;
    std::int64_t read(std::int64_t first, std::span<std::byte> chunk) override {
      const std::int64_t got = vector_source::read(first, chunk);
      elements += got;
      return got;
    }
    std::atomic<std::int64_t> elements{0};
  };

  static std::vector<float> values() {
    const std::vector<std::byte> bytes = noise(count * 4);
    std::vector<float> all(count);
    std::memcpy(all.data(), bytes.data(), bytes.size());
    return all;
  }

  const std::vector<float> values_ = values();
  const element_digest expected_ = digest_of(0, std::as_bytes(std::span(values_)));
  counted whole_{values_, {count}};
};

TEST_F(digested_window_test, adds_up) {
  const std::int64_t half = 50 * digest_block_bytes / 4;
  element_digest sum;
  for (const auto& [first, elements] : {std::pair{half, count - half}, {std::int64_t{0}, half}}) {
    digested_window window(whole_, first, elements);
    std::vector<std::byte> chunk(5 * block);
    for (std::int64_t at = 0; at < elements;) at += window.read(at, chunk);
    sum += window.digest({});
  }
  EXPECT_EQ(sum, expected_);
  EXPECT_EQ(whole_.elements, count);
}

TEST_F(digested_window_test, reads_again_what_came_in_other_parts_or_twice) {
  for (const std::size_t bytes : {std::size_t{4000}, block + 4}) {
    digested_window window(whole_, 0, count);
    std::vector<std::byte> chunk(bytes);
    for (std::int64_t at = 0; at < count;) at += window.read(at, chunk);
    EXPECT_EQ(window.digest({3, 0, {}}), expected_);
  }
  digested_window twice(whole_, 0, count);
  std::vector<std::byte> all(count * 4);
  twice.read(0, all);
  twice.read(0, all);
  EXPECT_EQ(twice.digest({3, 1, {}}), expected_);  // a buffer of one block at least
}

}  // namespace
}  // namespace multifold::inline v0_1::detail
