#include "io/files/input.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <thread>

#include "io/scratch.hpp"
#include "random_bits.hpp"

namespace multifold::inline v0_1::io {
namespace {

class input_test : public with_folder {};

std::span<std::byte> as_bytes_of(std::string& text) { return std::as_writable_bytes(std::span(text)); }

TEST_F(input_test, refuses_what_is_no_readable_file) {
  EXPECT_EQ(error_of<io_error>([&] { input::open(path("none")); }),
            path("none") + ": No such file or directory; expected a file to read");
  EXPECT_EQ(error_of<io_error>([&] { input::open(folder_); }),
            folder_.string() + ": found a directory; expected a file to read");
  EXPECT_PRED2(says, error_of<io_error>([&] { input::open(write("file", "x") + "/below"); }), "Not a directory");
  EXPECT_PRED2(says, error_of<io_error>([&] { input::open(""); }), "\"\": No such file or directory");
  EXPECT_PRED2(says, error_of<io_error>([&] { input::open("two\nlines"); }), "two\\x0alines: ");
}

TEST_F(input_test, refuses_a_file_without_permission) {
  const std::string file = write("secret", "x");
  ::chmod(file.c_str(), 0);
  const bool root = ::geteuid() == 0;
  if (root) {
    ASSERT_EQ(::seteuid(65534), 0);
  }  // root may read anything
  const std::string message = error_of<io_error>([&] { input::open(file); });
  if (root) {
    ASSERT_EQ(::seteuid(0), 0);
  }
  EXPECT_EQ(message, file + ": Permission denied; expected a file to read");
}

TEST_F(input_test, reads_any_place_from_many_threads) {
  std::vector<std::uint32_t> numbers(1 << 18);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<std::uint32_t>(i);
  input in = input::open(write("numbers", raw(numbers)));
  EXPECT_TRUE(in.random_access());
  EXPECT_EQ(in.size(), 4 << 18);
  std::atomic<int> wrong{0};
  std::vector<std::jthread> threads;
  for (std::size_t t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      std::vector<std::uint32_t> chunk(1 << 10);
      for (std::size_t i = t; i < 256; i += 4) {
        const std::size_t first = (i * 97 % 256) << 10;
        in.read(static_cast<std::int64_t>(4 * first), std::as_writable_bytes(std::span(chunk)));
        for (std::size_t k = 0; k < chunk.size(); ++k) wrong += chunk[k] != first + k;
      }
    });
  }
  threads.clear();
  EXPECT_EQ(wrong, 0);
}

TEST_F(input_test, reads_fewer_bytes_only_at_the_end) {
  input in = input::open(write("five", "12345"));
  std::string text(4, '.');
  EXPECT_EQ(in.read(3, as_bytes_of(text)), 2u);
  EXPECT_EQ(text, "45..");
  EXPECT_EQ(in.read(9, as_bytes_of(text)), 0u);
}

