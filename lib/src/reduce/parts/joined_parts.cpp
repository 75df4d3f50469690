// Exact sums meet as states; the rest are operations whose results are reduced once more.
#include "reduce/parts/joined_parts.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <exception>
#include <string>
#include <thread>

#include "multifold/error.hpp"
#include "multifold/state.hpp"
#include "reduce/request.hpp"

namespace multifold::inline v0_1::detail {
namespace {

// Whether the results of parts, reduced by the same operation, are that of the whole.
bool meets_again(const reduction& what) {
  if (what.op == op_kind::min || what.op == op_kind::max) {
    return what.nan == nan_policy::propagate || !is_floating(what.input);
  }
  return takes_truths(what.op) || (what.op == op_kind::sum && !is_floating(what.input));
}

// Of neighbours, in the dtype that they have.
array_view view_of_results(const std::vector<std::byte>& results, dtype type) {
  return make_view(results.data(), type, {static_cast<std::int64_t>(results.size()) / item_bytes(type)}, place::host);
}

class either_stop {
 public:
  either_stop(const stop_signal& first, const std::atomic<bool>& second) : first_(&first), second_(&second) {}
  bool stop_requested() const { return *second_ || first_->stop_requested(); }

 private:
  const stop_signal* first_;
  const std::atomic<bool>* second_;
};

}  // namespace

joined_parts::joined_parts(op_kind op, dtype input, const reduce_options& options) : op_(op), whole_(options) {
  const reduction what = make_checked_reduction(op, input, options);
  by_states_ = gathers_exactly(what) && achieved_by(what) == accuracy::exact;
  if (!by_states_ && !meets_again(what)) {
    throw unsupported_error(std::string(name(op)) + " of " + std::string(name(input)) +
                            " is not served by several devices: sums, means of floating point, min and max (NaN "
                            "propagated), any, all and count_nonzero are, and all operations where the first axis is "
                            "kept");
  }
  for_parts_ = options;
  for_parts_.axes = {};
  for_parts_.keepdims = false;
  for_parts_.initial = {};
  for_parts_.result = {};
  for_parts_.keep_state = for_parts_.only_state = by_states_;
}

reduce_result joined_parts::join(const std::vector<reduce_result>& parts) const {
  reduce_result whole;
  if (by_states_) {
    state all(parts.front().state);
    for (std::size_t i = 1; i < parts.size(); ++i) all.merge(state(parts[i].state));
    whole = all.finish(op_, {whole_.result, 0, whole_.initial, {}});
  } else {
    std::vector<std::byte> results;
    for (const reduce_result& each : parts) results.insert(results.end(), each.data.begin(), each.data.end());
    reduce_options options;
    options.engine = engine_choice::host;
    options.threads = 1;
    options.initial = whole_.initial;
    options.result = whole_.result;
    whole = reduce(op_ == op_kind::count_nonzero ? op_kind::sum : op_, view_of_results(results, parts.front().type),
                   options);
  }
  whole.achieved = parts.front().achieved;
  add_run_of(parts, whole);
  return whole;
}

void run_lanes(std::size_t count, const stop_signal& stop,
               const std::function<void(std::size_t lane, const stop_signal& stop)>& work) {
  std::atomic<bool> failed{false};
  const stop_signal both = either_stop(stop, failed);
  std::vector<std::exception_ptr> errors(count);
  std::atomic<std::size_t> first{count};
  const auto run = [&](std::size_t lane) {
    try {
      work(lane, both);
    } catch (...) {
      errors[lane] = std::current_exception();
      std::size_t none = count;
      first.compare_exchange_strong(none, lane);
      failed = true;
    }
  };
  std::vector<std::thread> threads;
  try {
    for (std::size_t lane = 0; lane < count; ++lane) threads.emplace_back(run, lane);
  } catch (...) {
    failed = true;
    for (std::thread& each : threads) each.join();
    throw;
  }
  for (std::thread& each : threads) each.join();
  if (first < count) std::rethrow_exception(errors[first]);
}

void add_run_of(const std::vector<reduce_result>& parts, reduce_result& to) {
  const reduce_result& first = parts.front();
  to.engine = first.engine;
  to.way = first.way;
  to.count = to.bytes = to.device_bytes = 0;
  std::vector<std::string> names;
  for (const reduce_result& each : parts) {
    to.count += each.count;
    to.bytes += each.bytes;
    to.device_bytes += each.device_bytes;
    to.memory.pinned_bytes += each.memory.pinned_bytes;
    to.memory.device_bytes += each.memory.device_bytes;
    if (to.note.empty()) to.note = each.note;
    if (each.engine != to.engine) to.engine = "both";
    if (std::find(names.begin(), names.end(), each.device) == names.end()) names.push_back(each.device);
  }
  to.device.clear();
  for (const std::string& each : names) {
    const auto alike = std::count_if(parts.begin(), parts.end(), [&](const auto& p) { return p.device == each; });
    if (!to.device.empty()) to.device += " and ";
    to.device += (alike > 1 ? std::to_string(alike) + " x " : "") + each;
  }
}

}  // namespace multifold::inline v0_1::detail
