// One of three formats into a file that gets its name at the end.
#include "result_file.hpp"

#include <exception>
#include <filesystem>
#include <span>
#include <string_view>
#include <system_error>

#include "common/failure.hpp"
#include "describe_text.hpp"
#include "multifold/source.hpp"
#include "multifold/whole_file.hpp"
#include "output_target.hpp"

namespace multifold::app {
namespace {

namespace fs = std::filesystem;

enum class file_format { npy, text, json };

file_format format_of(const std::string& path) {
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  if (path == "-" || (fs::exists(status) && !fs::is_regular_file(status))) return file_format::npy;
  const std::string extension = fs::path(path).extension();
  if (extension == ".npy") return file_format::npy;
  if (extension == ".txt") return file_format::text;
  if (extension == ".json") return file_format::json;
  throw usage("-o: found " + label_of(path) + "; expected a name that ends with .npy, .txt or .json" +
              ", or '-' for .npy on standard output");
}

void print_text(const reduce_result& result, notation how, text_output& out) {
  if (result.used.what.op != op_kind::describe) return print_lines(result, how, out);
  print_description(result, how, out, false);
  out << "\n";
}

void write_text(const std::string& path, const reduce_result& result, notation how, const result_files& files) {
  const bool text = format_of(path) == file_format::text;
  write_whole_file(path, [&](const byte_sink& sink) {
    text_output out([&sink](std::string_view piece) { sink(std::as_bytes(std::span(piece))); });
    if (text) {
      print_text(result, how, out);
    } else {
      print_result_json(result, files, out);
      out << "\n";
    }
    out.flush();
  });
}

}  // namespace

void check_output_name(const std::string& path, op_kind op) {
  if (format_of(path) != file_format::npy) return;
  if (op == op_kind::describe) {
    throw usage("-o: a .npy holds one array, and a description is no array; expected .txt or .json, or --json");
  }
  refuse_terminal(path);
}

bool is_text_file(const std::string& path) { return format_of(path) == file_format::text; }

void check_output(const std::string& path, dtype type) {
  if (format_of(path) == file_format::npy && type == dtype::bf16) {
    throw file_failure(exit_code::usage, path,
                       ".npy has no bf16; expected --result-dtype f32, which holds each of its values, or a .txt");
  }
  check_target(path);
}

void write_result(const std::string& path, const reduce_result& result, notation how, const result_files& files,
                  interrupt_watch& watch) {
  const last_words words(watch, [&watch, &path] {
    remove_unfinished(path);
    watch.complain_of_end(label_of(path) + ": interrupted; nothing was written", {path});
  });
  try {
    if (format_of(path) == file_format::npy) write_npy(path, result.type, result.extents, result.data);
    else write_text(path, result, how, files);
  } catch (...) {
    throw failure_of(std::current_exception(), {path});
  }
}

}  // namespace multifold::app
