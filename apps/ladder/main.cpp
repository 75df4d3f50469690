// multifold-ladder: from one accumulator, or one thread of a GPU, to the memory's limit, rung by rung.
#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "common/file_identity.hpp"
#include "common/program.hpp"
#include "common/report_file.hpp"
#include "common/standard_output.hpp"
#include "cpu_climb.hpp"
#include "device.hpp"
#include "reports.hpp"

namespace multifold::ladder {
namespace {

using app::exit_code;
using app::interrupt_watch;

struct arguments {
  std::optional<std::uint64_t> bytes;
  std::string dtype = "f32", op = "sum", engine = "host", html;
  int repeats = 20, threads = 0;
  bool json = false;
};

void add_options(CLI::App& app, arguments& to) {
  app.add_option("--bytes", to.bytes, "Of each array, like 1GiB (default: 256MiB; on a GPU 4GiB)")
      ->transform(CLI::AsSizeValue(false).description(""))
      ->check(CLI::Range(std::uint64_t{8}, std::uint64_t{1} << 40).description(""))
      ->type_name("SIZE");
  app.add_option("--dtype", to.dtype, "f32, f64 or i32")
      ->check(CLI::IsMember({"f32", "f64", "i32"}).description(""))
      ->type_name("TYPE")
      ->capture_default_str();
  app.add_option("--op", to.op, "sum, max or dot")
      ->check(CLI::IsMember({"sum", "max", "dot"}).description(""))
      ->type_name("OP")
      ->capture_default_str();
  app.add_option("--engine", to.engine, "Whose ladder: host or device")
      ->check(CLI::IsMember({"host", "device"}).description(""))
      ->type_name("ENGINE")
      ->capture_default_str();
  app.add_option("--repeats", to.repeats, "Runs of each rung; the median is shown")
      ->check(CLI::Range(1, 1000).description(""))
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--threads", to.threads, "Of the CPU's ladder, at most (default: all that this process may use)")
      ->check(CLI::Range(1, 65536).description(""))
      ->type_name("N");
  app.add_option("--html", to.html, "Write a page with every rung's source, which needs nothing else")
      ->type_name("PAGE.html");
  app.add_flag("--json", to.json, "One JSON object on one line");
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

climb climbed(const arguments& wanted) {
  constexpr std::uint64_t on_device = std::uint64_t{4} << 30, on_host = std::uint64_t{256} << 20;
  const bool device = wanted.engine == "device";
  std::optional<climb> found;
  if (device) {
    std::string reason;
    found = climb_device(problem_of(wanted, wanted.bytes.value_or(on_device)), wanted.repeats, reason);
    if (!found) {
      throw app::failure(exit_code::no_engine, "the device engine is not there: " + reason + "; use --engine host");
    }
  } else {
    found = climb_cpu(problem_of(wanted, wanted.bytes.value_or(on_host)), {wanted.threads, wanted.repeats});
  }
  if (found->what.op == op_kind::sum && found->what.type == dtype::f32) {
    found->orders =
        device ? device_orders(order_count, order_runs) : cpu_orders(order_count, wanted.threads, order_runs);
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
  add_options(options, wanted);
  options.footer("Exit codes are those of multifold.");
  try {
    options.parse(count, words);
  } catch (const CLI::CallForHelp&) {
    app::print(options.help());
    return exit_code::success;
  } catch (const CLI::ParseError& e) {
    throw app::usage(std::string(e.what()) + "; see multifold-ladder --help");
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
