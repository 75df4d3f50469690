// Several operations on one array: the host engine runs them together, the device engine in as few reads as it can.
#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include "host/engine.hpp"
#include "host/fold.hpp"
#include "multifold/error.hpp"
#include "plan/no_value.hpp"
#include "reduce/device.hpp"
#include "reduce/engines.hpp"
#include "reduce/linked.hpp"
#include "reduce/parts/apart.hpp"
#include "reduce/places.hpp"
#include "reduce/request.hpp"
#include "reduce/results/results.hpp"
#include "reduce/several/shared_reads.hpp"
#include "stream/host/stream.hpp"

namespace multifold::inline v0_1 {
namespace {

using operations = std::span<const op_kind>;

bool some(operations ops, bool (*takes)(op_kind)) { return std::any_of(ops.begin(), ops.end(), takes); }

void check_options(operations ops, const reduce_options& options) {
  if (ops.empty()) throw unsupported_error("no operation was named");
  const auto refuse = [](const char* what) {
    throw unsupported_error(std::string("several operations in one call take no ") + what +
                            ": reduce by one at a time");
  };
  if (options.into.data() != nullptr || !options.into.empty()) refuse("memory for their results");
  if (options.keep_state) refuse("state");
  if (!options.checkpoint.empty()) refuse("checkpoint");
  if (detail::is_forced(options.forced)) refuse("forced plan");
  const auto refuse_unused = [](const char* what) {
    throw unsupported_error(std::string("none of these operations takes ") + what);
  };
  if (options.initial.given && !some(ops, [](op_kind op) { return takes_initial(op); })) {
    refuse_unused("an initial value: sum, prod, min and max do");
  }
  if (options.correction != 0 && !some(ops, [](op_kind op) { return takes_correction(op); })) {
    refuse_unused("a correction: var, std, cov and describe do");
  }
}

// Engines tell the bytes of the first array.
reduce_options for_two(const reduce_options& options) {
  reduce_options both = options;
  if (options.progress) both.progress = [&tell = options.progress](std::int64_t bytes) { tell(2 * bytes); };
  return both;
}

// Only the host engine does several things with what it reads.
bool one_by_one(place where, const reduce_options& options) {
  const engine_choice engine = detail::choice_of(options);
  return where == place::device || engine == engine_choice::device || engine == engine_choice::both;
}

// `y` is null for operations that take one array.
reduce_result reduce_by(op_kind op, const array_view& x, const array_view* y, const reduce_options& options) {
  return y != nullptr ? detail::reduce_linked(op, x, *y, options) : detail::reduce_linked(op, x, options);
}

detail::read_from wire_of(place where) {
  return where == place::device ? detail::read_from::device_memory : detail::read_from::wire;
}

// On the device engine. What one of them is refused for is said before another runs.
std::vector<reduce_result> reduced_in_turn(operations ops, const array_view& x, bool two, detail::read_from where,
                                           const reduce_options& options, const detail::reduce_by_one& by_one) {
  for (const op_kind op : ops) {
    const detail::request each = detail::make_request(op, x, detail::options_for(op, options));
    detail::check_result_dtype(each.what);
    detail::choice_for(each, x.where, options);
  }
  if (!two) return detail::reduce_by_shared_reads(ops, x, where, options, by_one);
  if (where == detail::read_from::once && ops.size() > 1) {
    throw unsupported_error("several operations on two inputs that are read once are the host engine's");
  }
  std::vector<reduce_result> results;
  for (const op_kind op : ops) results.push_back(by_one(op, detail::options_for(op, options)));
  return results;
}

// One operation: what it is, its plan, and where its result goes.
struct asked {
  detail::request request;
  multifold::plan plan;
  reduce_result result;
};

// Whose forms are those of operations that keep the index of elements.
enum class indexed_forms : std::uint8_t { own, exact, all };

// The forms of arrays are the same for all operations, if one of them keeps indices: the bits of what is exact are the
// same in any order.
indexed_forms forms_of_arrays(operations ops, bool apart) {
  if (apart) return indexed_forms::all;
  const bool indexed = some(ops, [](op_kind op) { return order_of(op) == element_order::indexed; });
  return indexed ? indexed_forms::exact : indexed_forms::own;
}

std::vector<asked> plans_of(operations ops, const array_view& x, indexed_forms forms, const reduce_options& options,
                            bool random_access = true, bool unknown_length = false) {
  std::vector<asked> all;
  all.reserve(ops.size());
  for (const op_kind op : ops) {
    asked each{detail::make_request(op, x, detail::options_for(op, options)), {}, {}};
    const reduction& what = each.request.what;
    if (unknown_length) each.request.elements = -1;
    each.request.random_access = random_access;
    if (forms == indexed_forms::all || (forms == indexed_forms::exact && merges_in_any_order(what))) {
      const std::vector<std::int64_t> axes = options.axes.of(x.rank());
      each.request.form = normalise(x, axes, element_order::indexed);
    }
    each.plan = make_plan(what, each.request.form, {}, detail::host_engine(each.request, options).traits);
    each.plan.accumulator_bytes = host::make_row_fold(what).acc_bytes();
    all.push_back(std::move(each));
  }
  return all;
}

void prepare_result(asked& a) {
  reduce_result& result = a.result;
  result.type = a.request.what.result;
  result.extents = a.request.result_extents;
  result.data = detail::allocate_results(a.request.what, a.request.form.results());
  result.engine = "host";
  result.device = a.plan.engine.name;
  result.achieved = a.request.achieved;
}

// `work(jobs)` returns the number of elements.
template <class Work>
std::vector<reduce_result> results_of(std::vector<asked>& all, const Work& work) {
  std::vector<host::job> jobs;
  for (asked& each : all) {
    prepare_result(each);
    jobs.push_back({&each.plan, each.result.data.data()});
  }
  const auto start = std::chrono::steady_clock::now();
  const std::int64_t elements = work(std::span<const host::job>(jobs));
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  std::vector<reduce_result> results;
  for (asked& each : all) {
    each.result.count = elements;
    each.result.bytes =
        elements * item_bytes(each.request.what.input) * (takes_two_arrays(each.request.what.op) ? 2 : 1);
    each.result.seconds = seconds;
    each.result.used = std::move(each.plan);
    results.push_back(std::move(each.result));
  }
  return results;
}

std::vector<reduce_result> reduce_several(operations ops, const array_view& x, const array_view* y,
                                          const reduce_options& options) {
  check_options(ops, options);
  if (one_by_one(x.where, options)) {
    const auto by_one = [&](op_kind op, const reduce_options& own) { return reduce_by(op, x, y, own); };
    return reduced_in_turn(ops, x, y != nullptr, wire_of(x.where), options, by_one);
  }
  detail::request first = detail::make_request(ops.front(), x, detail::options_for(ops.front(), options));
  std::optional<detail::operand_apart> apart = detail::operand_apart::of(first, x, y, options);
  std::vector<asked> all = plans_of(ops, x, forms_of_arrays(ops, apart.has_value()), options);
  detail::check_address(x);
  if (y != nullptr) detail::check_address(*y);
  detail::check_places(x, y, {});
  if (options.stream != nullptr) detail::wait_for(options.stream);
  const operands data{x.data, y != nullptr ? y->data : nullptr};
  return results_of(all, [&](std::span<const host::job> jobs) {
    std::optional<host::operand_apart> second;
    if (apart) {
      apart->count(options);
      for (const asked& each : all) apart->check_values(each.request.what);
      second.emplace(apart->on_host());
    }
    host::run(jobs, data, {options.threads, options.stop, options.progress}, second ? &*second : nullptr);
    return x.elements();
  });
}

std::vector<reduce_result> reduce_several(operations ops, const stream::inputs& input, const reduce_options& options) {
  check_options(ops, options);
  detail::refuse_where("a source", options);
  const array_layout& layout = input.x.layout();
  for (const op_kind op : ops) detail::check_unknown_length(op, layout, options);
  if (one_by_one(place::host, options)) {
    const auto by_one = [&](op_kind op, const reduce_options& own) {
      return input.y != nullptr ? detail::reduce_linked(op, input.x, *input.y, own)
                                : detail::reduce_linked(op, input.x, own);
    };
    const auto where = input.random_access() ? detail::read_from::wire : detail::read_from::once;
    return reduced_in_turn(ops, detail::view_of(layout), input.y != nullptr, where, options, by_one);
  }
  std::vector<asked> all = plans_of(ops, detail::view_of(layout), indexed_forms::own, options, input.random_access(),
                                    has_unknown_length(layout));
  if (options.stream != nullptr) detail::wait_for(options.stream);
  std::vector<reduce_result> results = results_of(all, [&](std::span<const host::job> jobs) {
    return stream::run_host(
        jobs, input,
        {options.threads, options.memory_bytes, options.stop, options.progress, options.trace, options.way});
  });
  for (reduce_result& each : results) each.used.passes.clear();
  return results;
}

}  // namespace

namespace detail {

std::vector<reduce_result> reduce_linked(operations ops, const array_view& array, const reduce_options& options) {
  for (const op_kind op : ops) check_arrays(op, 1);
  return reduce_several(ops, located(array).view(), nullptr, options);
}

std::vector<reduce_result> reduce_linked(operations ops, const array_view& x, const array_view& y,
                                         const reduce_options& options) {
  const located first(x), second(y);
  for (const op_kind op : ops) check_pair(op, first.view(), second.view());
  return reduce_several(ops, first.view(), &second.view(), for_two(options));
}

std::vector<reduce_result> reduce_linked(operations ops, source& input, const reduce_options& options) {
  for (const op_kind op : ops) check_arrays(op, 1);
  return reduce_several(ops, stream::inputs(input), options);
}

std::vector<reduce_result> reduce_linked(operations ops, source& x, source& y, const reduce_options& options) {
  for (const op_kind op : ops) check_pair(op, x, y);
  return reduce_several(ops, stream::inputs(x, y), for_two(options));
}

}  // namespace detail
}  // namespace multifold::inline v0_1
