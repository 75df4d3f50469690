#include "counters.hpp"

#include <nlohmann/json.hpp>

#include "sources.hpp"

namespace multifold::ladder {

counters_record recorded_counters() {
  const auto all = nlohmann::json::parse(source_of("counters.json"));
  counters_record record{all.at("device"), all.at("date"), all.at("problem"), {}};
  for (const auto& [name, of] : all.at("rungs").items()) {
    record.of[name] = {of.at("busy_lanes"), of.at("bank_conflicts"), of.at("issue_slots"),
                       of.at("memory"),     of.at("barrier_wait"),   of.at("load_wait")};
  }
  return record;
}

}  // namespace multifold::ladder