TEST_F(input_test, reads_a_pipe_in_order_and_says_so) {
  const std::string pipe = path("pipe");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::jthread writer([&] { write("pipe", std::string(300'000, 'a') + "end"); });
  input in = input::open(pipe);
  EXPECT_FALSE(in.random_access());
  EXPECT_FALSE(in.size());
  EXPECT_EQ(in.peek(4).size(), 4u);
  std::string text(10, '.');
  EXPECT_EQ(in.read(0, as_bytes_of(text)), 10u);
  EXPECT_EQ(text, "aaaaaaaaaa");
  EXPECT_PRED2(says, error_of<unsupported_error>([&] { in.read(0, as_bytes_of(text)); }),
               "byte 0 was asked for, byte 10 is next; a pipe can only be read in order");
  EXPECT_EQ(in.skip_to(299'999), 299'999);
  EXPECT_EQ(in.read(299'999, as_bytes_of(text)), 4u);
  EXPECT_EQ(text.substr(0, 4), "aend");
  EXPECT_EQ(in.skip_to(400'000), 300'003);
}

TEST_F(input_test, reads_a_device_that_never_ends) {
  input in = input::open("/dev/zero");
  EXPECT_FALSE(in.random_access());
  EXPECT_FALSE(in.has_end());
  std::string text(100'000, 'x');
  EXPECT_EQ(in.read(0, as_bytes_of(text)), text.size());
  EXPECT_EQ(text, std::string(text.size(), '\0'));
}

TEST_F(input_test, closes_what_it_opened) {
  const auto free_number = [] { return file_descriptor(::open("/dev/null", O_RDONLY)).number(); };
  const int before = free_number();
  {
    input first = input::open(write("x", "x"));
    input second = std::move(first);
    EXPECT_NE(free_number(), before);
  }
  EXPECT_THROW(input::open(folder_), io_error);
  EXPECT_EQ(free_number(), before);
}

// System calls that misbehave: each test sets what they do.
std::size_t largest_asked = 0;
int interruptions = 0;
off_t broken_from = 0;

ssize_t hindered_pread(int descriptor, void* buffer, std::size_t bytes, off_t offset) {
  largest_asked = std::max(largest_asked, bytes);
  if (interruptions++ % 2 == 0) {
    errno = EINTR;
    return -1;
  }
  if (offset >= broken_from) {
    errno = EIO;
    return -1;
  }
  const auto allowed = static_cast<std::size_t>(broken_from - offset);
  return ::pread(descriptor, buffer, std::min({bytes, allowed, std::size_t{7}}), offset);
}

ssize_t hindered_read(int descriptor, void* buffer, std::size_t bytes) {
  const int turn = interruptions++ % 3;
  if (turn < 2) {
    errno = turn == 0 ? EINTR : EAGAIN;
    return -1;
  }
  return ::read(descriptor, buffer, std::min<std::size_t>(bytes, 7));
}

constexpr system_calls hindered{&hindered_read, &hindered_pread, &::write};

TEST_F(input_test, goes_on_after_signals_and_short_reads) {
  interruptions = 0;
  broken_from = 1 << 20;
  std::string text(26, '.');
  input file = input::open(write("letters", "abcdefghijklmnopqrstuvwxyz"), hindered);
  EXPECT_EQ(file.read(0, as_bytes_of(text)), 26u);
  EXPECT_EQ(text, "abcdefghijklmnopqrstuvwxyz");

  const std::string pipe = path("pipe");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::jthread writer([&] { write("pipe", "ABCDEFGHIJKLMNOPQRSTUVWXYZ"); });
  input in = input::open(pipe, hindered);
  EXPECT_EQ(in.read(0, as_bytes_of(text)), 26u);
  EXPECT_EQ(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
}

TEST_F(input_test, names_the_byte_where_reading_broke) {
  interruptions = 0;
  broken_from = 40;
  input in = input::open(write("broken", std::string(100, 'x')), hindered);
  std::string text(100, '.');
  EXPECT_EQ(error_of<io_error>([&] { in.read(0, as_bytes_of(text)); }),
            path("broken") + ": byte 40: Input/output error, reading 60 bytes");
}

ssize_t pretended_pread(int, void*, std::size_t bytes, off_t) {
  largest_asked = std::max(largest_asked, bytes);
  return static_cast<ssize_t>(bytes);
}

TEST_F(input_test, never_asks_for_more_than_linux_moves) {
  constexpr system_calls pretended{&::read, &pretended_pread, &::write};
  largest_asked = 0;
  input in = input::open(write("x", "x"), pretended);
  // Nothing touches these five gibibytes, so they need not exist.
  const std::size_t size = std::size_t{5} << 30;
  std::byte one{};
  EXPECT_EQ(in.read(0, std::span(&one, size)), size);
  EXPECT_EQ(largest_asked, most_bytes_per_call);
}

// Pushes [first, first + bytes) out of the page cache, which ext4 and others do; tmpfs keeps it.
void forget(const std::string& file, off_t first, off_t bytes) {
  const int descriptor = ::open(file.c_str(), O_RDONLY);
  ::fdatasync(descriptor);
  ::posix_fadvise(descriptor, first, bytes, POSIX_FADV_DONTNEED);
  ::close(descriptor);
}

TEST_F(input_test, reads_large_files_past_the_cache_from_any_byte_into_any_memory) {
  std::vector<std::uint32_t> numbers((5 << 20) / 4 + 77);
  test::random_bits random(3);
  for (std::uint32_t& number : numbers) number = static_cast<std::uint32_t>(random());
  const std::string whole = raw(numbers), file = write("large", whole);
  const auto size = static_cast<std::int64_t>(whole.size());
  input in = input::open(file, kernel_calls(), 1);
  std::vector<std::byte> memory((3 << 20) + 8192);
  const auto expect_read = [&](input& from, std::int64_t first, std::size_t bytes, std::size_t shift,
                               std::int64_t start) {
    const std::span<std::byte> buffer = std::span(memory).subspan(shift, bytes);
    std::fill(buffer.begin(), buffer.end(), std::byte{0x5a});
    const std::size_t got = from.read(first, buffer);
    ASSERT_EQ(got, static_cast<std::size_t>(
                       std::clamp<std::int64_t>(size - start - first, 0, static_cast<std::int64_t>(bytes))));
    ASSERT_EQ(std::memcmp(buffer.data(), whole.data() + start + first, got), 0)
        << first << ' ' << bytes << ' ' << shift;
  };
  for (int round = 0; round < 200; ++round) {
    if (round % 4 == 0) forget(file, 0, 0);
    if (round % 4 == 1) forget(file, static_cast<off_t>(random() % size), 1 << 20);
    const std::int64_t first =
        round % 3 == 0 ? static_cast<std::int64_t>(random() % 1200) * 4096 : static_cast<std::int64_t>(random() % size);
    const std::size_t bytes = round % 5 == 0 ? (random() % 700 + 40) * 4096 : random() % (3 << 20);
    const std::size_t shift = round % 2 == 0 ? 0 : random() % 8192;
    expect_read(in, first, bytes, shift, 0);
  }
  forget(file, 0, 0);
  input part = input::open(file, kernel_calls(), 1).part(1001, 2'000'001, "part");
  std::vector<std::byte> all(3 << 20);
  ASSERT_EQ(part.read(0, all), 2'000'001u);
  EXPECT_EQ(std::memcmp(all.data(), whole.data() + 1001, 2'000'001), 0);
}

}  // namespace
}  // namespace multifold::inline v0_1::io
