// multifold-overlap: one reduction in several ways, and a picture of who read and who reduced when.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "device.hpp"
#include "html_report.hpp"
#include "multifold/reduction.hpp"
#include "random_file.hpp"
#include "schedules.hpp"
#include "text_report.hpp"
#include "trace_report.hpp"

namespace multifold::overlap {
namespace {

struct arguments {
  std::string file, op = "sum", dtype, html, trace;
  std::uint64_t bytes = std::uint64_t{256} << 20;
  measurement how;
  std::uint64_t device_bytes = std::uint64_t{1} << 30, chunk_bytes = std::uint64_t{16} << 20;
  std::vector<int> streams{2, 4};
};

std::vector<std::string> op_names() {
  std::vector<std::string> names;
  for (const op_kind op : all_ops) names.emplace_back(name(op));
  return names;
}

void add_options(CLI::App& app, arguments& to) {
  app.add_option("FILE", to.file, ".npy, or raw elements with --dtype; without one, random numbers are made")
      ->type_name("");
  app.add_option("--dtype", to.dtype, "The elements of a raw FILE, like f32")->type_name("TYPE");
  app.add_option("--op", to.op, "What is computed")
      ->type_name("OP")
      ->check(CLI::IsMember(op_names()).description(""))
      ->capture_default_str();
  app.add_option("--bytes", to.bytes, "Of random numbers, like 1GiB (default: 256MiB)")
      ->transform(CLI::AsSizeValue(false).description(""))
      ->check(CLI::Range(std::uint64_t{4096}, std::uint64_t{1} << 46).description(""))
      ->type_name("SIZE");
  app.add_option("--threads", to.how.threads, "At most so many (default: all that this process may use)")
      ->type_name("N")
      ->check(CLI::Range(1, 65536).description(""));
  app.add_option("--repeats", to.how.repeats, "Runs of each way; the one with the median time is shown")
      ->type_name("N")
      ->check(CLI::Range(1, 1000).description(""))
      ->capture_default_str();
  app.add_option("--html", to.html, "Write pictures of the runs, one page that needs nothing else")
      ->type_name("PAGE.html");
  app.add_option("--trace", to.trace, "Write every span, for ui.perfetto.dev or chrome://tracing")
      ->type_name("TRACE.json");
}

void add_device_options(CLI::App& app, arguments& to) {
  const char* const group = "On a machine with a GPU, where no FILE is given";
  app.add_option("--device-bytes", to.device_bytes,
                 "Of the array in pinned memory (default: 1GiB; 0: leave the GPU out)")
      ->transform(CLI::AsSizeValue(false).description(""))
      ->check(CLI::Range(std::uint64_t{0}, std::uint64_t{1} << 40).description(""))
      ->type_name("SIZE")
      ->group(group);
  app.add_option("--chunk-bytes", to.chunk_bytes, "Of one copy (default: 16MiB)")
      ->transform(CLI::AsSizeValue(false).description(""))
      ->check(CLI::Range(std::uint64_t{4096}, std::uint64_t{1} << 30).description(""))
      ->type_name("SIZE")
      ->group(group);
  app.add_option("--streams", to.streams, "Numbers of streams to try")
      ->delimiter(',')
      ->check(CLI::Range(2, 64).description(""))
      ->type_name("N,N...")
      ->capture_default_str()
      ->group(group);
}

void write(const std::string& path, const std::string& text) {
  if (path.empty()) return;
  std::ofstream out(path, std::ios::binary);
  out << text;
  out.close();
  if (!out) throw std::runtime_error(path + ": could not be written");
}

void print(const std::string& text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0) return;
  throw std::runtime_error("standard output: could not be written");
}

void demonstrate(const arguments& wanted) {
  measurement how = wanted.how;
  how.op = *parse_op(wanted.op);
  std::optional<raw_options> raw;
  std::optional<random_file> made;
  if (wanted.file.empty()) {
    made.emplace(static_cast<std::int64_t>(wanted.bytes) / 4096 * 4096);
    raw.emplace();
  } else if (!wanted.dtype.empty()) {
    const std::optional<dtype> type = parse_dtype(wanted.dtype);
    if (!type) throw std::runtime_error("--dtype: found '" + wanted.dtype + "'; expected one like f32");
    raw.emplace().type = *type;
  }
  report all{{measure(made ? made->path() : wanted.file, raw, how)}};
  if (made && wanted.device_bytes > 0) {
    const auto chunk = static_cast<std::int64_t>(wanted.chunk_bytes) / 4096 * 4096;
    for (section& each : device_sections(
             {static_cast<std::int64_t>(wanted.device_bytes), chunk, wanted.streams, how.threads, how.repeats})) {
      all.sections.push_back(std::move(each));
    }
  }
  write(wanted.html, html_report(all));
  write(wanted.trace, trace_report(all));
  print(text_report(all));
}

}  // namespace
}  // namespace multifold::overlap

int main(int count, char** words) {
  CLI::App app("One reduction in several ways, and a picture of who read and who reduced when", "multifold-overlap");
  multifold::overlap::arguments wanted;
  multifold::overlap::add_options(app, wanted);
  multifold::overlap::add_device_options(app, wanted);
  CLI11_PARSE(app, count, words);
  try {
    multifold::overlap::demonstrate(wanted);
    return 0;
  } catch (const std::exception& problem) {
    const std::string line = std::string("multifold-overlap: ") + problem.what() + "\n";
    [[maybe_unused]] const auto told = ::write(STDERR_FILENO, line.data(), line.size());
    return 1;
  }
}
