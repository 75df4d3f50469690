// multifold OP FILE...: reduces files one by one.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "arguments.hpp"
#include "array_text.hpp"
#include "command.hpp"
#include "json_text.hpp"
#include "multifold/reduce.hpp"
#include "npy_output.hpp"
#include "progress_bar.hpp"
#include "request.hpp"
#include "standard_output.hpp"

namespace multifold::app {
namespace {

struct reduce_arguments {
  op_kind op;
  std::vector<std::string> files;
  raw_arguments raw;
  reduction_arguments what;
  engine_arguments how;
  bool json = false;
  bool hex = false;
  bool explain = false;
  std::string output;
};

void check(const reduce_arguments& arguments) {
  const bool to_file = !arguments.output.empty();
  if (arguments.files.size() > 1 && to_file) throw usage("-o: one file holds one result; expected one FILE");
  if (std::count(arguments.files.begin(), arguments.files.end(), "-") > 1) {
    throw usage("'-' was given twice; standard input can be read once");
  }
  if (arguments.json && arguments.hex) throw usage("--hex: --json has value_hex already; expected one of the two");
  if (to_file && arguments.hex) throw usage("--hex: with -o nothing is printed; expected one of the two");
  if (arguments.json && arguments.output == "-") {
    throw usage("-o: standard output is taken by --json; expected another file");
  }
}

std::optional<std::int64_t> bytes_of(const array_layout& layout) {
  if (std::count(layout.extents.begin(), layout.extents.end(), -1) > 0) return std::nullopt;
  return element_count(layout.extents) * item_bytes(layout.type);
}

// What all files have in common, judged before the first of them is opened.
struct job {
  explicit job(const reduce_arguments& from)
      : arguments(from), raw(raw_request(from.raw)), options(reduce_request(from.what, from.how)) {}

  const reduce_arguments& arguments;
  std::optional<raw_options> raw;
  reduce_options options;
};

std::unique_ptr<source> open_input(const job& work, const std::string& file) {
  try {
    return open_source(file, work.raw);
  } catch (...) {
    throw input_failure_of(std::current_exception(), label_of(file));
  }
}

reduce_result reduce_file(const job& work, const std::string& file, interrupt_watch& watch) {
  const reduce_arguments& arguments = work.arguments;
  const std::string interrupted = label_of(file) + ": interrupted; nothing was written";
  std::optional<last_words> words(std::in_place, watch, [&interrupted] { complain(interrupted); });
  const std::unique_ptr<source> input = open_input(work, file);  // a named pipe may keep us waiting here
  reduce_options options = work.options;
  try {
    fit_to(input->layout(), arguments.op, arguments.what, options);
  } catch (const failure& problem) {
    throw about(label_of(file), problem);
  }
  if (!arguments.output.empty()) {
    check_output(arguments.output, result_type(arguments.op, input->layout().type, options));
  }

  progress_bar bar(fmt::format("{} {}", name(arguments.op), label_of(file)), bytes_of(input->layout()));
  words.emplace(watch, [&bar, &interrupted] {
    bar.clear();
    complain(interrupted);
  });
  options.stop = watch.token();
  if (progress_bar::wanted()) options.progress = [&bar](std::int64_t bytes) { bar.update(bytes); };
  return reduce(arguments.op, *input, options);
}

void write_output(const reduce_arguments& arguments, const reduce_result& result, interrupt_watch& watch) {
  const last_words words(watch, [&arguments] {
    remove_unfinished(arguments.output);
    complain(label_of(arguments.output) + ": interrupted; nothing was written");
  });
  try {
    write_npy(arguments.output, result.type, result.extents, result.data);
  } catch (...) {
    throw failure_of(std::current_exception(), label_of(arguments.output));
  }
}

std::string text_of(const reduce_arguments& arguments, const std::string& file, const reduce_result& result) {
  const notation how = arguments.hex ? notation::hex : notation::decimal;
  const std::string value = array_text(result, how) + "\n";
  if (arguments.files.size() == 1) return value;
  return label_of(file) + (result.extents.empty() ? ": " : ":\n") + value;
}

void report(const reduce_arguments& arguments, const std::string& file, const reduce_result& result) {
  if (arguments.explain) print_aside(explain(result.used));
  if (arguments.json) return print(result_json(result, file, arguments.output) + "\n");
  if (!arguments.output.empty()) return;
  print(text_of(arguments, file, result));
  if (elements_of(result) > most_elements_shown) {
    complain(fmt::format("{}: {} results, shortened here; -o OUT.npy or --json gives them all", label_of(file),
                         elements_of(result)));
  }
}

// A file that fails does not keep the others from being reduced; the first failure is the exit code.
exit_code run(const reduce_arguments& arguments, interrupt_watch& watch) {
  check(arguments);
  const job work(arguments);
  exit_code first = exit_code::success;
  for (const std::string& file : arguments.files) {
    try {
      const reduce_result result = reduce_file(work, file, watch);
      if (!arguments.output.empty()) write_output(arguments, result, watch);
      report(arguments, file, result);
    } catch (...) {
      const failure problem = failure_of(std::current_exception(), label_of(file));
      const bool hopeless = problem.code() == exit_code::interrupted || *problem.what() == '\0';
      if (hopeless) throw problem;
      complain(problem.what());
      if (first == exit_code::success) first = problem.code();
    }
  }
  return first;
}

void add_output_options(CLI::App& command, reduce_arguments& to) {
  const char* const group = "What is printed";
  command.add_flag("--json", to.json, "One JSON object a file, on one line: value, bits, dtype, engine, plan, seconds")
      ->group(group);
  command.add_flag("--hex", to.hex, "The bits of the result, like 0x3f800000")->group(group);
  command.add_flag("--explain", to.explain, "The passes that were run, on standard error")->group(group);
  command.add_option("-o,--output", to.output, "Write the result as .npy instead ('-': to standard output)")
      ->type_name("OUT.npy")
      ->group(group);
}

std::string examples(op_kind op) {
  const std::string_view o = name(op);
  return fmt::format(
      "Examples:\n"
      "  multifold {0} x.npy                              over all elements\n"
      "  multifold {0} x.npy --axis 0 -o out.npy          down the columns, into a file\n"
      "  multifold {0} x.bin --dtype f32 --shape 1000,64  raw elements\n"
      "  zstd -dc x.npy.zst | multifold {0} -             from a pipe, in bounded memory\n"
      "  multifold {0} x.npy --json                       with engine, plan and seconds\n",
      o);
}

}  // namespace

void add_reduce_command(CLI::App& app, op_kind op, command& chosen) {
  const auto arguments = std::make_shared<reduce_arguments>();
  arguments->op = op;
  const std::string about(description(op));
  CLI::App& sub = *app.add_subcommand(std::string(name(op)), "The " + about);
  sub.add_option("FILE", arguments->files, "A .npy file or raw elements, '-' for standard input; several, one by one")
      ->required()
      ->type_name(" ");
  add_reduction_options(sub, arguments->what);
  add_raw_options(sub, arguments->raw);
  add_output_options(sub, *arguments);
  add_engine_options(sub, arguments->how);
  sub.footer(examples(op));
  sub.callback(
      [arguments, &chosen] { chosen = [arguments](interrupt_watch& watch) { return run(*arguments, watch); }; });
}

}  // namespace multifold::app
