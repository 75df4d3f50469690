// For programs.
#include <cmath>
#include <nlohmann/json.hpp>

#include "reports/reports.hpp"

namespace multifold::ladder {
namespace {

using json = nlohmann::ordered_json;

json of(const timing& t) { return {{"median", t.median}, {"least", t.least}, {"greatest", t.greatest}}; }

json of(const counters& c) {
  return {{"busy_lanes", c.busy_lanes}, {"bank_conflicts", c.bank_conflicts}, {"issue_slots", c.issue_slots},
          {"memory", c.memory},         {"barrier_wait", c.barrier_wait},     {"load_wait", c.load_wait}};
}

json of(const climb& c, std::size_t i) {
  const step& s = c.steps[i];
  json one{{"rung", s.number}, {"name", s.name}, {"source", s.file}, {"gain", s.gain}, {"defect", s.defect}};
  if (!s.why_not.empty()) {
    one["not_run"] = s.why_not;
    return one;
  }
  one.update(json{{"elements", s.count},
                  {"bytes", s.bytes},
                  {"seconds", of(s.took)},
                  {"bytes_per_second", s.rate()},
                  {"share_of_roof", s.rate() / c.roof},
                  {"value", s.value},
                  {"ulps", std::isfinite(s.ulps) ? json(s.ulps) : json()},
                  {"right", s.right}});
  if (const step* const other = compared_with(c, i)) {
    one["compared_with"] = other->name;
    one["times_as_fast"] = gain_of(c, i);
  }
  if (hardly_gains(c, i)) one["why_no_gain"] = s.no_gain;
  if (s.brief.median > 0) one["brief"] = {{"elements", brief_elements}, {"seconds", of(s.brief)}};
  if (const auto found = c.counted.of.find(s.name); found != c.counted.of.end()) one["counters"] = of(found->second);
  return one;
}

}  // namespace

std::string json_report(const climb& c) {
  json all{{"schema", "multifold.ladder/1"},
           {"title", c.title},
           {"machine", c.machine},
           {"op", std::string(name(c.what.op))},
           {"dtype", std::string(name(c.what.type))},
           {"elements", c.what.count},
           {"bytes", c.what.bytes()},
           {"exact", c.exact},
           {"roof", {{"name", c.roof_name}, {"bytes_per_second", c.roof}}},
           {"rungs", json::array()},
           {"orders", json::array()}};
  if (!c.counted.of.empty()) {
    all["counters"] = {{"device", c.counted.device}, {"date", c.counted.date}, {"problem", c.counted.problem}};
  }
  for (std::size_t i = 0; i < c.steps.size(); ++i) all["rungs"].push_back(of(c, i));
  for (const order_trial& t : c.orders) {
    all["orders"].push_back({{"name", t.name},
                             {"runs", t.runs},
                             {"results", t.patterns},
                             {"ulps", {t.least_ulps, t.greatest_ulps}},
                             {"seconds", of(t.took)}});
  }
  return all.dump() + "\n";
}

}  // namespace multifold::ladder
