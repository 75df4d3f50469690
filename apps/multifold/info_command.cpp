// multifold info: what this build can do on this machine.
#include <fmt/format.h>

#include <iterator>
#include <memory>
#include <optional>
#include <string>

#include "command.hpp"
#include "engine_text.hpp"
#include "json_text.hpp"
#include "multifold/rates.hpp"
#include "multifold/reduce.hpp"
#include "multifold/version.hpp"
#include "processor.hpp"
#include "size_text.hpp"
#include "standard_output.hpp"

namespace multifold::app {
namespace {

std::string engine_text(const engine_info& engine) {
  if (!engine.supported) return fmt::format("  {:<8} not here: {}\n", engine.name, engine.reason);
  const engine_traits& traits = engine.traits;
  const std::string units = traits.engine == engine_kind::host
                                ? fmt::format("{} thread{}", traits.units, traits.units == 1 ? "" : "s")
                                : fmt::format("{} multiprocessors, {} blocks of {} threads on each", traits.units,
                                              traits.blocks_per_unit, traits.threads);
  return fmt::format("  {:<8} {}\n  {:<8} {}; parts of {} or more\n", engine.name, engine.description, "", units,
                     size_text(traits.part_bytes));
}

std::string rates_lines() {
  const std::optional<machine_rates> rates = cached_rates();
  if (!rates) return "rates of memory: not measured yet; --measure does it\n";
  return "rates of memory, as measured once\n" + rates_text(*rates);
}

std::string info_text() {
  std::string text = fmt::format("multifold {}\nprocessor  {}\nengines, the preferred one first\n", MULTIFOLD_VERSION,
                                 processor_features());
  for (const engine_info& engine : engines()) text += engine_text(engine);
  return text + rates_lines();
}

}  // namespace

void add_info_command(CLI::App& app, command& chosen) {
  const auto json = std::make_shared<bool>(false), again = std::make_shared<bool>(false);
  CLI::App& sub = *app.add_subcommand("info", "The engines of this machine, and the version");
  sub.add_flag("--json", *json, "One JSON object on one line");
  sub.add_flag("--measure", *again, "Measure how fast memory is read, reduced and copied to the GPU, and remember it");
  sub.footer(
      "Examples:\n  multifold info\n  multifold info --json | jq '.engines[0].name'\n  multifold info --measure\n");
  sub.callback([json, again, &chosen] {
    chosen = [json, again](interrupt_watch&) {
      if (*again) measure_rates();
      print(*json ? info_json() + "\n" : info_text());
      return exit_code::success;
    };
  });
}

}  // namespace multifold::app
