// multifold info: what this build can do on this machine.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <iterator>
#include <memory>
#include <optional>
#include <string>

#include "arguments/environment.hpp"
#include "commands/command.hpp"
#include "common/standard_output.hpp"
#include "multifold/rates.hpp"
#include "multifold/reduce.hpp"
#include "multifold/version.hpp"
#include "text/engine_text.hpp"
#include "text/json_text.hpp"
#include "text/processor.hpp"
#include "text/size_text.hpp"

namespace multifold::app {
namespace {

std::string engine_text(const engine_info& engine) {
  if (!engine.supported) return fmt::format("  {:<8} not here: {}\n", engine.name, engine.reason);
  const engine_traits& traits = engine.traits;
  const std::string units = traits.engine == engine_kind::host
                                ? fmt::format("{} thread{}", traits.units, traits.units == 1 ? "" : "s")
                                : fmt::format("{} SMs, {} blocks of {} threads on each", traits.units,
                                              traits.blocks_per_unit, traits.threads);
  return fmt::format("  {:<8} {}\n  {:<8} {}; parts of {} or more\n", engine.name, engine.description, "", units,
                     size_text(traits.part_bytes));
}

std::string rates_lines(const std::optional<machine_rates>& rates) {
  if (!rates) return "rates of memory: not measured yet; --measure does it\n";
  return "rates of memory, as measured once\n" + rates_text(*rates);
}

std::string environment_text() {
  std::string text = "environment\n";
  for (const environment_variable& variable : environment_variables()) {
    const std::optional<std::string> value = value_of(variable);
    text += fmt::format("  {:<21} {}\n", variable.name, value ? one_line(*value) : "not set");
    if (const auto complaint = complaint_about(variable)) text += fmt::format("  {:<21} invalid: {}\n", "", *complaint);
  }
  return text;
}

std::string info_text(const std::optional<machine_rates>& rates) {
  std::string text = fmt::format("multifold {}\nprocessor  {}\nengines, the preferred one first\n", MULTIFOLD_VERSION,
                                 processor_features());
  for (const engine_info& engine : engines()) text += engine_text(engine);
  return text + rates_lines(rates) + environment_text();
}

// Measured rates that are not there next time are not what --measure promises.
void require_cached(const machine_rates& measured) {
  if (measured.host_all <= 0) throw failure(exit_code::other, "--measure: there is not enough free memory to measure");
  if (cached_rates() == measured) return;
  throw failure(exit_code::input,
                "--measure: the rates could not be kept; expected a file that can be written in $MULTIFOLD_RATES, "
                "$XDG_CACHE_HOME/multifold or ~/.cache/multifold");
}

}  // namespace

void add_info_command(CLI::App& app, chosen_command& chosen) {
  const auto json = std::make_shared<bool>(false), again = std::make_shared<bool>(false);
  CLI::App& sub = *app.add_subcommand("info", "The engines of this machine, the version, and the environment");
  sub.group(group_of_other_commands);
  sub.add_flag("--json", *json, "One JSON object on one line; errors, too");
  sub.add_flag("--measure", *again, "Measure how fast memory is read, reduced and copied to the GPU, and keep it");
  sub.footer(
      "Examples:\n  multifold info\n  multifold info --json | jq '.engines[0].name'\n  multifold info --measure\n");
  sub.callback([json, again, &chosen] {
    chosen = [json, again](interrupt_watch&) {
      const std::optional<machine_rates> rates = *again ? measure_rates() : cached_rates();
      print(*json ? info_json(rates) + "\n" : info_text(rates));
      if (*again) require_cached(*rates);
      return exit_code::success;
    };
  });
}

}  // namespace multifold::app
