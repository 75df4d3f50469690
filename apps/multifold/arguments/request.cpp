// Options of the tool as options of the library.
#include "arguments/request.hpp"

#include <algorithm>
#include <string>

#include "arguments/offered_ops.hpp"
#include "arguments/parse.hpp"
#include "commands/several_ops.hpp"
#include "common/messages/failure.hpp"
#include "common/words/dtype_word.hpp"
#include "multifold/error.hpp"

namespace multifold::app {
namespace {

plan_options forced_plan(const engine_arguments& from) {
  plan_options forced;
  forced.passes = from.passes;
  forced.parts = from.parts;
  forced.threads = from.block_size;
  if (from.finish) {
    forced.how = *from.finish == "atomic"       ? finish::atomic
                 : *from.finish == "last-block" ? finish::last_block
                                                : finish::next_pass;
  }
  if (from.form) forced.form = *from.form == "shared-tree" ? block_form::shared_tree : block_form::shuffle;
  return forced;
}

// An option that none of `ops` takes.
void refuse_unless_some(std::span<const op_kind> ops, bool (*takes)(op_kind), const std::string& option,
                        const std::string& others) {
  if (std::any_of(ops.begin(), ops.end(), takes)) return;
  throw usage(option + ": " + names_of(ops) + (ops.size() == 1 ? " takes none; " : " take none; ") + others);
}

dtype parse_result_dtype(const std::string& text) {
  const dtype_word word = parse_dtype_word("--result-dtype", text);
  if (!word.other_byte_order) return word.type;
  throw usage("--result-dtype: found '" + text + "'; results have this machine's byte order: expected " +
              std::string(name(word.type)));
}

}  // namespace

std::optional<raw_options> raw_request(const raw_arguments& from) {
  if (!from.dtype) {
    if (from.shape || from.offset) {
      throw usage(std::string(from.shape ? "--shape" : "--offset") +
                  " is for raw elements; expected --dtype beside it");
    }
    return std::nullopt;
  }
  raw_options raw;
  const dtype_word word = parse_dtype_word("--dtype", *from.dtype);
  raw.type = word.type;
  raw.other_byte_order = word.other_byte_order;
  raw.has_extents = from.shape.has_value();
  if (from.shape) raw.extents = parse_shape(*from.shape);
  if (from.offset) raw.offset_bytes = parse_bytes("--offset", *from.offset);
  return raw;
}

reduce_options reduce_request(std::span<const op_kind> ops, const reduction_arguments& what,
                              const engine_arguments& how) {
  reduce_options options;
  const auto initial = [](op_kind op) { return takes_initial(op); };
  const auto correction = [](op_kind op) { return takes_correction(op); };
  if (what.initial) refuse_unless_some(ops, initial, "--initial", "sum, prod, min and max do");
  if (what.correction) refuse_unless_some(ops, correction, "--correction", "var, std, cov and describe do");
  if (what.correction) options.correction = parse_correction(*what.correction);
  options.axes = parse_axes(what.axes);
  options.keepdims = what.keepdims;
  if (what.result_dtype) options.result = parse_result_dtype(*what.result_dtype);
  options.nan = what.nan == "omit" ? nan_policy::omit : nan_policy::propagate;
  if (what.accuracy) options.wanted = *what.accuracy == "exact" ? accuracy::exact : accuracy::fast;
  options.engine = *parse_engine(how.engine);
  options.threads = how.threads.value_or(0);
  if (how.memory) {
    options.memory_bytes = parse_bytes("--memory", *how.memory);
    if (options.memory_bytes == 0) throw usage("--memory: found 0; expected bytes like 256MiB");
  }
  options.way = *parse_transfer(how.transfer);
  options.forced = forced_plan(how);
  return options;
}

array_view view_of(const array_layout& layout) {
  array_view view = make_view(nullptr, layout.type, layout.extents);
  if (layout.fortran_order) view.strides = fortran_strides(layout.extents);
  return view;
}

dtype result_type(op_kind op, dtype input, const reduce_options& options) {
  return options.result.value_or(default_result_dtype(op, input));
}

void fit_to(const array_layout& layout, op_kind op, const reduction_arguments& what, reduce_options& options) {
  if (what.initial) options.initial = parse_initial(*what.initial, layout.type);
  if (!options.axes.are_all()) {
    // A stream's length is not known yet, but its rank is.
    array_view view;
    view.extents = layout.extents;
    for (std::int64_t& extent : view.extents) extent = std::max<std::int64_t>(extent, 0);
    try {
      result_extents(view, options.axes.list(), options.keepdims);
    } catch (const shape_error& e) {
      throw usage(e.what());
    }
  }
  const dtype result = result_type(op, layout.type, options);
  if (!result_dtype_allowed(op, layout.type, result)) {
    throw usage("--result-dtype: " + std::string(name(op)) + " of " + std::string(name(layout.type)) + " makes no " +
                std::string(name(result)) + "; expected f16, bf16, f32 or f64");
  }
}

}  // namespace multifold::app
