// A formatter for CLI11.
#include "common/help_format.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>

#include "common/terminal/help_page.hpp"

namespace multifold::app {
namespace {

constexpr std::size_t short_examples = 3;

using option_list = std::vector<const CLI::Option*>;

// "-o, --output FILE": one short and one long name, and what follows.
std::string left_of(const CLI::Option& option) {
  if (option.get_positional()) return option.get_name(true, false);
  std::string text = option.get_snames().empty() ? "" : "-" + option.get_snames()[0];
  if (!option.get_lnames().empty()) text += (text.empty() ? "--" : ", --") + option.get_lnames()[0];
  if (option.get_type_size() != 0 && !option.get_type_name().empty()) text += " " + option.get_type_name();
  return text;
}

std::string right_of(const CLI::Option& option) {
  const std::string& about = option.get_description();
  const bool said = option.get_default_str().empty() || about.find("default") != std::string::npos;
  return said ? about : about + " (default: " + option.get_default_str() + ")";
}

std::vector<help_row> rows_of(const option_list& options) {
  std::vector<help_row> rows;
  for (const CLI::Option* option : options) rows.emplace_back(left_of(*option), right_of(*option));
  return rows;
}

std::string usage_of(const CLI::App& app) {
  if (!app.get_subcommands({}).empty()) return "COMMAND [OPTIONS] [FILE...]";
  std::string text = "[OPTIONS]";
  for (const CLI::Option* option : app.get_options([](const CLI::Option* each) { return each->get_positional(); })) {
    const bool many = option->get_expected_max() >= CLI::detail::expected_max_vector_size;
    const std::string name = option->get_name(true, false) + (many ? "..." : "");
    text += option->get_required() ? " " + name : " [" + name + "]";
  }
  return text;
}

std::string description_of(const CLI::App& app) {
  const std::string about = app.get_description();
  return app.get_aliases().empty() ? about
                                   : about + ". Also called " + CLI::detail::join(app.get_aliases(), ", ") + ".";
}

// "multifold sum x.npy   over all elements", without the indentation.
help_row example_of(std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  const std::size_t gap = line.find("  ");
  if (gap == std::string_view::npos) return {std::string(line), ""};
  const std::size_t about = std::min(line.find_first_not_of(' ', gap), line.size());
  return {std::string(line.substr(0, gap)), std::string(line.substr(about))};
}

std::string names_of(const std::vector<help_row>& rows) {
  std::string names;
  for (const help_row& row : rows) names += (names.empty() ? "" : ", ") + row.first;
  return names;
}

class help_formatter : public CLI::FormatterBase {
 public:
  explicit help_formatter(std::vector<std::string> rare_groups) : rare_groups_(std::move(rare_groups)) {}

  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override {
    help_page page = help_page::of_standard_output();
    page.paragraph(description_of(*app));
    page.hanging("Usage:", name + " " + usage_of(*app));
    const bool all = mode == CLI::AppFormatMode::All;
    const std::vector<std::pair<std::string, option_list>> groups = groups_of(*app, all);
    std::vector<help_row> rows;
    for (const auto& group : groups) {
      for (help_row& row : rows_of(group.second)) rows.push_back(std::move(row));
    }
    const std::size_t left = left_columns_of(rows);
    add_commands(page, *app, all);
    for (const auto& group : groups) page.table(group.first, rows_of(group.second), left);
    add_footer(page, app->get_footer(), all || !has_rare(*app) ? std::string::npos : short_examples);
    return page.text();
  }

 private:
  bool is_rare(const std::string& group) const {
    return std::find(rare_groups_.begin(), rare_groups_.end(), group) != rare_groups_.end();
  }

  bool has_rare(const CLI::App& app) const {
    const std::vector<std::string> groups = app.get_groups();
    return std::any_of(groups.begin(), groups.end(), [this](const std::string& group) { return is_rare(group); });
  }

  // Arguments first, rare ones behind others, the group of --help last.
  std::vector<std::pair<std::string, option_list>> groups_of(const CLI::App& app, bool all) const {
    std::vector<std::pair<std::string, option_list>> groups;
    const auto add = [&](const std::string& name, const auto& belongs) {
      if (option_list options = app.get_options(belongs); !options.empty()) groups.emplace_back(name, options);
    };
    if (!all && !app.get_subcommands({}).empty()) return groups;  // commands are enough
    const std::string last = app.get_help_ptr() == nullptr ? "" : app.get_help_ptr()->get_group();
    const auto of = [](const std::string& group) {
      return [&group](const CLI::Option* each) { return each->nonpositional() && each->get_group() == group; };
    };
    add("Arguments", [](const CLI::Option* each) { return each->get_positional() && !each->get_group().empty(); });
    for (const bool rare : {false, true}) {
      for (const std::string& group : app.get_groups()) {
        if (!group.empty() && group != last && is_rare(group) == rare && (all || !rare)) add(group, of(group));
      }
    }
    if (!last.empty()) add(last, of(last));
    return groups;
  }

  // Of rare ones the names.
  void add_commands(help_page& page, const CLI::App& app, bool all) const {
    std::vector<std::string> groups;
    std::vector<help_row> every;
    for (const CLI::App* sub : app.get_subcommands({})) {
      if (sub->get_group().empty()) continue;
      if (std::find(groups.begin(), groups.end(), sub->get_group()) == groups.end()) groups.push_back(sub->get_group());
      if (all || !is_rare(sub->get_group())) every.emplace_back(sub->get_name(), "");
    }
    for (const std::string& group : groups) {
      std::vector<help_row> rows;
      for (const CLI::App* sub : app.get_subcommands({})) {
        if (sub->get_group() == group) rows.emplace_back(sub->get_name(), sub->get_description());
      }
      if (all || !is_rare(group)) page.summaries(group, rows, left_columns_of(every));
      else page.hanging(group + ":", names_of(rows));
    }
  }

  static void add_footer(help_page& page, std::string_view footer, std::size_t most_examples) {
    std::string title;
    std::vector<help_row> examples;
    const auto finish = [&] {
      if (examples.size() > most_examples) examples.resize(most_examples);
      if (!examples.empty()) page.examples(title, examples);
      examples.clear();
    };
    while (!footer.empty()) {
      const std::string_view line = footer.substr(0, footer.find('\n'));
      footer.remove_prefix(std::min(line.size() + 1, footer.size()));
      if (line.starts_with(" ")) {
        examples.push_back(example_of(line));
        continue;
      }
      finish();
      if (line.ends_with(":")) title = line.substr(0, line.size() - 1);
      else if (!line.empty()) page.paragraph(line);
    }
    finish();
  }

  std::vector<std::string> rare_groups_;
};

}  // namespace

void use_help_format(CLI::App& program, std::vector<std::string> rare_groups) {
  program.formatter(std::make_shared<help_formatter>(std::move(rare_groups)));
}

}  // namespace multifold::app
