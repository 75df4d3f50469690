// For programs.
#include <cmath>
#include <nlohmann/json.hpp>

#include "reports.hpp"

namespace multifold::ladder {
namespace {

using json = nlohmann::ordered_json;

json of(const timing& t) { return {{"median", t.median}, {"least", t.least}, {"greatest", t.greatest}}; }

json of(const step& s, double roof) {
  json one{{"rung", s.number}, {"name", s.name}, {"source", s.file}, {"gain", s.gain}, {"defect", s.defect}};
  if (!s.why_not.empty()) {
    one["not_run"] = s.why_not;
    return one;
  }
  one.update(json{{"elements", s.count},
                  {"bytes", s.bytes},
                  {"seconds", of(s.took)},
                  {"bytes_per_second", s.rate()},
                  {"share_of_roof", s.rate() / roof},
                  {"value", s.value},
                  {"ulps", std::isfinite(s.ulps) ? json(s.ulps) : json()},
                  {"right", s.right}});
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
  for (const step& s : c.steps) all["rungs"].push_back(of(s, c.roof));
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
