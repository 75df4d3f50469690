// Written in chunks, through a descriptor that is all that keeps the file.
#include "overlap/random_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <span>
#include <system_error>
#include <vector>

#include "multifold/error.hpp"
#include "overlap/random_numbers.hpp"

namespace multifold::overlap {
namespace {

constexpr std::int64_t chunk_bytes = 4 << 20;

// Where the file system has no files without a name, one whose name is taken away at once.
int nameless_file(const std::string& folder) {
  const int file = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (file >= 0 || (errno != EOPNOTSUPP && errno != EISDIR)) return file;
  std::string name = folder + "/multifold-overlap-XXXXXX";
  const int named = ::mkostemp(name.data(), O_CLOEXEC);
  if (named >= 0) ::unlink(name.c_str());
  return named;
}

[[noreturn]] void fail(const std::string& folder, std::int64_t bytes, int error) {
  throw io_error(folder + ": " + std::generic_category().message(error) + ", writing " + std::to_string(bytes) +
                 " bytes; give a FILE, or less --bytes");
}

}  // namespace

random_file::random_file(std::int64_t bytes, const std::stop_token& stop) {
  const std::string folder = std::filesystem::temp_directory_path();
  descriptor_ = nameless_file(folder);
  if (descriptor_ < 0) fail(folder, bytes, errno);
  path_ = "/proc/self/fd/" + std::to_string(descriptor_);
  try {
    fill(bytes, stop);
  } catch (const std::system_error& problem) {
    ::close(descriptor_);
    fail(folder, bytes, problem.code().value());
  } catch (...) {
    ::close(descriptor_);
    throw;
  }
}

random_file::~random_file() { ::close(descriptor_); }

void random_file::fill(std::int64_t bytes, const std::stop_token& stop) const {
  constexpr auto item = static_cast<std::int64_t>(sizeof(float));
  std::vector<float> numbers;
  for (std::int64_t done = 0; done < bytes; done += chunk_bytes) {
    if (stop.stop_requested()) throw cancelled_error("interrupted; nothing was written");
    numbers.resize(static_cast<std::size_t>(std::min(chunk_bytes, bytes - done) / item));
    fill_random(numbers, done / item);
    for (std::span<const std::byte> rest = std::as_bytes(std::span(numbers)); !rest.empty();) {
      const ssize_t put = ::write(descriptor_, rest.data(), rest.size());
      if (put < 0 && errno == EINTR) continue;
      if (put <= 0) throw std::system_error(put < 0 ? errno : ENOSPC, std::generic_category());
      rest = rest.subspan(static_cast<std::size_t>(put));
    }
  }
}

}  // namespace multifold::overlap
