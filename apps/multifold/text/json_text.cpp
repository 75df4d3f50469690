// Results, plans and graphs as JSON.
#include "text/json_text.hpp"

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "arguments/environment.hpp"
#include "arguments/offered_ops.hpp"
#include "folds/host_fold.hpp"
#include "multifold/plan/recipe.hpp"
#include "multifold/rates.hpp"
#include "multifold/version.hpp"
#include "text/values/summary_fields.hpp"
#include "text/values/value_text.hpp"

namespace multifold::app {
namespace {

using json = nlohmann::ordered_json;

// File names need not be UTF-8; the answer is not lost for that.
std::string text_of(const json& object) { return object.dump(-1, ' ', false, json::error_handler_t::replace); }

std::string real_json(double x) {
  if (std::isnan(x)) return "\"nan\"";
  if (std::isinf(x)) return x < 0 ? "\"-inf\"" : "\"inf\"";
  return json(x).dump();
}

std::string value_json(dtype type, const std::byte* element) {
  return is_floating(type) ? real_json(real_value(type, element)) : value_text(type, element);
}

std::string hex_json(dtype type, const std::byte* element) { return '"' + hex_text(type, element) + '"'; }

// A leaf as JSON.
using leaf_text = std::string (*)(dtype, const std::byte*);

// One result: a value, or of describe an object with null where there is no value.
void print_item(const reduce_result& result, std::int64_t index, leaf_text leaf, text_output& out) {
  if (result.used.what.op != op_kind::describe) {
    out << leaf(result.type, result.data.data() + index * item_bytes(result.type));
    return;
  }
  const char* before = "{\"";
  for (const summary_field& field : fields_of(result, index)) {
    if (field.counted && leaf == hex_json) continue;
    out << before << field.key << "\":" << (field.value == nullptr ? "null" : leaf(field.type, field.value));
    before = ",\"";
  }
  out << "}";
}

// Lists in lists, one level for each axis from `axis` on; `index` moves on.
void print_nested(const reduce_result& result, std::size_t axis, std::int64_t& index, leaf_text leaf,
                  text_output& out) {
  if (axis == result.extents.size()) return print_item(result, index++, leaf, out);
  out << "[";
  for (std::int64_t i = 0; i < result.extents[axis]; ++i) {
    if (i > 0) out << ",";
    print_nested(result, axis + 1, index, leaf, out);
  }
  out << "]";
}

void print_elements(const reduce_result& result, leaf_text leaf, text_output& out) {
  // (1000000000, 0) would be a billion empty lists.
  if (element_count(result.extents) == 0) {
    out << "[]";
    return;
  }
  std::int64_t index = 0;
  print_nested(result, 0, index, leaf, out);
}

json pass_json(const pass& step) {
  return {{"kernel", name(step.kind)},
          {"batches", step.batches},
          {"length", step.length},
          {"parts", step.parts},
          {"part_length", step.part_length},
          {"tile", step.tile},
          {"finish", step.parts == 1 ? json() : json(name(step.how))},
          {"form", name(step.form)},
          {"threads", step.threads},
          {"group", step.group},
          {"blocks", step.blocks}};
}

json passes_json(const plan& p) {
  json passes = json::array();
  for (const pass& step : p.passes) passes.push_back(pass_json(step));
  return passes;
}

json known(std::int64_t number) { return number > 0 ? json(number) : json(); }

void add_nodes(json& object, const std::vector<graphs::node>& nodes) {
  json list = json::array(), edges = json::array();
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const graphs::node& n = nodes[i];
    json item{{"kind", graphs::name(n.kind)},
              {"label", n.label},
              {"shape", n.shape.empty() ? json() : json(n.shape)},
              {"blocks", known(n.blocks)},
              {"threads", known(n.threads)},
              {"bytes", known(n.bytes)},
              {"body", json()}};
    if (!n.body.empty()) add_nodes(item["body"], n.body);
    list.push_back(std::move(item));
    for (const std::size_t before : n.after) edges.push_back(json::array({before, i}));
  }
  object["nodes"] = std::move(list);
  object["edges"] = std::move(edges);
}

const char* name_of(access pattern) {
  switch (pattern) {
    case access::rows: return "rows";
    case access::columns: return "columns";
    case access::strided: break;
  }
  return "strided";
}

// What stands before the values.
json names_of(const reduce_result& result, const result_files& files) {
  json object{{"schema", "multifold.result/1"}, {"op", files.op.empty() ? name(result.used.what.op) : files.op}};
  for (const auto& [key, text] : files.settings) object[key] = json::parse(text);
  if (files.inputs.size() > 1) object["files"] = files.inputs;
  else object["file"] = files.inputs.empty() ? json() : json(files.inputs[0]);
  if (!files.merged.empty()) object["merged"] = files.merged;
  if (files.where) object["where"] = *files.where;
  if (files.weights) object["weights"] = *files.weights;
  if (files.state) object["state"] = *files.state;
  if (!files.output.empty()) object["output"] = files.output;
  return object;
}

json circumstances_of(const reduce_result& result) {
  json object;
  object["dtype"] = name(result.type);
  object["shape"] = result.extents;
  object["input_dtype"] = name(result.used.what.input);
  if (takes_correction(result.used.what.op)) {
    const std::int64_t held = result.used.what.correction;
    if (correction::holds_integer(held)) object["correction"] = held;
    else object["correction"] = correction::of_held(held).value();
  }
  object["count"] = result.count;
  if (result.resumed > 0) object["resumed"] = result.resumed;
  object["engine"] = result.engine;
  object["device"] = result.device;
  if (result.engine == "both") object["device_bytes"] = result.device_bytes;
  if (result.way != transfer::automatic) object["transfer"] = name(result.way);
  if (const transfer_memory& m = result.memory; m.slots > 0) {
    object["memory"] = {{"slots", m.slots},
                        {"chunk_bytes", m.chunk_bytes},
                        {"pinned_bytes", m.pinned_bytes},
                        {"device_bytes", m.device_bytes}};
  }
  if (!result.note.empty()) object["note"] = result.note;
  object["accuracy"] = name(result.achieved);
  object["bytes"] = result.bytes;
  object["seconds"] = result.seconds;
  object["gb_per_s"] = result.seconds > 0 ? static_cast<double>(result.bytes) / result.seconds / 1e9 : 0.0;
  object["plan"] = passes_json(result.used);
  return object;
}

// What a GPU enqueues.
json steps_json(const plan& p) {
  json list = json::array();
  const recipe made = recipe_of(p);
  for (const recipe::step& s : made.steps()) {
    json step{{"kind", name(s.kind)}};
    if (s.kind == step_kind::clear) {
      json cleared = json::array();
      for (const recipe::slice& each : made.cleared_by(s)) cleared.push_back(name(each.use));
      step.update({{"clears", cleared}, {"bytes", made.cleared_bytes(s)}});
    } else {
      step.update({{"blocks", s.blocks}, {"threads", s.threads}});
    }
    list.push_back(step);
  }
  return list;
}

}  // namespace

