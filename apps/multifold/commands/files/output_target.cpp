// A look at the target before an hour of reading, and a broom for an end that was not wanted.
#include "commands/files/output_target.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "common/messages/failure.hpp"

namespace multifold::app {
namespace {

namespace fs = std::filesystem;

// The directory that a file beside `path` would be in, symbolic links followed as write_npy does.
fs::path directory_of(const std::string& path) {
  std::error_code code;
  const fs::path real = fs::canonical(path, code);
  const fs::path parent = (code ? fs::path(path) : real).parent_path();
  return parent.empty() ? fs::path(".") : parent;
}

void require_access(const fs::path& place, const std::string& path) {
  if (::faccessat(AT_FDCWD, place.c_str(), W_OK, AT_EACCESS) == 0) return;
  throw file_failure(
      exit_code::input, path,
      std::generic_category().message(errno) + "; expected a file that can be written, before anything is read");
}

bool is_terminal(const std::string& path) {
  if (path == "-") return ::isatty(STDOUT_FILENO) != 0;
  std::error_code ignored;
  if (!fs::is_character_file(path, ignored)) return false;
  const int opened = ::open(path.c_str(), O_WRONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
  if (opened < 0) return false;
  const bool terminal = ::isatty(opened) != 0;
  ::close(opened);
  return terminal;
}

}  // namespace

void check_target(const std::string& path) {
  if (path == "-") return;
  std::error_code code;
  const fs::file_status status = fs::status(path, code);
  if (fs::is_directory(status)) {
    throw file_failure(exit_code::input, path, "found a directory; expected a file to write");
  }
  if (fs::exists(status)) require_access(path, path);
  if (!fs::exists(status) || fs::is_regular_file(status)) require_access(directory_of(path), path);
}

void refuse_terminal(const std::string& path) {
  if (!is_terminal(path)) return;
  throw usage((path == "-" ? "standard output" : label_of(path)) +
              ": found a terminal, and .npy is no text; expected a file or a pipe, or no -o to see the values");
}

void remove_unfinished(const std::string& path) noexcept {
  if (path.empty() || path == "-") return;
  try {
    const std::string prefix = ".multifold-" + std::to_string(::getpid()) + "-";
    for (const fs::directory_entry& entry : fs::directory_iterator(directory_of(path))) {
      std::error_code ignored;
      if (entry.path().filename().string().starts_with(prefix)) fs::remove(entry.path(), ignored);
    }
  } catch (const std::exception&) {
    // A directory that cannot be read has nothing in it that could be removed.
  }
}

}  // namespace multifold::app
