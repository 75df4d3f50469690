#include "stream/consumed.hpp"

#include <gtest/gtest.h>

#include <string>

#include "stream/memory_source.hpp"

namespace multifold::inline v0_1::stream {
namespace {

TEST(consumed, is_an_internal_error_unless_every_element_was_reduced_once) {
  const test::memory_source input({dtype::f32, {7}}, {});
  EXPECT_NO_THROW(check_consumed(7, 7, input));
  for (const std::int64_t wrong : {0, 6, 8}) {
    try {
      check_consumed(wrong, 7, input);
      FAIL() << wrong;
    } catch (const error& e) {
      EXPECT_NE(std::string(e.what()).find("memory: internal error: " + std::to_string(wrong) + " of 7"),
                std::string::npos);
    }
  }
}

}  // namespace
}  // namespace multifold::inline v0_1::stream
