// multifold OP FILE..., of one operation or of several.
#include <CLI/CLI.hpp>

#include <memory>
#include <string>
#include <vector>

#include "commands/command.hpp"
#include "commands/reduce/checks.hpp"
#include "commands/reduce/files.hpp"
#include "commands/reduce/options.hpp"
#include "commands/several_ops.hpp"
#include "common/words/words.hpp"
#include "text/help/reduce_examples.hpp"

namespace multifold::app {
namespace {

void choose_by(CLI::App& sub, const std::shared_ptr<reduce_arguments>& arguments, chosen_command& chosen) {
  sub.callback([arguments, &chosen] {
    for (const std::optional<std::string>& file : {arguments->x, arguments->y}) {
      if (file) arguments->files.push_back(*file);
    }
    chosen = [arguments](interrupt_watch& watch) {
      check(*arguments);
      return reduce_files(*arguments, watch);
    };
  });
}

}  // namespace

void add_reduce_command(CLI::App& app, op_kind op, chosen_command& chosen) {
  const auto arguments = std::make_shared<reduce_arguments>();
  arguments->op = op;
  arguments->ops = {op};
  arguments->word = name(op);
  const std::string about(description(op));
  CLI::App& sub = *app.add_subcommand(std::string(name(op)), "The " + about);
  sub.group("Operations");
  for (const std::string& alias : aliases_of(op)) sub.alias(alias);
  add_reduce_options(sub, op, *arguments);
  sub.footer(reduce_examples(op));
  choose_by(sub, arguments, chosen);
}

CLI::App& add_several_command(CLI::App& app, const std::string& word, const std::vector<op_kind>& ops,
                              chosen_command& chosen) {
  const auto arguments = std::make_shared<reduce_arguments>();
  arguments->op = ops[0];
  arguments->ops = ops;
  arguments->difference = word == difference_word;
  arguments->word = arguments->difference ? word : names_of(ops);
  CLI::App& sub = *app.add_subcommand(
      word, arguments->difference ? "The greatest element less the least one" : "Several operations on one read");
  sub.group("");
  add_reduce_options(sub, std::nullopt, *arguments);
  // These are known so that it can be said why they are refused.
  for (CLI::Option* const option : sub.get_options()) {
    const std::string group = option->get_group();
    if (group == group_of_segments || group == group_of_states || group == group_of_forced_plans) {
      option->group("");
    }
  }
  sub.footer(several_examples(ops, arguments->word));
  choose_by(sub, arguments, chosen);
  return sub;
}

}  // namespace multifold::app
