// Every span as a complete event.
#include "trace_report.hpp"

#include <nlohmann/json.hpp>

namespace multifold::overlap {
namespace {

using json = nlohmann::json;

json named(const char* what, std::size_t process, std::size_t thread, const std::string& name) {
  return {{"name", what}, {"ph", "M"}, {"pid", process}, {"tid", thread}, {"args", {{"name", name}}}};
}

}  // namespace

std::string trace_report(const report& r) {
  json events = json::array();
  for (std::size_t process = 0; process < r.runs.size(); ++process) {
    const run& each = r.runs[process];
    events.push_back(named("process_name", process, 0, each.name));
    for (std::size_t thread = 0; thread < each.lanes.size(); ++thread) {
      events.push_back(named("thread_name", process, thread, each.lanes[thread].name));
      for (const span& s : each.lanes[thread].spans) {
        events.push_back({{"name", name(s.what)},
                          {"cat", name(s.what)},
                          {"ph", "X"},
                          {"ts", s.start * 1e6},
                          {"dur", (s.end - s.start) * 1e6},
                          {"pid", process},
                          {"tid", thread},
                          {"args", {{"chunk", s.chunk}, {"bytes", s.bytes}}}});
      }
    }
  }
  const json object{{"traceEvents", std::move(events)},
                    {"displayTimeUnit", "ms"},
                    {"otherData", {{"machine", r.machine}, {"input", r.input}}}};
  return object.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace multifold::overlap
