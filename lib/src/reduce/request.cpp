// The rules that hold before any engine is asked.
#include "reduce/request.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <string>

#include "io/message.hpp"
#include "multifold/error.hpp"
#include "reduce/states/contents.hpp"

namespace multifold::inline v0_1::detail {
namespace {

void check_initial(op_kind op, dtype input, const initial_value& initial) {
  if (!initial.given) return;
  if (!takes_initial(op)) {
    throw unsupported_error(std::string(name(op)) + " takes no initial value: sum, prod, min and max do");
  }
  if (!is_floating(input) && !initial.integer) {
    throw unsupported_error("the initial value is a real number, and " + std::string(name(input)) +
                            " elements take an integer");
  }
}

void check_correction(op_kind op, const correction& c) {
  if (c == 0) return;
  if (!takes_correction(op)) {
    throw unsupported_error(std::string(name(op)) + " takes no correction: var, std, cov and describe do");
  }
  if (c.is_valid()) return;
  throw unsupported_error("the correction is " + text_of(c) + "; expected " +
                          (std::isfinite(c.value()) ? "0 or more" : "a finite number of 0 or more"));
}

void check_only_state(const reduce_options& options) {
  if (!options.only_state || (options.keep_state && options.into.data() == nullptr)) return;
  throw unsupported_error("only a state was asked for, and none is to be kept, or memory was given for a value");
}

// "C order", "Fortran order" or, for other views, "strides (4, 1)".
std::string order_name(const array_view& view) {
  const auto in = [&](const std::vector<std::int64_t>& strides) {
    for (std::size_t i = 0; i < strides.size(); ++i) {
      if (view.extents[i] > 1 && view.strides[i] != strides[i]) return false;
    }
    return true;
  };
  if (in(c_strides(view.extents))) return "C order";
  if (in(fortran_strides(view.extents))) return "Fortran order";
  return "strides " + to_string(view.strides);
}

}  // namespace

std::string text_of(const correction& c) {
  std::array<char, 32> digits;
  const std::to_chars_result end = std::to_chars(digits.data(), digits.data() + digits.size(), c.value());
  return {digits.data(), end.ptr};
}

std::span<std::byte> checked_place(const reduction& what, std::int64_t results, std::span<std::byte> into) {
  if (into.data() == nullptr && into.empty()) return {};
  if (into.data() == nullptr) throw shape_error("the memory for the results has no address");
  const std::int64_t item = result_bytes(what);
  if (static_cast<int128_t>(into.size()) != static_cast<int128_t>(results) * item) {
    throw shape_error(std::to_string(results) + " results of " + std::to_string(item) + " bytes do not take the " +
                      std::to_string(into.size()) + " that were given for them");
  }
  const std::int64_t boundary = what.op == op_kind::describe ? alignof(summary) : item;
  if (reinterpret_cast<std::uintptr_t>(into.data()) % static_cast<std::uintptr_t>(boundary) != 0) {
    throw shape_error("the memory for the results starts at an address that is no multiple of " +
                      std::to_string(boundary) + " bytes");
  }
  return into;
}

void check_resources(int threads, std::int64_t memory_bytes) {
  if (threads < 0) {
    throw unsupported_error(std::to_string(threads) + " threads were asked for; expected 1 or more, or 0 for " +
                            "all there are");
  }
  if (memory_bytes < 0) {
    throw unsupported_error(std::to_string(memory_bytes) + " bytes of memory were allowed; expected 1 or more, " +
                            "or 0 for the default");
  }
}

void check_arrays(op_kind op, int given) {
  const int wanted = takes_two_arrays(op) ? 2 : 1;
  if (wanted == given) return;
  throw unsupported_error(std::string(name(op)) + " takes " + (wanted == 2 ? "two arrays" : "one array") + ", and " +
                          (given == 2 ? "two were" : "one was") + " given");
}

void check_pair(op_kind op, const array_view& x, const array_view& y, const std::string& who) {
  check_arrays(op, 2);
  const std::string both = who + std::string(name(op)) + " takes two arrays ";
  const auto found = [](const std::string& first, const std::string& second) {
    return "; found " + first + " and " + second;
  };
  if (x.type != y.type) {
    throw shape_error(both + "of one dtype" + found(std::string(name(x.type)), std::string(name(y.type))));
  }
  if (x.extents != y.extents) {
    throw shape_error(both + "of one shape" + found(to_string(x.extents), to_string(y.extents)));
  }
  if (x.where != y.where) {
    throw unsupported_error(both + "in one place; found one in host memory and one in device memory: copy it there");
  }
  if (x.strides.size() != y.strides.size() || x.strides.size() < x.extents.size()) {
    throw shape_error(both + "with a stride an axis" +
                      found(std::to_string(x.strides.size()), std::to_string(y.strides.size())) + " strides");
  }
}

void check_same_order(op_kind op, const array_view& x, const array_view& y, const std::string& who) {
  for (std::size_t i = 0; i < x.extents.size(); ++i) {
    if (x.extents[i] < 2 || x.strides[i] == y.strides[i] || x.elements() == 0) continue;
    throw unsupported_error(who + std::string(name(op)) + " takes two arrays of one order in memory; found " +
                            order_name(x) + " and " + order_name(y) + ": copy one to the other's order");
  }
}

void check_pair(op_kind op, const source& x, const source& y) {
  const auto label = [](const source& input) { return io::label_of(input.name(), "standard input"); };
  check_arrays(op, 2);
  for (const source* input : {&x, &y}) {
    if (!has_unknown_length(input->layout())) continue;
    throw unsupported_error(label(*input) + ": " + std::string(name(op)) +
                            " takes arrays whose lengths are known before they are read: say raw_options::extents");
  }
  const std::string who = label(x) + " and " + label(y) + ": ";
  check_pair(op, view_of(x.layout()), view_of(y.layout()), who);
  check_same_order(op, view_of(x.layout()), view_of(y.layout()), who);
}

void check_unknown_length(op_kind op, const array_layout& layout, const reduce_options& options) {
  if (!has_unknown_length(layout)) return;
  if (!options.axes.are_all() && options.axes.size() != 1) {
    throw shape_error(std::string(name(op)) + ": a stream of unknown length has one axis, and " +
                      std::to_string(options.axes.size()) + " were named");
  }
}

bool is_forced(const plan_options& options) {
  return options.passes || options.how || options.parts || options.threads || options.form;
}

void refuse_forced_chunks(op_kind op, const plan_options& options) {
  if (!is_forced(options)) return;
  throw unsupported_error(
      std::string(name(op)) +
      ": a plan cannot be forced on what is read in chunks, sources and host arrays for a GPU: each "
      "chunk has a plan of its own. It can on arrays that are where their engine is");
}

array_view view_of(const array_layout& layout) {
  array_view view;
  view.type = layout.type;
  view.extents = has_unknown_length(layout) ? std::vector<std::int64_t>{1} : layout.extents;
  view.strides = layout.fortran_order ? fortran_strides(view.extents) : c_strides(view.extents);
  return view;
}

reduction make_checked_reduction(op_kind op, dtype input, const reduce_options& options) {
  check_only_state(options);
  check_resources(options.threads, options.memory_bytes);
  reduction what = make_reduction(op, input, options.nan, options.wanted.value_or(accuracy::exact));
  what.initial = options.initial;
  check_correction(op, options.correction);
  what.correction = options.correction.held();
  if (options.result) what.result = *options.result;
  check_initial(op, input, options.initial);
  if (options.wanted == accuracy::exact && achieved_by(what) == accuracy::fast) {
    throw unsupported_error("an exact " + std::string(name(op)) + " of " + std::string(name(input)) +
                            " is not served: ask for accuracy fast, which rounds along a fixed tree of doubles");
  }
  return what;
}

accuracy achieved_by(const reduction& what) {
  return always_exact(what) || gathers_exactly(what) ? accuracy::exact : accuracy::fast;
}

// What is rounded on its way has no state.
void check_state(const reduction& what, accuracy achieved) {
  const std::string name_of_it = std::string(name(what.op)) + " of " + std::string(name(what.input));
  if (achieved == accuracy::fast) {
    const bool chosen = has_exact_form(what.op);
    const bool real = is_floating(what.input);
    throw unsupported_error("a state of this " + name_of_it + " is not served: it is rounded on the way" +
                            (chosen ? " with accuracy fast: ask for exact"
                             : real ? ", as products of floating point are"
                                    : " to " + std::string(name(what.result)) + ": ask for i64 or u64"));
  }
  if (what.initial.given) {
    throw unsupported_error("an initial value takes no part in a state: add it to the result, or as one more element");
  }
}

request make_request(op_kind op, const array_view& view, const reduce_options& options) {
  request r;
  r.data = view.data;
  r.what = make_checked_reduction(op, view.type, options);
  r.achieved = achieved_by(r.what);
  const std::vector<std::int64_t> axes = options.axes.of(view.rank());
  r.form = normalise(view, axes, order_of(op));
  r.result_extents = multifold::result_extents(view, axes, options.keepdims);
  r.elements = view.elements();
  r.into = checked_place(r.what, r.form.results(), options.into);
  if (options.keep_state) {
    check_state(r.what, r.achieved);
    r.only_state = options.only_state;
    r.kept_extents = multifold::result_extents(view, axes, false);
    if (r.kept_extents.size() > most_state_extents) {
      throw shape_error("a state has at most " + std::to_string(most_state_extents) +
                        " extents, and these axes leave " + std::to_string(r.kept_extents.size()));
    }
    r.what.as_state = gathers_exactly(r.what) && r.form.results() == 1;
    r.what.as_records = !r.what.as_state;
  }
  return r;
}

}  // namespace multifold::inline v0_1::detail
