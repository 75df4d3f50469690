// From exceptions to exit codes, and to messages that name the file.
#pragma once

#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace multifold::app {

enum class exit_code : int {
  success = 0,
  other = 1,  // out of memory included
  usage = 2,
  input = 3,  // unreadable or malformed; output that cannot be written, too
  no_engine = 4,
  device = 5,
  does_not_fit = 6,
  interrupted = 130,  // of SIGINT; other signals have their own, see interrupt_watch
};

/// "usage", "input", ...: what JSON calls an exit code.
std::string_view name(exit_code code) noexcept;

/// What ends the work on one file, or the whole run. Without a message, nothing is to be said.
class failure : public std::runtime_error {
 public:
  /// `files`: the paths that it is about, as they were typed.
  failure(exit_code code, const std::string& message, std::vector<std::string> files = {})
      : std::runtime_error(message), code_(code), files_(std::move(files)) {}
  exit_code code() const noexcept { return code_; }
  const std::vector<std::string>& files() const noexcept { return files_; }

 private:
  exit_code code_;
  std::vector<std::string> files_;
};

/// A command line that cannot be meant; "see --help" is not added.
failure usage(const std::string& message);

/// How messages name a file: "-" is "standard input"; control characters are escaped.
std::string label_of(const std::string& path);

/// "x.npy", "x.npy and y.npy", "x.npy and 2 more"; "" of none.
std::string label_of(const std::vector<std::string>& paths);

/// "PATH: MESSAGE", about the file at `path`.
failure file_failure(exit_code code, const std::string& path, const std::string& message);

/// `problem` with the label of `paths` in front, unless it is known which files it is about.
failure about(const std::vector<std::string>& paths, const failure& problem);

/// The failure that `error` stands for: itself, or an error of the library about `paths`, or one of them, with their
/// label in front, unless the message has it already.
failure failure_of(std::exception_ptr error, const std::vector<std::string>& paths = {});

/// As failure_of, for errors that the bytes of a file cause: what we do not read is bad input, not bad usage.
failure input_failure_of(std::exception_ptr error, const std::string& path);

/// `text` on one line, without control characters.
std::string one_line(std::string_view text);

}  // namespace multifold::app
