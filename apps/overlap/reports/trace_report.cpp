// Every span as a complete event.
#include "overlap/reports/trace_report.hpp"

#include <nlohmann/json.hpp>

namespace multifold::overlap {
namespace {

using json = nlohmann::json;

json named(const char* what, std::size_t process, std::size_t thread, const std::string& name) {
  return {{"name", what}, {"ph", "M"}, {"pid", process}, {"tid", thread}, {"args", {{"name", name}}}};
}

void add_run(json& events, std::size_t process, const run& r) {
  events.push_back(named("process_name", process, 0, r.name));
  for (std::size_t thread = 0; thread < r.lanes.size(); ++thread) {
    events.push_back(named("thread_name", process, thread, r.lanes[thread].name));
    for (const span& s : r.lanes[thread].spans) {
      const char* const what = manner_of(s.what).name;
      events.push_back({{"name", what},
                        {"cat", what},
                        {"ph", "X"},
                        {"ts", s.start * 1e6},
                        {"dur", (s.end - s.start) * 1e6},
                        {"pid", process},
                        {"tid", thread},
                        {"args", {{"chunk", s.chunk}, {"bytes", s.bytes}}}});
    }
  }
}

}  // namespace

std::string trace_report(const report& r) {
  json events = json::array(), machines = json::array(), inputs = json::array();
  std::size_t process = 0;
  for (const section& each : r.sections) {
    machines.push_back(each.machine);
    inputs.push_back(each.input);
    for (const run& one : each.runs) add_run(events, process++, one);
  }
  const json object{{"traceEvents", std::move(events)},
                    {"displayTimeUnit", "ms"},
                    {"otherData", {{"machines", machines}, {"inputs", inputs}}}};
  return object.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace multifold::overlap
