// Words that another thread writes, in a kernel's place.
#include "awaited_word.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <thread>

namespace multifold::inline v0_1::graphs {
namespace {

TEST(awaited_word, comes_with_its_bytes) {
  for (const int bytes : {1, 2, 4, 8}) {
    alignas(8) std::uint64_t place = 0;
    awaited_word word(bytes);
    word.expect(&place);
    std::thread writer([&] {
      const std::uint64_t all = 0x1122334455667788;
      std::memcpy(&place, &all, static_cast<std::size_t>(bytes));
    });
    writer.join();
    EXPECT_TRUE(word.came()) << bytes;
  }
}

TEST(awaited_word, is_not_awaited_for_ever) {
  alignas(8) std::uint64_t place = 0;
  awaited_word word(4);
  word.expect(&place);
  EXPECT_FALSE(word.came());
  // What lies behind its bytes is none of it.
  reinterpret_cast<unsigned char*>(&place)[5] = 1;
  EXPECT_FALSE(word.came());
}

TEST(awaited_word, of_more_than_a_store_is_not_awaited) {
  std::uint64_t place[2] = {1, 2};
  for (const int bytes : {0, 9, 104}) {
    awaited_word word(bytes);
    word.expect(place);
    EXPECT_EQ(place[0], 1u);
    EXPECT_FALSE(word.came());
  }
}

}  // namespace
}  // namespace multifold::inline v0_1::graphs
