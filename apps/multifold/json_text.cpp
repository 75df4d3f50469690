// Results and plans as JSON.
#include "json_text.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <vector>

#include "multifold/version.hpp"
#include "value_text.hpp"

namespace multifold::app {
namespace {

using json = nlohmann::ordered_json;

json real_json(double x) {
  if (std::isnan(x)) return "nan";
  if (std::isinf(x)) return x < 0 ? "-inf" : "inf";
  return x;
}

json value_json(dtype type, const std::byte* element) {
  if (type == dtype::boolean) return *element != std::byte{0};
  if (is_floating(type)) return real_json(real_value(type, element));
  if (is_unsigned(type)) return std::stoull(value_text(type, element));
  return std::stoll(value_text(type, element));
}

json hex_json(dtype type, const std::byte* element) { return hex_text(type, element); }

// Lists in lists, one level for each axis from `axis` on; `element` moves on.
template <class Leaf>
json nested(const reduce_result& result, std::size_t axis, const std::byte*& element, Leaf leaf) {
  if (axis == result.extents.size()) {
    json value = leaf(result.type, element);
    element += item_bytes(result.type);
    return value;
  }
  json list = json::array();
  for (std::int64_t i = 0; i < result.extents[axis]; ++i) list.push_back(nested(result, axis + 1, element, leaf));
  return list;
}

template <class Leaf>
json nested(const reduce_result& result, Leaf leaf) {
  // (1000000000, 0) would be a billion empty lists.
  if (element_count(result.extents) == 0) return json::array();
  const std::byte* element = result.data.data();
  return nested(result, 0, element, leaf);
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

const char* name_of(access pattern) {
  switch (pattern) {
    case access::rows: return "rows";
    case access::columns: return "columns";
    case access::strided: break;
  }
  return "strided";
}

}  // namespace

std::string result_json(const reduce_result& result, const result_files& files) {
  json object{{"schema", "multifold.result/1"}, {"op", name(result.used.what.op)}};
  object["file"] = files.input.empty() ? json() : json(files.input);
  if (!files.merged.empty()) object["merged"] = files.merged;
  if (files.state) object["state"] = *files.state;
  if (files.output.empty()) {
    object["value"] = nested(result, value_json);
    object["value_hex"] = nested(result, hex_json);
  } else {
    object["output"] = files.output;
  }
  object["dtype"] = name(result.type);
  object["shape"] = result.extents;
  object["input_dtype"] = name(result.used.what.input);
  object["count"] = result.count;
  object["engine"] = result.engine;
  object["device"] = result.device;
  object["accuracy"] = name(result.achieved);
  object["bytes"] = result.bytes;
  object["seconds"] = result.seconds;
  object["gb_per_s"] = result.seconds > 0 ? static_cast<double>(result.bytes) / result.seconds / 1e9 : 0.0;
  object["plan"] = passes_json(result.used);
  // File names need not be UTF-8; the answer is not lost for that.
  return object.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string plan_json(const plan& p) {
  const json object{{"schema", "multifold.plan/1"},
                    {"op", name(p.what.op)},
                    {"input_dtype", name(p.what.input)},
                    {"dtype", name(p.what.result)},
                    {"engine", p.engine.name},
                    {"outer", p.form.outer},
                    {"length", p.form.length},
                    {"inner", p.form.inner},
                    {"access", name_of(p.form.pattern)},
                    {"accumulator_bytes", p.accumulator_bytes},
                    {"workspace_bytes", p.workspace_bytes()},
                    {"plan", passes_json(p)}};
  return object.dump();
}

std::string info_json() {
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
  for (const op_kind op : all_ops) ops.push_back(name(op));
  return json{{"schema", "multifold.info/1"},
              {"version", MULTIFOLD_VERSION},
              {"engines", list},
              {"ops", ops},
              {"dtypes", types}}
      .dump();
}

}  // namespace multifold::app
