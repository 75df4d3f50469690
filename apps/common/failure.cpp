// The table of exceptions and exit codes.
#include "common/failure.hpp"

#include <unistd.h>

#include <new>
#include <system_error>

#include "common/option_names.hpp"
#include "multifold/error.hpp"

namespace multifold::app {
namespace {

std::string_view program = "multifold";

constexpr char digits[] = "0123456789abcdef";

bool is_control(unsigned char byte) { return byte < 0x20 || byte == 0x7f; }

std::string escaped(std::string_view text) {
  std::string line;
  for (const char character : text) {
    const auto byte = static_cast<unsigned char>(character);
    if (is_control(byte)) {
      line += "\\x";
      line += digits[byte >> 4];
      line += digits[byte & 15];
    } else {
      line += character;
    }
  }
  return line;
}

// Parsers and the system may break lines; a message is one line.
std::string one_line(std::string_view text) {
  std::string line;
  for (const char character : text) {
    if (character == '\n' || character == '\r') {
      if (!line.empty() && line.back() != ' ') line += ' ';
    } else {
      line += character;
    }
  }
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return escaped(line);
}

failure named(exit_code code, const std::string& label, const std::string& text) {
  const std::string message = in_options(text);
  if (label.empty() || message.empty() || message.starts_with(label + ":")) return {code, message};
  return {code, label + ": " + message};
}

}  // namespace

failure usage(const std::string& message) { return {exit_code::usage, message}; }

failure about(const std::string& label, const failure& problem) { return named(problem.code(), label, problem.what()); }

std::string label_of(const std::string& path) {
  if (path == "-") return "standard input";
  return path.empty() ? "\"\"" : escaped(path);
}

std::string label_of(const std::vector<std::string>& paths) {
  if (paths.empty()) return "";
  const std::string first = label_of(paths.front());
  if (paths.size() > 2) return first + " and " + std::to_string(paths.size() - 1) + " more";
  return paths.size() == 2 ? first + " and " + label_of(paths.back()) : first;
}

failure failure_of(std::exception_ptr error, const std::vector<std::string>& paths) {
  const failure problem = failure_of(error, "");
  for (const std::string& path : paths) {
    if (std::string_view(problem.what()).starts_with(label_of(path) + ":")) return problem;
  }
  return about(label_of(paths), problem);
}

failure failure_of(std::exception_ptr error, const std::string& label) {
  try {
    std::rethrow_exception(error);
  } catch (const failure& e) {
    return e;  // it says already whom it is about
  } catch (const cancelled_error&) {
    return named(exit_code::interrupted, label, "interrupted; nothing was written");
  } catch (const io_error& e) {
    return named(exit_code::input, label, e.what());
  } catch (const format_error& e) {
    return named(exit_code::input, label, e.what());
  } catch (const shape_error& e) {
    return named(exit_code::usage, label, e.what());
  } catch (const engine_error& e) {
    return named(exit_code::no_engine, label, e.what());
  } catch (const unsupported_error& e) {
    return named(exit_code::usage, label, e.what());
  } catch (const overflow_error& e) {
    return named(exit_code::does_not_fit, label, e.what());
  } catch (const cuda_error& e) {
    return named(exit_code::device, label, e.what());
  } catch (const out_of_memory& e) {
    return named(exit_code::other, label, e.what() + std::string("; --memory and --threads say how much buffers take"));
  } catch (const std::bad_alloc&) {
    return named(exit_code::other, label, "out of memory; ask for less: a smaller --memory or fewer --threads");
  } catch (const std::system_error& e) {
    return named(exit_code::other, label, std::string(e.what()) + "; ask for less: fewer --threads");
  } catch (const std::exception& e) {
    return named(exit_code::other, label, e.what());
  }
}

failure input_failure_of(std::exception_ptr error, const std::string& label) {
  try {
    std::rethrow_exception(error);
  } catch (const engine_error&) {
    return failure_of(error, label);
  } catch (const unsupported_error& e) {
    return named(exit_code::input, label, e.what());
  } catch (...) {
    return failure_of(error, label);
  }
}

void name_program(std::string_view name) { program = name; }

void complain(std::string_view message) {
  const std::string line = std::string(program) + ": " + one_line(message) + "\n";
  // There is nobody left to tell when standard error fails.
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, line.data(), line.size());
}

}  // namespace multifold::app
