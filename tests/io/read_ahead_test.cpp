#include "io/files/read_ahead.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <span>
#include <string>
#include <thread>

#include "io/files/file_descriptor.hpp"
#include "io/files/input.hpp"
#include "io/scratch.hpp"

namespace multifold::inline v0_1::io {
namespace {

constexpr std::int64_t mib = 1 << 20, page_bytes = 4096;

class read_ahead_test : public with_folder {
 protected:
  // A file that is on the disk alone; where the folder is memory, or has no page cache, there is none.
  bool make_cold(std::int64_t bytes) {
    file_ = write("cold", std::string(static_cast<std::size_t>(bytes), 'x'));
    descriptor_ = file_descriptor(::open(file_.c_str(), O_RDONLY));
    ::fdatasync(descriptor_.number());
    ::posix_fadvise(descriptor_.number(), 0, 0, POSIX_FADV_DONTNEED);
    return !has(0) && !has(bytes - 1);
  }
  // Only looks: reading, even without waiting, would make the kernel read ahead.
  bool has(std::int64_t byte) const {
    void* const page = ::mmap(nullptr, page_bytes, PROT_READ, MAP_SHARED, descriptor_.number(), byte & -page_bytes);
    unsigned char here = 0;
    const bool known = page != MAP_FAILED && ::mincore(page, page_bytes, &here) == 0;
    if (page != MAP_FAILED) ::munmap(page, page_bytes);
    return !known || (here & 1) != 0;
  }
  bool gets(std::int64_t byte) const {
    for (int turn = 0; turn < 200 && !has(byte); ++turn) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    return has(byte);
  }

  std::string file_;
  file_descriptor descriptor_{-1};
};

TEST_F(read_ahead_test, asks_for_what_is_read_and_for_what_follows) {
  bool came = false;
  for (int turn = 0; turn < 5 && !came; ++turn) {  // it is advice: once in a while Linux passes it over
    if (!make_cold(80 * mib)) GTEST_SKIP() << "files in " << folder_ << " do not leave the page cache";
    read_ahead ahead;
    ahead.before(descriptor_.number(), 0, mib, 80 * mib);
    came = gets(0) && gets(30 * mib + 4321) && gets(65 * mib - 1);
    EXPECT_FALSE(has(70 * mib));
  }
  EXPECT_TRUE(came);
}

TEST_F(read_ahead_test, asks_once_and_not_behind_the_end) {
  if (!make_cold(4 * mib)) GTEST_SKIP() << "files in " << folder_ << " do not leave the page cache";
  read_ahead ahead;
  ahead.before(descriptor_.number(), 3 * mib, 5 * mib, 4 * mib);
  EXPECT_TRUE(gets(4 * mib - 1));
  EXPECT_FALSE(has(mib));
  ahead.before(descriptor_.number(), 0, mib, 4 * mib);  // what lies before the place that somebody got to
  EXPECT_FALSE(has(0));
}

TEST_F(read_ahead_test, an_input_that_is_cold_is_read_whole) {
  if (!make_cold(9 * mib)) GTEST_SKIP() << "files in " << folder_ << " do not leave the page cache";
  input in = input::open(file_);
  std::string all(9 * mib, ' ');
  for (std::int64_t at = 0; at < 9 * mib; at += 2 * mib) {
    const auto some = std::as_writable_bytes(std::span(all)).subspan(static_cast<std::size_t>(at));
    const std::size_t wanted = std::min<std::size_t>(some.size(), 2 * mib);
    ASSERT_EQ(in.read(at, some.first(wanted)), wanted);
  }
  EXPECT_EQ(all, std::string(9 * mib, 'x'));
}

}  // namespace
}  // namespace multifold::inline v0_1::io
