// multifold-overlap: one reduction in several ways, and a picture of who read and who reduced when.
#include <CLI/CLI.hpp>
#include <exception>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/file_identity.hpp"
#include "common/help_format.hpp"
#include "common/misfit.hpp"
#include "common/program.hpp"
#include "common/report_file.hpp"
#include "common/standard_output.hpp"
#include "common/words/dtype_word.hpp"
#include "multifold/error.hpp"
#include "multifold/reduction.hpp"
#include "overlap/device.hpp"
#include "overlap/random_file.hpp"
#include "overlap/reports/html_report.hpp"
#include "overlap/reports/text_report.hpp"
#include "overlap/reports/trace_report.hpp"
#include "overlap/schedules.hpp"

namespace multifold::overlap {
namespace {

using app::exit_code;
using app::interrupt_watch;

struct arguments {
  std::string file, op = "sum", html, trace;
  std::optional<std::string> dtype;
  std::uint64_t bytes = std::uint64_t{256} << 20;
  measurement how;
  std::uint64_t device_bytes = std::uint64_t{1} << 30, chunk_bytes = std::uint64_t{16} << 20;
  std::vector<int> streams{2, 4};
};

void add_options(CLI::App& parser, arguments& to) {
  parser.add_option("FILE", to.file, ".npy, or raw elements with --dtype; without one, random numbers are made")
      ->type_name("");
  parser.add_option("--dtype", to.dtype, "The elements of a raw FILE, like f32")->type_name("TYPE");
  parser.add_option("--op", to.op, "What is computed")
      ->type_name("OP")
      ->transform(app::one_of(app::op_choices(all_ops)))
      ->capture_default_str();
  parser.add_option("--bytes", to.bytes, "Of random numbers, like 1GiB (default: 256MiB)")
      ->transform(CLI::AsSizeValue(false).description(""))
      ->check(CLI::Range(std::uint64_t{4096}, std::uint64_t{1} << 46).description(""))
      ->type_name("SIZE");
  parser.add_option("--threads", to.how.threads, "At most so many (default: all that this process may use)")
      ->type_name("N")
      ->check(CLI::Range(1, 65536).description(""));
  parser.add_option("--repeats", to.how.repeats, "Runs of each way; the one with the median time is shown")
      ->type_name("N")
      ->check(CLI::Range(1, 1000).description(""))
      ->capture_default_str();
  parser.add_option("--html", to.html, "Write pictures of the runs, one page that needs nothing else")
      ->type_name("PAGE.html");
  parser.add_option("--trace", to.trace, "Write every span, for ui.perfetto.dev or chrome://tracing")
      ->type_name("TRACE.json");
}

void add_device_options(CLI::App& parser, arguments& to) {
  const char* const group = "On a machine with a GPU, where no FILE is given";
  parser
      .add_option("--device-bytes", to.device_bytes,
                  "Of the array in pinned memory (default: 1GiB; 0: leave the GPU out)")
      ->transform(CLI::AsSizeValue(false).description(""))
      ->check(CLI::Range(std::uint64_t{0}, std::uint64_t{1} << 40).description(""))
      ->type_name("SIZE")
      ->group(group);
  parser.add_option("--chunk-bytes", to.chunk_bytes, "Of one copy (default: 16MiB)")
      ->transform(CLI::AsSizeValue(false).description(""))
      ->check(CLI::Range(std::uint64_t{4096}, std::uint64_t{1} << 30).description(""))
      ->type_name("SIZE")
      ->group(group);
  parser.add_option("--streams", to.streams, "Numbers of streams to try")
      ->delimiter(',')
      ->check(CLI::Range(2, 64).description(""))
      ->type_name("N,N...")
      ->capture_default_str()
      ->group(group);
}

// Options that would do nothing are more likely a mistake.
void check(const CLI::App& given, const arguments& wanted) {
  if (wanted.file.empty() && wanted.dtype) throw app::usage("--dtype is for a raw FILE; found none");
  for (const char* const option : {"--bytes", "--device-bytes", "--chunk-bytes", "--streams"}) {
    if (wanted.file.empty() || given.count(option) == 0) continue;
    throw app::usage(std::string(option) + " is for random numbers; found FILE " + app::label_of(wanted.file));
  }
  std::vector<app::named_file> inputs, outputs;
  if (!wanted.file.empty()) inputs.push_back({"FILE", wanted.file});
  if (!wanted.html.empty()) outputs.push_back({"--html", wanted.html});
  if (!wanted.trace.empty()) outputs.push_back({"--trace", wanted.trace});
  app::check_outputs(inputs, outputs);
}

section measured(const arguments& wanted, measurement how, interrupt_watch& watch) {
  how.stop = watch.token();
  if (wanted.file.empty()) {
    const random_file made(static_cast<std::int64_t>(wanted.bytes) / 4096 * 4096, how.stop);
    how.label = "a temporary file";
    return measure(made.path(), raw_options{}, how);
  }
  std::optional<raw_options> raw;
  if (wanted.dtype) {
    const app::dtype_word word = app::parse_dtype_word("--dtype", *wanted.dtype);
    raw.emplace().type = word.type;
    raw->other_byte_order = word.other_byte_order;
  }
  try {
    return measure(wanted.file, raw, how);
  } catch (...) {
    throw app::input_failure_of(std::current_exception(), wanted.file);
  }
}

void demonstrate(const arguments& wanted, interrupt_watch& watch) {
  measurement how = wanted.how;
  how.op = *parse_op(wanted.op);
  report all{{measured(wanted, how, watch)}};
  if (wanted.file.empty() && wanted.device_bytes > 0) {
    const auto chunk = static_cast<std::int64_t>(wanted.chunk_bytes) / 4096 * 4096;
    for (section& each : device_sections(
             {static_cast<std::int64_t>(wanted.device_bytes), chunk, wanted.streams, how.threads, how.repeats})) {
      all.sections.push_back(std::move(each));
    }
  }
  if (watch.token().stop_requested()) throw cancelled_error("interrupted; nothing was written");
  if (!wanted.html.empty()) app::write_report(wanted.html, html_report(all));
  if (!wanted.trace.empty()) app::write_report(wanted.trace, trace_report(all));
  app::print(text_report(all));
}

exit_code parse_and_run(int count, char** words, interrupt_watch& watch) {
  CLI::App options("One reduction in several ways, and a picture of who read and who reduced when",
                   "multifold-overlap");
  arguments wanted;
  app::use_help_format(options);
  options.set_help_flag("-h,--help", "This text")->group("Help");
  add_options(options, wanted);
  add_device_options(options, wanted);
  options.footer("Exit codes are those of multifold.");
  try {
    options.parse(count, words);
  } catch (const CLI::CallForHelp&) {
    app::print(options.help());
    return exit_code::success;
  } catch (const CLI::ParseError& e) {
    throw app::misfit(options, e);
  }
  check(options, wanted);
  demonstrate(wanted, watch);
  return exit_code::success;
}

}  // namespace
}  // namespace multifold::overlap

int main(int count, char** words) {
  using namespace multifold;
  return app::run_program("multifold-overlap",
                          [&](app::interrupt_watch& watch) { return overlap::parse_and_run(count, words, watch); });
}
