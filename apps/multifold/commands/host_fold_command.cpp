// multifold FOLD FILE..., of operations that the library has as folds on the CPU.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "arguments/parse.hpp"
#include "commands/command.hpp"
#include "commands/reduce/checks.hpp"
#include "commands/reduce/options.hpp"
#include "common/misfit.hpp"
#include "text/help/reduce_examples.hpp"

namespace multifold::app {
namespace {

struct host_fold_arguments : reduce_arguments {
  host_fold_kind kind = {};
  std::string power;
  std::optional<std::string> shift;
  bool unbiased = false;
  bool pearson = false;
};

void add_fold_options(CLI::App& command, host_fold_arguments& to) {
  const char* const group = group_of_reduction;
  if (to.kind == host_fold_kind::moment) {
    command.add_option("--power,--order", to.power, "1, 2, 3 or 4: what deviations are raised to")
        ->required()
        ->type_name("N")
        ->transform(one_of(choices_of({"1", "2", "3", "4"})))
        ->group(group);
    command.add_option("--shift,--center", to.shift, "What deviations are from (default: the exact mean)")
        ->type_name("X")
        ->group(group);
  }
  if (to.kind == host_fold_kind::skewness || to.kind == host_fold_kind::kurtosis) {
    const char* const least = to.kind == host_fold_kind::skewness ? "3" : "4";
    command
        .add_flag("--unbiased", to.unbiased,
                  fmt::format("That of a population, from a sample of {} elements or more", least))
        ->group(group);
  }
  if (to.kind == host_fold_kind::kurtosis) {
    command.add_flag("--pearson", to.pearson, "3 of a normal distribution, and not 0")->group(group);
  }
}

bool is_refused(const CLI::Option& option) {
  constexpr std::array groups{group_of_details, group_of_segments, group_of_states, group_of_forced_plans};
  constexpr std::array<std::string_view, 2> names{"nan", "result-dtype"};
  const std::vector<std::string>& called = option.get_lnames();
  return std::ranges::count(groups, option.get_group()) > 0 ||
         (!called.empty() && std::ranges::count(names, called[0]) > 0);
}

// Nothing to complain of, or that another engine was asked for.
std::string checked_engine(const std::string& engine) {
  const std::optional<engine_choice> choice = parse_engine(engine);
  if (!choice || *choice == engine_choice::automatic || *choice == engine_choice::host) return "";
  return "found '" + engine + "', and only the host engine has this operation; expected auto or host";
}

// Options that no fold takes are known, so that it can be said which one was refused.
void check_refused(const CLI::App& command) {
  for (const CLI::Option* option : command.get_options()) {
    if (!option->get_group().empty() || option->get_lnames().empty() || option->count() == 0) continue;
    const std::string& fold = command.get_name();
    throw usage("--" + option->get_lnames()[0] + ": " + fold + " takes no such option; see multifold " + fold +
                " --help");
  }
}

host_fold fold_of(const host_fold_arguments& from) {
  host_fold fold{.kind = from.kind, .bias = !from.unbiased, .fisher = !from.pearson};
  const auto say = [&fold](const char* key, const std::string& value) { fold.settings.emplace_back(key, value); };
  if (from.kind == host_fold_kind::moment) {
    fold.power = from.power[0] - '0';
    say("power", from.power);
    say("shift", "null");
    if (from.shift) {
      std::visit(
          [&](auto number) {
            fold.shift = number;
            fold.settings.back().second = fmt::format("{}", number);
          },
          parse_shift(*from.shift));
    }
  } else if (from.kind != host_fold_kind::logsumexp) {
    say("bias", fold.bias ? "true" : "false");
    if (from.kind == host_fold_kind::kurtosis) say("fisher", fold.fisher ? "true" : "false");
  }
  return fold;
}

}  // namespace

void add_host_fold_command(CLI::App& app, const host_fold_words& words, chosen_command& chosen) {
  const auto arguments = std::make_shared<host_fold_arguments>();
  arguments->kind = words.kind;
  arguments->op = op_kind::mean;  // floating point, of integers f64, as these
  arguments->ops = {arguments->op};
  arguments->word = words.name;
  CLI::App& sub = *app.add_subcommand(std::string(words.name), std::string(words.about));
  sub.group(group_of_host_folds);
  for (const std::string& alias : words.aliases) sub.alias(alias);
  add_fold_options(sub, *arguments);
  add_reduce_options(sub, arguments->op, *arguments);
  for (CLI::Option* const option : sub.get_options()) {
    if (is_refused(*option)) option->group("");
  }
  // Judged as it was typed, before other names give way to its choices.
  sub.get_option("--engine")
      ->transform(CLI::Validator(checked_engine, ""))
      ->description("auto (default) or host (cpu): no GPU has this operation");
  sub.footer(host_fold_examples(words.kind, words.name));
  sub.callback([arguments, &sub, &chosen] {
    check_refused(sub);
    chosen = [arguments](interrupt_watch& watch) {
      arguments->fold = fold_of(*arguments);
      check(*arguments);
      return reduce_files(*arguments, watch);
    };
  });
}

}  // namespace multifold::app
