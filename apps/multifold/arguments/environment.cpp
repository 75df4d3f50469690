// The table. tests/cli/command_line/test_environment.py sees to it that none is missing.
#include "arguments/environment.hpp"

#include <array>
#include <cstdlib>

#include "common/messages/failure.hpp"
#include "multifold/error.hpp"
#include "multifold/rates.hpp"
#include "multifold/reduce.hpp"

namespace multifold::app {
namespace {

void choose_engine() { decide_engine({.what = {}, .form = {}, .data = nullptr, .bytes = 0}); }

void add_on_host() {
  const float one = 1;
  reduce(op_kind::sum, make_view(&one, {1}), {.engine = engine_choice::host});
}

constexpr std::array<environment_variable, 11> table{
    {{"MULTIFOLD_ENGINE", "auto, host, device or both: the engine where --engine is auto", choose_engine},
     {"MULTIFOLD_SIMD", "portable, avx2 or avx512: instructions of the host engine, in place of the best there are",
      add_on_host},
     {"MULTIFOLD_RATES", "The file with the measured rates of this machine, in place of multifold/rates in the cache"},
     {"XDG_CACHE_HOME", "The folder of caches, in place of ~/.cache"},
     {"HOME", "Where ~ is"},
     {"NO_COLOR", "If it is not empty: no colours"},
     {"CLICOLOR_FORCE", "If it is neither empty nor 0: colours in pipes, too, unless NO_COLOR is set"},
     {"CLICOLOR", "0: no colours"},
     {"COLUMNS", "Columns that help is broken to, in place of the terminal's; 40 to 100"},
     {"TERM", "A terminal that is dumb, or has no name, gets neither colours nor a progress bar"},
     {"CUDA_VISIBLE_DEVICES", "Which GPUs CUDA shows; the first of them is used"}}};

}  // namespace

std::span<const environment_variable> environment_variables() { return table; }

std::optional<std::string> value_of(const environment_variable& variable) {
  const char* const value = std::getenv(variable.name);
  if (value == nullptr) return std::nullopt;
  return value;
}

std::optional<std::string> complaint_about(const environment_variable& variable) {
  if (variable.use == nullptr || value_of(variable).value_or("").empty()) return std::nullopt;
  try {
    variable.use();
  } catch (const error& refusal) {
    return one_line(refusal.what());
  }
  return std::nullopt;
}

}  // namespace multifold::app
