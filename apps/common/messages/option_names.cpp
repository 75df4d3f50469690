// The table of names. tests/cli/command_line/test_messages.py sees to it that none is missing.
#include "common/messages/option_names.hpp"

#include <array>
#include <utility>

namespace multifold::app {
namespace {

// Where one begins another, the longer one comes first.
constexpr std::array<std::pair<std::string_view, std::string_view>, 15> words_of_options{
    {{"raw_options::type", "--dtype"},
     {"raw_options::extents", "--shape"},
     {"raw_options::offset_bytes", "--offset"},
     {"raw_options", "--dtype, --shape and --offset"},
     {"reduce_options::memory_bytes", "--memory"},
     {"reduce_options::initial", "--initial"},
     {"reduce_options::into", "-o"},
     {"reduce_options::axes", "--axis"},
     {"fold_options::memory_bytes", "--memory"},
     {"state::move", "--first-index"},
     {"engine_choice::host", "--engine host"},
     {"nan_policy::omit", "--nan omit"},
     {"accuracy::fast", "--accuracy fast"},
     {"dtype::bf16", "bf16"},
     {"h200_traits()", "--device-model h200"}}};

}  // namespace

std::string in_options(std::string_view message) {
  std::string text(message);
  for (const auto& [name, option] : words_of_options) {
    for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + option.size())) {
      text.replace(at, name.size(), option);
    }
  }
  return text;
}

}  // namespace multifold::app
