// One write each, so that lines of several processes do not mix.
#include "common/complaint.hpp"

#include <unistd.h>

#include <atomic>
#include <nlohmann/json.hpp>
#include <string>

#include "common/terminal/terminal.hpp"

namespace multifold::app {
namespace {

std::string_view program_name = "multifold";
std::atomic<bool> as_json = false;

// Nothing is left to tell it to when standard error fails.
void put(const std::string& line) {
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, line.data(), line.size());
}

std::string json_of(const failure& problem, int status) {
  using json = nlohmann::ordered_json;
  json object{{"schema", "multifold.error/1"}, {"program", program_name}, {"kind", name(problem.code())}};
  object["message"] = one_line(problem.what());
  object["exit_code"] = status;
  if (problem.files().size() == 1) object["file"] = problem.files()[0];
  if (problem.files().size() > 1) object["files"] = problem.files();
  return object.dump(-1, ' ', false, json::error_handler_t::replace);  // names need not be UTF-8
}

}  // namespace

void name_program(std::string_view name) { program_name = name; }

void complain_as_json(bool wanted) noexcept { as_json = wanted; }

void complain(std::string_view message) {
  put(styled(std::string(program_name) + ":", style::failure, is_coloured(STDERR_FILENO)) + " " + one_line(message) +
      "\n");
}

void complain(const failure& problem, int status) {
  if (as_json) put(json_of(problem, status) + "\n");
  else complain(problem.what());
}

}  // namespace multifold::app
