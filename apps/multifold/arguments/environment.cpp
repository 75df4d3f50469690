// The table. tests/cli/command_line/test_environment.py sees to it that none is missing.
#include "arguments/environment.hpp"

#include <array>
#include <cstdlib>

namespace multifold::app {
namespace {

constexpr std::array<environment_variable, 11> table{
    {{"MULTIFOLD_ENGINE", "auto, host, device or both: the engine where --engine is auto"},
     {"MULTIFOLD_SIMD", "portable, avx2 or avx512: instructions of the host engine, in place of the best there are"},
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

}  // namespace multifold::app
