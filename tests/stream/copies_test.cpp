// Every byte is copied, and no other is touched, whatever the lengths, the alignment and the instructions.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "host/simd.hpp"
#include "stream/copies/staging_copy.hpp"
#include "stream/copies/streaming_copy.hpp"

namespace multifold::inline v0_1::stream {
namespace {

class simd_variable {
 public:
  explicit simd_variable(host::simd_level level) { setenv("MULTIFOLD_SIMD", std::string(name(level)).c_str(), 1); }
  ~simd_variable() { unsetenv("MULTIFOLD_SIMD"); }
};

constexpr std::size_t margin = 130;

template <class Copy>
void expect_copied(const Copy& copy, std::size_t bytes, std::size_t from, std::size_t to) {
  SCOPED_TRACE(std::to_string(bytes) + " bytes from " + std::to_string(from) + " to " + std::to_string(to));
  std::vector<unsigned char> in(bytes + margin), out(bytes + 2 * margin, 0xa5);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<unsigned char>(i * 40503 >> 7);
  std::vector<unsigned char> expected = out;
  std::copy_n(in.begin() + static_cast<std::ptrdiff_t>(from), bytes,
              expected.begin() + static_cast<std::ptrdiff_t>(to));
  copy(out.data() + to, in.data() + from, static_cast<std::int64_t>(bytes));
  EXPECT_EQ(out, expected);
}

template <class Copy>
void sweep(const Copy& copy) {
  for (std::size_t bytes : {0, 1, 31, 63, 64, 65, 1000, 2047, 2048, 2049, 4096, 16383})
    expect_copied(copy, bytes, 3, 5);
  for (std::size_t bytes : {16384, 16385, 16447, 100'003, 1'048'576}) {
    for (std::size_t offset : {0, 1, 16, 33, 63, 64}) {
      expect_copied(copy, bytes, offset, 0);
      expect_copied(copy, bytes, 0, offset);
      expect_copied(copy, bytes, offset, 64 - offset);
    }
  }
}

TEST(streaming_copy, copies_every_byte_and_no_other) {
  for (int i = 0; i < host::simd_levels; ++i) {
    const auto level = static_cast<host::simd_level>(i);
    if (!supported(level)) continue;
    SCOPED_TRACE(name(level));
    const simd_variable here(level);
    sweep(streaming_copy);
  }
}

TEST(staging_copy, copies_every_byte_and_no_other) { sweep(staging_copy); }

}  // namespace
}  // namespace multifold::inline v0_1::stream
