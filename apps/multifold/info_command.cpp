// multifold info: what this build can do on this machine.
#include <fmt/format.h>

#include <iterator>
#include <memory>
#include <string>

#include "command.hpp"
#include "json_text.hpp"
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

std::string info_text() {
  std::string text = fmt::format("multifold {}\nprocessor  {}\nengines, the preferred one first\n", MULTIFOLD_VERSION,
                                 processor_features());
  for (const engine_info& engine : engines()) text += engine_text(engine);
  return text;
}

}  // namespace

void add_info_command(CLI::App& app, command& chosen) {
  const auto json = std::make_shared<bool>(false);
  CLI::App& sub = *app.add_subcommand("info", "The engines of this machine, and the version");
  sub.add_flag("--json", *json, "One JSON object on one line");
  sub.footer("Examples:\n  multifold info\n  multifold info --json | jq '.engines[0].name'\n");
  sub.callback([json, &chosen] {
    chosen = [json](interrupt_watch&) {
      print(*json ? info_json() + "\n" : info_text());
      return exit_code::success;
    };
  });
}

}  // namespace multifold::app
