#include "io/formats/npy/write.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <cerrno>
#include <csignal>
#include <thread>

#include "io/scratch.hpp"
#include "io/standard_stream.hpp"

namespace multifold::inline v0_1::io {
namespace {

class write_npy_test : public with_folder {
 protected:
  void write_six(const std::string& to) const {
    multifold::write_npy(to, dtype::f64, {2, 3}, std::as_bytes(std::span(six_)));
  }
  const std::vector<double> six_{1, 2, 3, 4, 5, 6};
};

TEST_F(write_npy_test, writes_what_open_npy_reads) {
  write_six(path("x.npy"));
  EXPECT_EQ(bytes_of(path("x.npy")).size() % 16, 0u);
  const auto in = open_npy(path("x.npy"));
  EXPECT_EQ(in->layout().type, dtype::f64);
  EXPECT_EQ(in->layout().extents, (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(read_all<double>(*in), six_);
  EXPECT_EQ(files(), std::vector<std::string>{"x.npy"});
}

TEST_F(write_npy_test, replaces_a_file_and_keeps_its_permissions_and_links) {
  const std::string file = write("x.npy", "old");
  ::chmod(file.c_str(), 0640);
  std::filesystem::create_symlink("x.npy", path("link"));
  write_six(path("link"));
  EXPECT_TRUE(std::filesystem::is_symlink(path("link")));
  EXPECT_EQ(read_all<double>(*open_npy(file)), six_);
  EXPECT_EQ(static_cast<int>(std::filesystem::status(file).permissions()), 0640);
}

TEST_F(write_npy_test, gives_new_files_the_permissions_of_the_umask) {
  const mode_t before = ::umask(027);
  write_six(path("x.npy"));
  ::umask(before);
  EXPECT_EQ(static_cast<int>(std::filesystem::status(path("x.npy")).permissions()), 0640);
}

TEST_F(write_npy_test, refuses_data_that_do_not_fit_the_shape) {
  const auto bytes = std::as_bytes(std::span(six_));
  EXPECT_EQ(error_of<shape_error>([&] { multifold::write_npy("x", dtype::f64, {5}, bytes); }),
            "x: 48 bytes were given for shape (5,) of f64");
  EXPECT_THROW(multifold::write_npy("x", dtype::f64, {5}, bytes.first(47)), shape_error);
  EXPECT_THROW(multifold::write_npy("x", dtype::bf16, {24}, bytes), unsupported_error);
  EXPECT_FALSE(npy_holds(dtype::bf16));
  EXPECT_TRUE(npy_holds(dtype::f16));
}

TEST_F(write_npy_test, refuses_places_where_no_file_can_be) {
  EXPECT_EQ(error_of<io_error>([&] { write_six(folder_); }),
            folder_.string() + ": found a directory; expected a file to write");
  EXPECT_EQ(error_of<io_error>([&] { write_six(path("none/x.npy")); }),
            path("none/x.npy") + ": No such file or directory, creating a file in its directory");
  EXPECT_PRED2(says, error_of<io_error>([&] { write_six(""); }), "\"\": No such file or directory");
  EXPECT_TRUE(files().empty());
}

TEST_F(write_npy_test, refuses_without_permission) {
  const std::string file = write("x.npy", "old");
  ::chmod(file.c_str(), 0444);
  const bool root = ::geteuid() == 0;
  ::chmod(folder_.c_str(), 0755);
  if (root) {
    ASSERT_EQ(::seteuid(65534), 0);
  }
  const std::string read_only = error_of<io_error>([&] { write_six(file); });
  if (root) {
    ASSERT_EQ(::seteuid(0), 0);
  }
  EXPECT_EQ(read_only, file + ": Permission denied, opening it for writing");
  EXPECT_EQ(bytes_of(file), "old");
}

TEST_F(write_npy_test, says_when_a_device_is_full) {
  EXPECT_EQ(error_of<io_error>([&] { write_six("/dev/full"); }),
            "/dev/full: byte 0: No space left on device, writing 176 bytes");
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/full"));
}

// A file size limit ends the process by a signal unless somebody is careful; the caller's handlers must not change.
TEST_F(write_npy_test, leaves_nothing_behind_at_a_file_size_limit) {
  const std::string file = write("x.npy", "old");
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  const rlimit small{150, before.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &small);
  const std::string message = error_of<io_error>([&] { write_six(file); });
  const std::string message_for_new = error_of<io_error>([&] { write_six(path("new.npy")); });
  ::setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_EQ(message, file + ": byte 150: File too large, writing 176 bytes; nothing was changed");
  EXPECT_PRED2(says, message_for_new, "new.npy: byte 150");
  EXPECT_EQ(bytes_of(file), "old");
  EXPECT_EQ(files(), std::vector<std::string>{"x.npy"});

  sigset_t pending;
  sigemptyset(&pending);
  ::sigpending(&pending);
  EXPECT_FALSE(sigismember(&pending, SIGXFSZ));
  sigset_t blocked;
  ::pthread_sigmask(SIG_BLOCK, nullptr, &blocked);
  EXPECT_FALSE(sigismember(&blocked, SIGXFSZ));
  write_six(file);
  EXPECT_EQ(read_all<double>(*open_npy(file)), six_);
}

int writes = 0;

ssize_t hindered_write(int descriptor, const void* buffer, std::size_t bytes) {
  if (writes++ % 2 == 0) {
    errno = EINTR;
    return -1;
  }
  return ::write(descriptor, buffer, std::min<std::size_t>(bytes, 5));
}

ssize_t full_write(int descriptor, const void* buffer, std::size_t bytes) {
  if (writes++ == 1) {
    errno = ENOSPC;
    return -1;
  }
  return ::write(descriptor, buffer, bytes);
}

TEST_F(write_npy_test, goes_on_after_signals_and_short_writes) {
  const system_calls calls{&::read, &::pread, &hindered_write};
  write_npy(path("x.npy"), {dtype::f64, {6}, false}, std::as_bytes(std::span(six_)), calls);
  EXPECT_EQ(read_all<double>(*open_npy(path("x.npy"))), six_);
}

TEST_F(write_npy_test, leaves_a_full_disk_as_it_was) {
  const system_calls calls{&::read, &::pread, &full_write};
  writes = 0;
  EXPECT_EQ(error_of<io_error>([&] {
              write_npy(path("x.npy"), {dtype::f64, {6}, false}, std::as_bytes(std::span(six_)), calls);
            }),
            path("x.npy") + ": byte 128: No space left on device, writing 176 bytes; nothing was changed");
  EXPECT_TRUE(files().empty());
}

TEST_F(write_npy_test, writes_to_standard_output) {
  {
    const redirected output(STDOUT_FILENO, ::open(path("out").c_str(), O_WRONLY | O_CREAT, 0600));
    write_six("-");
  }
  EXPECT_EQ(read_all<double>(*open_npy(path("out"))), six_);
  const redirected output(STDOUT_FILENO, ::open("/dev/full", O_WRONLY));
  EXPECT_PRED2(says, error_of<io_error>([&] { write_six("-"); }), "standard output: byte 0: No space left on device");
}

TEST_F(write_npy_test, says_when_a_pipe_is_not_read) {
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  ::close(ends[0]);
  const redirected output(STDOUT_FILENO, ends[1]);
  EXPECT_PRED2(says, error_of<io_error>([&] { write_six("-"); }), "standard output: byte 0: Broken pipe");
}

TEST_F(write_npy_test, writes_into_a_pipe_without_replacing_it) {
  const std::string pipe = path("pipe");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::jthread writer([&] { write_six(pipe); });
  EXPECT_EQ(read_all<double>(*open_npy(pipe)), six_);
  writer.join();
  EXPECT_TRUE(std::filesystem::is_fifo(pipe));
}

}  // namespace
}  // namespace multifold::inline v0_1::io
