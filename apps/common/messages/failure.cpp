// The table of exceptions and exit codes.
#include "common/messages/failure.hpp"

#include <new>
#include <system_error>

#include "common/messages/option_names.hpp"
#include "multifold/error.hpp"

namespace multifold::app {
namespace {

constexpr char digits[] = "0123456789abcdef";

bool is_control(unsigned char byte) { return byte < 0x20 || byte == 0x7f; }

std::string with_escapes(std::string_view text) {
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

failure named(exit_code code, const std::vector<std::string>& paths, const std::string& text) {
  const std::string message = in_options(text), label = label_of(paths);
  if (label.empty() || message.empty()) return {code, message, paths};
  for (const std::string& path : paths) {
    if (message.starts_with(label_of(path) + ":")) return {code, message, {path}};
  }
  if (message.starts_with(label + ":")) return {code, message, paths};
  return {code, label + ": " + message, paths};
}

}  // namespace

std::string_view name(exit_code code) noexcept {
  switch (code) {
    case exit_code::success: return "success";
    case exit_code::other: return "other";
    case exit_code::usage: return "usage";
    case exit_code::input: return "input";
    case exit_code::no_engine: return "no_engine";
    case exit_code::device: return "device";
    case exit_code::does_not_fit: return "does_not_fit";
    case exit_code::interrupted: return "interrupted";
  }
  return "other";
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
  return with_escapes(line);
}

failure usage(const std::string& message) { return {exit_code::usage, message}; }

failure file_failure(exit_code code, const std::string& path, const std::string& message) {
  return {code, label_of(path) + ": " + message, {path}};
}

failure about(const std::vector<std::string>& paths, const failure& problem) {
  return problem.files().empty() ? named(problem.code(), paths, problem.what()) : problem;
}

std::string label_of(const std::string& path) {
  if (path == "-") return "standard input";
  return path.empty() ? "\"\"" : with_escapes(path);
}

std::string label_of(const std::vector<std::string>& paths) {
  if (paths.empty()) return "";
  const std::string first = label_of(paths.front());
  if (paths.size() > 2) return first + " and " + std::to_string(paths.size() - 1) + " more";
  return paths.size() == 2 ? first + " and " + label_of(paths.back()) : first;
}

failure failure_of(std::exception_ptr error, const std::vector<std::string>& paths) {
  try {
    std::rethrow_exception(error);
  } catch (const failure& e) {
    return e;  // it says already whom it is about
  } catch (const cancelled_error&) {
    return named(exit_code::interrupted, paths, "interrupted; nothing was written");
  } catch (const io_error& e) {
    return named(exit_code::input, paths, e.what());
  } catch (const format_error& e) {
    return named(exit_code::input, paths, e.what());
  } catch (const shape_error& e) {
    return named(exit_code::usage, paths, e.what());
  } catch (const engine_error& e) {
    return named(exit_code::no_engine, paths, e.what());
  } catch (const unsupported_error& e) {
    return named(exit_code::usage, paths, e.what());
  } catch (const overflow_error& e) {
    return named(exit_code::does_not_fit, paths, e.what());
  } catch (const cuda_error& e) {
    return named(exit_code::device, paths, e.what());
  } catch (const out_of_memory& e) {
    return named(exit_code::other, paths, e.what() + std::string("; --memory and --threads say how much buffers take"));
  } catch (const std::bad_alloc&) {
    return named(exit_code::other, paths, "out of memory; ask for less: a smaller --memory or fewer --threads");
  } catch (const std::system_error& e) {
    return named(exit_code::other, paths, std::string(e.what()) + "; ask for less: fewer --threads");
  } catch (const std::exception& e) {
    return named(exit_code::other, paths, e.what());
  }
}

failure input_failure_of(std::exception_ptr error, const std::string& path) {
  try {
    std::rethrow_exception(error);
  } catch (const engine_error&) {
    return failure_of(error, {path});
  } catch (const unsupported_error& e) {
    return named(exit_code::input, {path}, e.what());
  } catch (...) {
    return failure_of(error, {path});
  }
}

}  // namespace multifold::app
