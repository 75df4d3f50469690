// Inputs are taken with the GIL held, reduced without it, and let go with it.
#include "calls/run.hpp"

#include "arguments/gpu_array.hpp"
#include "arguments/python_source.hpp"
#include "calls/enqueued.hpp"
#include "calls/interrupt.hpp"
#include "calls/results.hpp"
#include "functions/complex_numbers.hpp"

namespace multifold::python {
namespace {

// An array, or what is read in chunks.
struct input {
  std::optional<taken_array> array;
  std::unique_ptr<source> chunks;

  input(nb::handle object, const settings& set) {
    if (is_source(object)) chunks = source_from(object);
    else array.emplace(object, set.stream);
    if (!on_device() && !set.follows) refuse_on_host(set.stream);
  }

  dtype type() const { return array ? array->view().type : chunks->layout().type; }
  bool on_device() const { return array && array->on_device(); }
  bool is_long() const {
    if (!array) return true;
    return !on_device() && array->view().elements() >= long_bytes / item_bytes(type());
  }
};

// Where no stream was said, work goes on where the array's library does.
void follow(const std::optional<gpu_array>& x, settings& set) {
  if (!x || set.stream != no_stream) return;
  set.stream = x->current_stream();
  set.follows = true;
  set.options.stream = option_from(set.stream);
}

settings settings_for(nb::handle x, const keywords& given) {
  settings set = settings_from(given);
  follow(gpu_array::of(x), set);
  return set;
}

// Calls `call` with x, or with x and y, as views or as sources.
template <class Call>
auto with_inputs(input& x, input* y, Call call) {
  if (y == nullptr) return x.array ? call(x.array->view()) : call(*x.chunks);
  if (x.array.has_value() != y->array.has_value())
    raise_type_error("two arrays in memory, or two that are read in chunks, are reduced together; not one of each");
  return x.array ? call(x.array->view(), y->array->view()) : call(*x.chunks, *y->chunks);
}

std::unique_ptr<input> second(op_kind op, nb::handle y, const settings& set) {
  const bool given = y.is_valid() && !y.is_none();
  if (given != takes_two_arrays(op))
    raise_type_error(std::string(name(op)) + (given ? " takes one array" : " takes two arrays"));
  return given ? std::make_unique<input>(y, set) : nullptr;
}

nb::object python_result(op_kind op, const reduce_result& result, nb::handle x, dtype element, bool as_number) {
  if (op == op_kind::describe) return summary_object(result, element, as_number);
  return result_object(result, x, as_number);
}

// The value of all elements of an array that threads read chunk by chunk, in no order; null for all else.
nb::object value_of_chunks(op_kind op, nb::handle x, nb::handle y, const keywords& given, const settings& set) {
  const bool plain = given.where.is_none() && !given.keepdims &&
                     set.options.wanted.value_or(accuracy::exact) == accuracy::exact &&
                     (set.options.engine == engine_choice::automatic || set.options.engine == engine_choice::host);
  if (!plain) return {};
  const nb::object total = nb::module_::import_("multifold._chunked").attr("total");
  const nb::object other = y.is_valid() ? nb::borrow(y) : nb::none();
  const nb::object state = total(std::string(name(op)), x, other, given.axis, given.nan, given.threads);
  if (state.is_none()) return {};
  nb::dict finish;
  finish["dtype"] = given.type;
  if (!given.correction.is_none()) finish["correction"] = given.correction;
  finish["initial"] = given.initial;
  finish["out"] = given.out;
  return state.attr("value")(**finish);
}

}  // namespace

nb::object reduce_one(op_kind op, nb::handle x, nb::handle y, const keywords& given) {
  const std::optional<gpu_array> on_gpu = gpu_array::of(x);
  const bool real = on_gpu && given.type.is_none();
  if (!real && gives_complex(x, given)) return reduce_complex_numbers(op, x, given);
  settings set = settings_from(given);
  follow(on_gpu, set);
  if (on_gpu && (!y.is_valid() || y.is_none()))
    if (nb::object value = enqueued_result(op, *on_gpu, set); value.is_valid()) return value;
  input first(x, set);
  const std::unique_ptr<input> other = second(op, y, set);
  if (first.chunks)
    if (nb::object value = value_of_chunks(op, x, y, given, set); value.is_valid()) return value;
  reduce_result result;
  without_gil(first.is_long(), [&](std::stop_token stop) {
    set.options.stop = std::move(stop);
    result = with_inputs(first, other.get(), [&](auto&... of) { return reduce(op, of..., set.options); });
  });
  return python_result(op, result, x, first.type(), set.as_number);
}

std::vector<reduce_result> reduce_together(std::span<const op_kind> ops, nb::handle x, settings& set) {
  follow(gpu_array::of(x), set);
  input first(x, set);
  std::vector<reduce_result> results;
  without_gil(first.is_long(), [&](std::stop_token stop) {
    set.options.stop = std::move(stop);
    results = with_inputs(first, nullptr, [&](auto&... of) { return reduce(ops, of..., set.options); });
  });
  return results;
}

nb::object reduce_several(std::span<const op_kind> ops, nb::handle x, nb::handle y, const keywords& given) {
  settings set = settings_for(x, given);
  if (ops.empty()) throw nb::value_error("at least one operation is needed");
  input first(x, set);
  const std::unique_ptr<input> other = second(ops.front(), y, set);
  std::vector<reduce_result> results;
  without_gil(first.is_long(), [&](std::stop_token stop) {
    set.options.stop = std::move(stop);
    results = with_inputs(first, other.get(), [&](auto&... of) { return reduce(ops, of..., set.options); });
  });
  nb::list values;
  for (std::size_t i = 0; i < ops.size(); ++i)
    values.append(python_result(ops[i], results[i], x, first.type(), set.as_number));
  return values;
}

nb::object reduce_segments(op_kind op, nb::handle x, nb::handle y, nb::handle offsets, const keywords& given) {
  settings set = settings_for(x, given);
  input first(x, set);
  const std::unique_ptr<input> other = second(op, y, set);
  const taken_array list(offsets, set.stream);
  const segments of = segments::from_offsets(list.view());
  reduce_result result;
  without_gil(first.is_long(), [&](std::stop_token stop) {
    set.options.stop = std::move(stop);
    result = with_inputs(first, other.get(), [&](auto&... each) { return reduce(op, each..., of, set.options); });
  });
  return python_result(op, result, x, first.type(), set.as_number);
}

nb::object reduce_keys(op_kind op, nb::handle x, nb::handle y, nb::handle keys, nb::handle groups,
                       const keywords& given) {
  settings set = settings_for(x, given);
  input first(x, set);
  const std::unique_ptr<input> other = second(op, y, set);
  const taken_array list(keys, set.stream);
  std::int64_t count = 0;
  if (!groups.is_none()) count = integers_from(groups, "groups").at(0);
  else if (list.view().elements() > 0 && (list.view().type == dtype::i32 || list.view().type == dtype::i64)) {
    reduce_options as_i64;
    as_i64.result = dtype::i64;
    as_i64.stream = set.options.stream;
    const reduce_result greatest = reduce(op_kind::max, list.view(), as_i64);
    count = greatest.value<std::int64_t>() + 1;
  }
  reduce_result result;
  without_gil(first.is_long(), [&](std::stop_token stop) {
    set.options.stop = std::move(stop);
    result = with_inputs(first, other.get(),
                         [&](auto&... each) { return reduce_by_key(op, each..., list.view(), count, set.options); });
  });
  return python_result(op, result, x, first.type(), set.as_number);
}

state partial_state(op_kind op, nb::handle x, nb::handle y, const keywords& given, std::int64_t kept_axes) {
  settings set = settings_for(x, given);
  input first(x, set);
  const std::unique_ptr<input> other = second(op, y, set);
  const auto rank = static_cast<std::int64_t>(first.array ? first.array->view().extents.size()
                                                          : first.chunks->layout().extents.size());
  std::vector<std::int64_t> axes;
  for (std::int64_t axis = 0; axis < rank - kept_axes; ++axis) axes.push_back(axis);
  set.options.axes = axes;
  std::optional<state> part;
  without_gil(first.is_long(), [&](std::stop_token stop) {
    set.options.stop = std::move(stop);
    part.emplace(with_inputs(first, other.get(), [&](auto&... of) { return reduce_to_state(op, of..., set.options); }));
  });
  return std::move(*part);
}

state partial_state_by_key(op_kind op, nb::handle x, nb::handle y, nb::handle keys, std::int64_t groups,
                           const keywords& given) {
  settings set = settings_for(x, given);
  input first(x, set);
  const std::unique_ptr<input> other = second(op, y, set);
  const taken_array list(keys, set.stream);
  set.options.axes = {0};
  set.options.keep_state = set.options.only_state = true;
  std::optional<state> part;
  without_gil(first.is_long(), [&](std::stop_token stop) {
    set.options.stop = std::move(stop);
    const reduce_result found = with_inputs(
        first, other.get(), [&](auto&... of) { return reduce_by_key(op, of..., list.view(), groups, set.options); });
    part.emplace(found.state);
  });
  return std::move(*part);
}

}  // namespace multifold::python
