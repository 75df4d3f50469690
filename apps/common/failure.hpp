// From exceptions to exit codes, and to the one line on standard error that says why.
#pragma once

#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>
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

/// What ends the work on one file, or the whole run. Without a message, nothing is to be said.
class failure : public std::runtime_error {
 public:
  failure(exit_code code, const std::string& message) : std::runtime_error(message), code_(code) {}
  exit_code code() const noexcept { return code_; }

 private:
  exit_code code_;
};

/// A command line that cannot be meant; "see --help" is not added.
failure usage(const std::string& message);

/// `problem` with `label` in front.
failure about(const std::string& label, const failure& problem);

/// How messages name a file: "-" is "standard input"; control characters are escaped.
std::string label_of(const std::string& path);

/// "x.npy", "x.npy and y.npy", "x.npy and 2 more".
std::string label_of(const std::vector<std::string>& paths);

/// The failure that `error` stands for: itself, or an error of the library with `label` in front, unless the message
/// has it already ("" for none).
failure failure_of(std::exception_ptr error, const std::string& label);

/// The same where the error is about `paths`, or one of them.
failure failure_of(std::exception_ptr error, const std::vector<std::string>& paths);

/// As failure_of, for errors that the bytes of a file cause: what we do not read is bad input, not bad usage.
failure input_failure_of(std::exception_ptr error, const std::string& label);

/// What messages begin with from now on; "multifold" until then.
void name_program(std::string_view name);

/// Writes "multifold: MESSAGE" as one line to standard error.
void complain(std::string_view message);

}  // namespace multifold::app
