// multifold-ladder: from one accumulator, or one thread of a GPU, to the memory's limit, rung by rung.
#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "common/complaint.hpp"
#include "common/file_identity.hpp"
#include "common/help_format.hpp"
#include "common/misfit.hpp"
#include "common/program.hpp"
#include "common/report_file.hpp"
#include "common/standard_output.hpp"
#include "cpu_climb.hpp"
#include "device/device.hpp"
#include "reports/reports.hpp"

namespace multifold::ladder {
namespace {

using app::exit_code;
using app::interrupt_watch;

struct arguments {
  std::optional<std::uint64_t> bytes;
  std::string dtype = "f32", op = "sum", engine = "auto", html;
  int repeats = 20, threads = 0;
  bool json = false;
};

constexpr op_kind ops[] = {op_kind::sum, op_kind::max, op_kind::dot};

void add_options(CLI::App& parser, arguments& to) {
  parser.add_option("--bytes", to.bytes, "Of each array, like 1GiB (default: 256MiB; on a GPU 4GiB)")
      ->transform(CLI::AsSizeValue(false).description(""))
      ->check(CLI::Range(std::uint64_t{8}, std::uint64_t{1} << 40).description(""))
      ->type_name("SIZE");
  parser.add_option("--dtype", to.dtype, "f32, f64 or i32")
      ->transform(app::one_of({{"f32", {"float32", "f4"}}, {"f64", {"float64", "f8"}}, {"i32", {"int32", "i4"}}}))
      ->type_name("TYPE")
      ->capture_default_str();
  parser.add_option("--op", to.op, "sum, max or dot")
      ->transform(app::one_of(app::op_choices(ops)))
      ->type_name("OP")
      ->capture_default_str();
  parser.add_option("--engine", to.engine, "Whose ladder: host, device, or auto: the GPU's where there is one")
      ->transform(app::one_of(app::engine_choices(false)))
      ->type_name("ENGINE")
      ->capture_default_str();
  parser.add_option("--repeats", to.repeats, "Runs of each rung; the median is shown")
      ->check(CLI::Range(1, 1000).description(""))
      ->type_name("N")
      ->capture_default_str();
  parser.add_option("--threads", to.threads, "Of the CPU's ladder, at most (default: all that this process may use)")
      ->check(CLI::Range(1, 65536).description(""))
      ->type_name("N");
  parser.add_option("--html", to.html, "Write a page with every rung's source, which needs nothing else")
      ->type_name("PAGE.html");
  parser.add_flag("--json", to.json, "One JSON object on one line; errors, too");
}

problem problem_of(const arguments& wanted, std::uint64_t bytes) {
  problem what;
  what.type = wanted.dtype == "f64" ? dtype::f64 : wanted.dtype == "i32" ? dtype::i32 : dtype::f32;
  what.op = *parse_op(wanted.op);
  what.count = static_cast<std::int64_t>(bytes) / item_bytes(what.type);
  return what;
}

constexpr int order_runs = 100;
constexpr std::int64_t order_count = 1 << 20;

// Whether there is something to show: the sums of integers are the same in any order.
bool has_orders(const problem& what) { return what.op == op_kind::sum && what.type == dtype::f32; }

climb climbed_on_host(const arguments& wanted) {
  constexpr std::uint64_t bytes = std::uint64_t{256} << 20;
  climb found = climb_cpu(problem_of(wanted, wanted.bytes.value_or(bytes)), {wanted.threads, wanted.repeats});
  if (has_orders(found.what)) found.orders = cpu_orders(order_count, wanted.threads, order_runs);
  return found;
}

std::optional<climb> climbed_on_device(const arguments& wanted, std::string& reason) {
  std::optional<climb> found = climb_device(problem_of(wanted, wanted.bytes.value_or(0)), wanted.repeats, reason);
  if (found && has_orders(found->what)) found->orders = device_orders(order_count, order_runs);
  return found;
}

climb climbed(const arguments& wanted) {
  std::string reason;
  std::optional<climb> found;
  if (wanted.engine != "host" && wanted.threads == 0) found = climbed_on_device(wanted, reason);
  if (!found && wanted.engine == "device") {
    throw app::failure(exit_code::no_engine, "the device engine is not there: " + reason + "; use --engine host");
  }
  if (!found) found = climbed_on_host(wanted);
  if (!found->orders.empty()) {
    found->orders_about = "The same " + std::to_string(order_count) + " f32, summed " + std::to_string(order_runs) +
                          " times: atomics add in the order in which threads come, a tree in its own, and exact sums "
                          "in any";
  }
  return *found;
}

exit_code parse_and_run(int count, char** words, interrupt_watch&) {
  CLI::App options("The ladder of reductions: from one thread to the memory's limit, each rung measured and checked",
                   "multifold-ladder");
  arguments wanted;
  app::use_help_format(options);
  options.set_help_flag("-h,--help", "This text")->group("Help");
  add_options(options, wanted);
  options.footer("Exit codes are those of multifold.");
  for (int i = 1; i < count; ++i) {
    if (std::string_view(words[i]) == "--json") app::complain_as_json(true);  // as of a word that is not understood
  }
  try {
    options.parse(count, words);
  } catch (const CLI::CallForHelp&) {
    app::print(options.help());
    return exit_code::success;
  } catch (const CLI::ParseError& e) {
    throw app::misfit(options, e);
  }
  if (wanted.threads > 0 && wanted.engine == "device") throw app::usage("--threads is for the CPU's ladder");
  if (!wanted.html.empty()) app::check_outputs({}, {{"--html", wanted.html}});
  const climb c = climbed(wanted);
  if (!wanted.html.empty()) app::write_report(wanted.html, html_report(c));
  app::print(wanted.json ? json_report(c) : text_report(c));
  return exit_code::success;
}

}  // namespace
}  // namespace multifold::ladder

int main(int count, char** words) {
  using namespace multifold;
  return app::run_program("multifold-ladder",
                          [&](app::interrupt_watch& watch) { return ladder::parse_and_run(count, words, watch); });
}
