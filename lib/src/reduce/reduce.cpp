// One operation: check the request, choose an engine, make the plan, run it, and say what was done.
#include <algorithm>
#include <chrono>
#include <cstring>
#include <new>
#include <string>
#include <utility>

#include "host/engine.hpp"
#include "host/fold.hpp"
#include "multifold/error.hpp"
#include "multifold/state.hpp"
#include "reduce/begun.hpp"
#include "reduce/device.hpp"
#include "reduce/engines.hpp"
#include "reduce/linked.hpp"
#include "reduce/parts/apart.hpp"
#include "reduce/places.hpp"
#include "reduce/request.hpp"
#include "reduce/results/results.hpp"
#include "reduce/sources/host_chunks.hpp"
#include "reduce/states/contents.hpp"
#include "reduce/states/resume.hpp"
#include "stream/host/stream.hpp"

namespace multifold::inline v0_1 {
namespace {

using detail::request;

std::vector<std::byte> allocate_results(const request& r) {
  if (r.what.as_state) return empty_state(r.what.input);
  if (r.into.data() != nullptr && !r.what.as_records) return {};
  return detail::allocate_results(r.what, r.form.results());
}

// What came is the state of one exact sum, or records of `length` elements each; the value is made of them.
void keep_state(reduce_result& result, const request& r, std::int64_t length) {
  detail::keep(detail::kept_contents(r.what, r.kept_extents, length, result.data), r.what, r.only_state, r.into,
               result);
}

// Runs `work`, which returns stream::streamed, and fills in the rest. The passes of `p` are none of those that chunks
// go through.
template <class Work>
reduce_result result_of(const request& r, const detail::chosen_engine& engine, plan p, bool in_chunks,
                        const Work& work) {
  reduce_result result;
  result.type = r.what.result;
  result.extents = r.result_extents;
  result.data = allocate_results(r);
  result.engine = engine.shared ? "both" : p.engine.engine == engine_kind::host ? "host" : "device";
  result.device = engine.shared ? p.engine.name + " and " + host::traits().name : p.engine.name;
  result.achieved = r.achieved;
  const auto start = std::chrono::steady_clock::now();
  const stream::streamed done = work(p, result.data.empty() ? r.into.data() : result.data.data());
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  result.count = done.elements;
  result.way = done.way;
  result.memory = done.memory;
  result.note = done.note;
  if (r.what.as_state || r.what.as_records) keep_state(result, r, r.elements < 0 ? done.elements : r.form.length);
  const std::int64_t bytes_each = item_bytes(r.what.input) * (takes_two_arrays(r.what.op) ? 2 : 1);
  result.bytes = result.count * bytes_each;
  result.device_bytes = done.on_device * bytes_each;
  result.used = std::move(p);
  if (in_chunks) result.used.passes.clear();
  return result;
}

// Engines tell the bytes of the first array.
reduce_options for_two(const reduce_options& options) {
  reduce_options both = options;
  if (options.progress) both.progress = [&tell = options.progress](std::int64_t bytes) { tell(2 * bytes); };
  return both;
}

stream::streamed run_in_chunks(const plan& p, const detail::chosen_engine& engine, const stream::inputs& input,
                               void* results, const reduce_options& options) {
  const stream::host_options how{options.threads,  options.memory_bytes, options.stop,
                                 options.progress, options.trace,        options.way};
  if (engine.shared) return detail::share_with_device(p, input, results, how);
  if (p.engine.engine == engine_kind::device) return detail::stream_to_device(p, input, results, how);
  return {stream::run_host(p, input, results, how)};
}

// A plan that knows what an accumulator of the engine that runs it takes.
plan made_plan(const reduction& what, const batches& form, const plan_options& forced,
               const detail::chosen_engine& engine) {
  plan p = make_plan(what, form, forced, engine.traits);
  if (engine.traits.engine == engine_kind::host) p.accumulator_bytes = host::make_row_fold(what).acc_bytes();
  return p;
}

// Whether an array goes to an engine that does not see all of it at once.
bool in_chunks(const detail::chosen_engine& engine, place where) {
  return engine.traits.engine == engine_kind::device && where == place::host;
}

// Arrays in device memory are waited for on the device.
void wait_for_producer(const reduce_options& options, place where) {
  if (options.stream != nullptr && where == place::host) detail::wait_for(options.stream);
}

void run_apart(const plan& p, detail::operand_apart& apart, const operands& data, void* results,
               const reduce_options& options) {
  apart.count(options);
  apart.check_values(p.what);
  const host::job only{&p, results};
  const host::operand_apart second = apart.on_host();
  host::run({&only, 1}, data, {options.threads, options.stop, options.progress}, &second);
}

// `y` is null for operations that take one array; `env`, where arrays in device memory have none.
reduce_result reduce_arrays(op_kind op, const array_view& x, const array_view* y, const reduce_options& options,
                            const cuda::environment* env) {
  detail::refuse_checkpoint(options);
  request r = detail::make_request(op, x, options);
  detail::check_address(x);
  if (y != nullptr) detail::check_address(*y);
  std::optional<detail::operand_apart> apart = detail::operand_apart::of(r, x, y, options);
  const detail::chosen_engine engine =
      apart ? detail::host_engine(r, options) : detail::choose_engine(r, x.where, detail::is_dense(x), options);
  detail::check_places(x, y, r.into);
  const operands data{x.data, y != nullptr ? y->data : nullptr};
  std::optional<detail::host_chunks> chunks;
  if (in_chunks(engine, x.where)) {
    detail::refuse_forced_chunks(op, options.forced);
    chunks.emplace(r, x, y, options);
  }
  const plan p = made_plan(r.what, r.form, options.forced, engine);
  wait_for_producer(options, x.where);
  return result_of(r, engine, p, chunks.has_value(), [&](const plan& chosen, void* results) {
    stream::streamed done{r.elements};
    if (apart) {
      run_apart(chosen, *apart, data, results, options);
      return done;
    }
    if (chunks) return run_in_chunks(chosen, engine, chunks->input(), results, options);
    if (engine.traits.engine == engine_kind::host) {
      host::run(chosen, data, results, {options.threads, options.stop, options.progress});
    } else {
      if (env != nullptr) detail::run_in_environment(chosen, data, results, *env);
      else detail::run_on_device(chosen, data, results, options.stream);
      done.on_device = r.elements;
    }
    return done;
  });
}

reduce_result reduce_sources(op_kind op, const stream::inputs& input, const reduce_options& options) {
  detail::refuse_where("a source", options);
  const array_layout& layout = input.x.layout();
  detail::check_unknown_length(op, layout, options);
  detail::refuse_forced_chunks(op, options.forced);
  const bool unknown = has_unknown_length(layout);
  request r = detail::make_request(op, detail::view_of(layout), options);
  if (unknown) r.elements = -1;
  r.random_access = input.random_access();
  const detail::chosen_engine engine = detail::choose_engine(r, place::host, true, options);
  const plan p = made_plan(r.what, r.form, options.forced, engine);
  wait_for_producer(options, place::host);
  return result_of(r, engine, p, true, [&](const plan& chosen, void* results) {
    return run_in_chunks(chosen, engine, input, results, options);
  });
}

reduce_result reduce_with_checkpoints(op_kind op, source& input, const reduce_options& options) {
  detail::refuse_where("a source", options);
  detail::check_resumable(input, options);
  reduce_options kept = options;
  kept.keep_state = true;
  const request r = detail::make_request(op, detail::view_of(input.layout()), kept);
  detail::refuse_checkpoint_of(r);
  const detail::chosen_engine engine = detail::choose_engine(r, place::host, true, options);
  stream::streamed done{r.elements};
  std::int64_t resumed = 0;
  const auto sum = [&](source& range, std::byte* state, const reduce_options& each) {
    const array_view view = detail::view_of(range.layout());
    const batches form = normalise(view, all_axes(view.rank()), order_of(op));
    const stream::streamed part = run_in_chunks(made_plan(r.what, form, {}, engine), engine, range, state, each);
    done.on_device += part.on_device;
    done.memory = part.memory;
    if (done.note.empty()) done.note = part.note;
  };
  const plan p = made_plan(r.what, r.form, {}, engine);
  wait_for_producer(options, place::host);
  reduce_result result = result_of(r, engine, p, true, [&](const plan&, void* state) {
    resumed = detail::sum_with_checkpoints(r, input, static_cast<std::byte*>(state), options, sum);
    return done;
  });
  result.resumed = resumed;
  result.bytes -= resumed * item_bytes(r.what.input);
  if (!options.keep_state) result.state.clear();
  return result;
}

}  // namespace

namespace detail {

reduce_result reduce_in(const cuda::environment* env, op_kind op, const array_view& x, const array_view* y,
                        const reduce_options& options) {
  if (y == nullptr) {
    check_arrays(op, 1);
    return reduce_arrays(op, located(x).view(), nullptr, options, env);
  }
  const located first(x), second(*y);
  check_pair(op, first.view(), second.view());
  return reduce_arrays(op, first.view(), &second.view(), for_two(options), env);
}

reduce_result reduce_linked(op_kind op, const array_view& array, const reduce_options& options) {
  return reduce_in(nullptr, op, array, nullptr, options);
}

reduce_result reduce_linked(op_kind op, const array_view& x, const array_view& y, const reduce_options& options) {
  return reduce_in(nullptr, op, x, &y, options);
}

reduce_result reduce_linked(op_kind op, source& input, const reduce_options& options) {
  check_arrays(op, 1);
  if (!options.checkpoint.empty()) return reduce_with_checkpoints(op, input, options);
  return reduce_sources(op, input, options);
}

reduce_result reduce_linked(op_kind op, source& x, source& y, const reduce_options& options) {
  check_pair(op, x, y);
  refuse_checkpoint(options);
  return reduce_sources(op, {x, y}, for_two(options));
}

namespace {

device_work begun_work(const plan& p, const array_view& x, const reduce_options& options) {
  check_places(x, nullptr, {});
  return {p, {x.data, nullptr}, options.stream};
}

}  // namespace

begun_reduction::begun_reduction(op_kind op, const array_view& x, const reduce_options& options)
    : request_(make_request(op, x, options)),
      engine_(choose_engine(request_, x.where, is_dense(x), options)),
      plan_(made_plan(request_.what, request_.form, {}, engine_)),
      work_(begun_work(plan_, x, options)) {}

reduce_result begun_reduction::finish() {
  return result_of(request_, engine_, std::move(plan_), false, [&](const plan&, void* results) {
    work_.finish(results);
    stream::streamed done{request_.elements};
    done.on_device = request_.elements;
    return done;
  });
}

plan plan_linked(op_kind op, const array_view& given, const reduce_options& options) {
  const located there(given);
  const array_view& array = there.view();
  request r = make_request(op, array, options);
  const bool apart = operand_apart::of(r, array, nullptr, options).has_value();
  const chosen_engine engine =
      apart ? host_engine(r, options) : choose_engine(r, array.where, is_dense(array), options);
  if (in_chunks(engine, array.where)) r.form = form_of_chunks(r, array, options);
  return made_plan(r.what, r.form, options.forced, engine);
}

}  // namespace detail
}  // namespace multifold::inline v0_1
