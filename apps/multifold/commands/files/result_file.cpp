// One of four formats into a file that gets its name at the end.
#include "commands/files/result_file.hpp"

#include <algorithm>
#include <exception>
#include <filesystem>
#include <span>
#include <string_view>
#include <system_error>
#include <vector>

#include "commands/files/output_target.hpp"
#include "common/messages/failure.hpp"
#include "multifold/npz.hpp"
#include "multifold/source.hpp"
#include "multifold/whole_file.hpp"
#include "text/values/describe_text.hpp"

namespace multifold::app {
namespace {

namespace fs = std::filesystem;

enum class file_format { npy, npz, text, json };

bool holds_description(std::span<const op_kind> ops) {
  return std::count(ops.begin(), ops.end(), op_kind::describe) > 0;
}

file_format format_of(const std::string& path, std::span<const op_kind> ops = {}) {
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  if (path == "-" || (fs::exists(status) && !fs::is_regular_file(status))) return file_format::npy;
  const std::string extension = fs::path(path).extension();
  if (extension == ".npy") return file_format::npy;
  if (extension == ".npz") return file_format::npz;
  if (extension == ".txt") return file_format::text;
  if (extension == ".json") return file_format::json;
  const bool one_array = ops.size() < 2 && !holds_description(ops);
  throw usage("-o: found " + label_of(path) + "; expected a name that ends with " + std::string(output_endings(ops)) +
              (one_array ? ", or '-' for .npy on standard output" : ""));
}

std::string name_of(const reduce_result& result) { return std::string(name(result.used.what.op)); }

void print_text(const reduce_result& result, notation how, text_output& out) {
  if (result.used.what.op != op_kind::describe) return print_lines(result, how, out);
  print_description(result, how, out, false);
  out << "\n";
}

// Of several results each has the name of its operation in front.
void print_texts(std::span<const reduce_result> results, notation how, text_output& out) {
  if (results.size() == 1) return print_text(results[0], how, out);
  for (const reduce_result& each : results) {
    out << name_of(each) << ":\n";
    print_text(each, how, out);
  }
}

// One object, or an array of them.
void print_objects(std::span<const reduce_result> results, const result_files& files, text_output& out) {
  const bool several = results.size() > 1;
  if (several) out << "[";
  for (const reduce_result& each : results) {
    if (&each != results.data()) out << ",\n";
    print_result_json(each, files, out);
  }
  out << (several ? "]\n" : "\n");
}

void write_text(const std::string& path, std::span<const reduce_result> results, notation how,
                const result_files& files) {
  const bool text = format_of(path) == file_format::text;
  write_whole_file(path, [&](const byte_sink& sink) {
    text_output out([&sink](std::string_view chunk) { sink(std::as_bytes(std::span(chunk))); });
    if (text) print_texts(results, how, out);
    else print_objects(results, files, out);
    out.flush();
  });
}

void write_archive(const std::string& path, std::span<const reduce_result> results, const std::string& op) {
  std::vector<npz_member> members;
  for (const reduce_result& each : results)
    members.push_back({op.empty() ? name_of(each) : op, each.type, each.extents, each.data});
  write_npz(path, members);
}

bool is_array(file_format format) { return format == file_format::npy || format == file_format::npz; }

}  // namespace

std::string_view output_endings(std::span<const op_kind> ops) {
  if (holds_description(ops)) return ".txt or .json";
  return ops.size() > 1 ? ".npz, .txt or .json" : ".npy, .npz, .txt or .json";
}

void check_output_name(const std::string& path, std::span<const op_kind> ops) {
  const file_format format = format_of(path, ops);
  if (!is_array(format)) return;
  const std::string expected = "; expected " + std::string(output_endings(ops));
  if (holds_description(ops)) {
    throw usage("-o: a " + std::string(format == file_format::npz ? ".npz holds arrays" : ".npy holds one array") +
                ", and a description is no array" + expected + ", or --json");
  }
  if (format == file_format::npz) return;
  if (ops.size() > 1) throw usage("-o: a .npy holds one array" + expected + " for several results");
  refuse_terminal(path);
}

bool is_text_file(const std::string& path) { return format_of(path) == file_format::text; }

void check_output(const std::string& path, dtype type, bool only_type) {
  if (is_array(format_of(path)) && type == dtype::bf16) {
    const char* const other = only_type ? "" : "--result-dtype f32, which holds each of its values, or ";
    throw file_failure(exit_code::usage, path, std::string(".npy has no bf16; expected ") + other + "a .txt");
  }
  check_target(path);
}

void write_results(const std::string& path, std::span<const reduce_result> results, notation how,
                   const result_files& files, interrupt_watch& watch) {
  const last_words words(watch, [&watch, &path] {
    remove_unfinished(path);
    watch.complain_of_end(label_of(path) + ": interrupted; nothing was written", {path});
  });
  try {
    const file_format format = format_of(path);
    if (format == file_format::npy) write_npy(path, results[0].type, results[0].extents, results[0].data);
    else if (format == file_format::npz) write_archive(path, results, files.op);
    else write_text(path, results, how, files);
  } catch (...) {
    throw failure_of(std::current_exception(), {path});
  }
}

}  // namespace multifold::app