void print_result_json(const reduce_result& result, const result_files& files, text_output& out) {
  const std::string names = text_of(names_of(result, files)), circumstances = text_of(circumstances_of(result));
  out << std::string_view(names).substr(0, names.size() - 1);
  if (files.output.empty()) {
    out << ",\"value\":";
    print_elements(result, value_json, out);
    out << ",\"value_hex\":";
    print_elements(result, hex_json, out);
  }
  out << "," << std::string_view(circumstances).substr(1);
}

std::string plan_json(const plan& p, const std::string& engine_reason) {
  const json object{{"schema", "multifold.plan/1"},
                    {"op", name(p.what.op)},
                    {"input_dtype", name(p.what.input)},
                    {"dtype", name(p.what.result)},
                    {"engine", p.engine.name},
                    {"engine_reason", engine_reason.empty() ? json() : json(engine_reason)},
                    {"outer", p.form.outer},
                    {"length", p.form.length},
                    {"inner", p.form.inner},
                    {"access", name_of(p.form.pattern)},
                    {"accumulator_bytes", p.accumulator_bytes},
                    {"workspace_bytes", p.workspace_bytes()},
                    {"plan", passes_json(p)},
                    {"steps", steps_json(p)}};
  return object.dump();
}

std::string graph_json(const plan& p, const graphs::topology& t) {
  json object{{"schema", "multifold.graph/1"}, {"title", t.title},
              {"op", name(p.what.op)},         {"input_dtype", name(p.what.input)},
              {"dtype", name(p.what.result)},  {"engine", p.engine.name}};
  add_nodes(object, t.nodes);
  return object.dump();
}

namespace {

// Bytes a second.
json rates_json(const std::optional<machine_rates>& rates) {
  if (!rates) return nullptr;
  return {{"threads", rates->threads},       {"host_one", rates->host_one},     {"host_all", rates->host_all},
          {"staged_one", rates->staged_one}, {"staged_all", rates->staged_all}, {"link", rates->link},
          {"pinning", rates->pinning}};
}

}  // namespace

std::string info_json(const std::optional<machine_rates>& rates) {
  json list = json::array();
  for (const engine_info& engine : engines()) {
    list.push_back({{"name", engine.name},
                    {"description", engine.description},
                    {"supported", engine.supported},
                    {"reason", engine.reason},
                    {"units", engine.traits.units},
                    {"blocks_per_unit", engine.traits.blocks_per_unit},
                    {"threads", engine.traits.threads},
                    {"part_bytes", engine.traits.part_bytes}});
  }
  json types = json::array();
  for (int i = 0; i <= static_cast<int>(dtype::f64); ++i) types.push_back(name(static_cast<dtype>(i)));
  json ops = json::array();
  for (const op_kind op : offered_ops()) ops.push_back(name(op));
  json host_ops = json::array();
  for (const host_fold_words& row : host_folds()) host_ops.push_back(row.name);
  json environment, invalid = json::object();
  for (const environment_variable& variable : environment_variables()) {
    const std::optional<std::string> value = value_of(variable);
    environment[variable.name] = value ? json(*value) : json();
    if (const auto complaint = complaint_about(variable)) invalid[variable.name] = *complaint;
  }
  return text_of({{"schema", "multifold.info/1"},
                  {"version", MULTIFOLD_VERSION},
                  {"engines", list},
                  {"rates", rates_json(rates)},
                  {"ops", ops},
                  {"host_ops", host_ops},
                  {"dtypes", types},
                  {"environment", environment},
                  {"invalid", invalid}});
}

}  // namespace multifold::app
