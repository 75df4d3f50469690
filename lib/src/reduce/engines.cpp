// The table of engines, and the choice between them.
#include "reduce/engines.hpp"

#include <array>
#include <atomic>
#include <cstdlib>
#include <optional>
#include <string>

#include "core/text/bytes_text.hpp"
#include "host/engine.hpp"
#include "host/short_row.hpp"
#include "multifold/error.hpp"
#include "multifold/rates.hpp"
#include "reduce/device.hpp"
#include "reduce/places.hpp"
#include "reduce/rates/device.hpp"
#include "reduce/request.hpp"

namespace multifold::inline v0_1 {
namespace {

constexpr std::array<std::string_view, 4> choice_names{"auto", "host", "device", "both"};

// Below this size the time goes into setting up pinned slots, and above it a stream is taken to be as long as this.
constexpr std::int64_t least_streamed_bytes = INT64_C(256) << 20, endless_bytes = INT64_C(64) << 30;

// An H200 and 16 Xeon cores, for machines that cannot be measured now.
constexpr machine_rates usual_rates{16, 12.8e9, 121.7e9, 12.2e9, 73.4e9, 55.4e9, 16e9};

// Opening it takes a third of a second, but once a process.
std::atomic<bool> device_is_open = false;

engine_choice from_environment() {
  const char* text = std::getenv("MULTIFOLD_ENGINE");
  if (text == nullptr || *text == '\0') return engine_choice::automatic;
  const std::optional<engine_choice> choice = parse_engine(text);
  if (!choice) {
    throw engine_error("MULTIFOLD_ENGINE is \"" + std::string(text) + "\"; expected auto, host, device or both");
  }
  return *choice;
}

// An array in memory is pinned only where CUDA is at work already. Then a device that is open, and copies by itself, is
// the best that there can be.
bool device_is_hopeless(const machine_rates& rates, const workload& likely) {
  if (rates.link <= 0) return false;
  workload best = likely;
  best.warm = true;
  if (likely.where == data_place::pageable && !detail::uses_cuda()) best.warm = device_is_open;
  else if (likely.where == data_place::pageable) best.where = data_place::pinned;
  return decide(rates, best).engine == engine_choice::host;
}

// With rates of the machine where they are there, without a look at the GPU where that cannot matter.
engine_decision quickest_engine(const void* data, workload work) {
  work.where = data == nullptr ? data_place::source : data_place::pageable;
  work.warm = true;
  if (const std::optional<machine_rates> cached = cached_rates()) {
    if (device_is_hopeless(*cached, work)) return decide(*cached, work);
  }
  std::string reason;
  if (!detail::has_device(reason)) return {engine_choice::host, reason};
  const machine_rates measured = rates_of_machine();
  const machine_rates& rates = measured.host_all > 0 && measured.link > 0 ? measured : usual_rates;
  if (data != nullptr && detail::is_pinned(data)) work.where = data_place::pinned;
  work.warm = work.where == data_place::pinned || device_is_open;
  return decide(rates, work);
}

// As traits takes them: arrays that one thread reduces alone need no look at how many there are.
int threads_of(const detail::request& r, const reduce_options& options) {
  const bool alone = r.data != nullptr && host::is_for_one_thread(r.what, host::is_row(r.form), r.bytes());
  return options.threads == 0 && alone ? 1 : options.threads;
}

bool is_small(const reducible& array) { return array.bytes >= 0 && array.bytes < least_streamed_bytes; }

}  // namespace

engine_choice detail::choice_of(const reduce_options& options) {
  return options.engine == engine_choice::automatic ? from_environment() : options.engine;
}

std::string_view name(engine_choice choice) noexcept { return choice_names[static_cast<std::size_t>(choice)]; }

std::optional<engine_choice> parse_engine(std::string_view text) noexcept {
  for (std::size_t i = 0; i < choice_names.size(); ++i) {
    if (text == choice_names[i]) return static_cast<engine_choice>(i);
  }
  if (text == "cpu") return engine_choice::host;
  if (text == "gpu" || text == "cuda") return engine_choice::device;
  return std::nullopt;
}

std::vector<engine_info> engines() {
  engine_info device{"device", "batched-reduce kernels on an NVIDIA GPU", false, "", {}};
  device.supported = detail::opens_device(device.reason);
  if (device.supported) device.traits = detail::current_device();
  return {device, {"host", "all CPU cores with SIMD", true, "", host::traits()}};
}

engine_decision decide_engine(const reducible& array, const reduce_options& options) {
  const std::int64_t bytes = array.bytes;
  const engine_choice choice = detail::choice_of(options);
  if (choice != engine_choice::automatic) return {choice, "it was asked for"};
  std::string reason;
  if (!MULTIFOLD_HAS_CUDA && !detail::has_device(reason)) return {engine_choice::host, reason};
  if (is_small(array)) {
    return {engine_choice::host, "less than " + bytes_text(least_streamed_bytes) + " is not worth a look at the GPU"};
  }
  if (array.form.pattern == access::strided) {
    return {engine_choice::host,
            "these axes leave no rows or columns, and a GPU would be no quicker with chunks of anything else"};
  }
  workload work{data_place::source, bytes < 0 ? endless_bytes : bytes,
                options.threads > 0 ? options.threads : host::usable_threads(), false};
  work.shareable = bytes >= 0 && array.random_access && detail::device_shares(array.what, array.form);
  engine_decision found = quickest_engine(array.data, work);
  if (found.engine != engine_choice::host && !detail::opens_device(reason)) return {engine_choice::host, reason};
  if (bytes < 0) found.reason = "a stream whose end is unknown; " + found.reason;
  return found;
}

namespace detail {

namespace {

void refuse_records_elsewhere(const reduction& what, place where, engine_choice choice) {
  const std::string state = "a state of this " + std::string(name(what.op)) + " of " + std::string(name(what.input));
  if (where == place::device) {
    throw unsupported_error(state +
                            " is kept by the host engine, and the array is in device memory: copy it to the host");
  }
  if (choice == engine_choice::device || choice == engine_choice::both) {
    throw unsupported_error(state + " is kept by the host engine, and " + std::string(name(choice)) +
                            " was asked for: use the host engine");
  }
}

void refuse_fraction_elsewhere(const correction& c, place where, engine_choice choice) {
  const std::string taken = "a correction of " + text_of(c) + ", which is no integer, is taken by the host engine";
  if (where == place::device) {
    throw unsupported_error(taken + ", and the array is in device memory: copy it to the host");
  }
  if (choice == engine_choice::device || choice == engine_choice::both) {
    throw unsupported_error(taken + ", and " + std::string(name(choice)) + " was asked for: use the host engine");
  }
}

void refuse_device_memory(engine_choice choice) {
  if (choice == engine_choice::host) {
    throw unsupported_error("the array is in device memory, where the host engine cannot read it");
  }
  if (choice == engine_choice::both) {
    throw unsupported_error(
        "the array is in device memory, where the host engine takes no part: use the device engine");
  }
}

}  // namespace

bool host_takes_small_arrays() {
  static const engine_choice choice = from_environment();
  return choice == engine_choice::automatic || choice == engine_choice::host;
}

chosen_engine host_engine(const request& r, const reduce_options& options) {
  return {host::traits(threads_of(r, options))};
}

engine_choice choice_for(const request& r, place where, const reduce_options& options) {
  engine_choice choice = choice_of(options);
  if (r.what.as_records) {
    refuse_records_elsewhere(r.what, where, choice);
    choice = engine_choice::host;
  }
  if (!correction::holds_integer(r.what.correction)) {
    refuse_fraction_elsewhere(correction::of_held(r.what.correction), where, choice);
    choice = engine_choice::host;
  }
  if (where == place::device) {
    refuse_device_memory(choice);
    choice = engine_choice::device;
  }
  return choice;
}

chosen_engine choose_engine(const request& r, place where, bool dense, const reduce_options& options) {
  engine_choice choice = choice_for(r, where, options);
  if (choice == engine_choice::automatic) {
    const reducible array{r.what, r.form, r.data, r.elements < 0 ? -1 : r.bytes(), r.random_access};
    choice = dense && !is_small(array) ? decide_engine(array, options).engine : engine_choice::host;
  }
  if (choice == engine_choice::host) return host_engine(r, options);
  return {open_device(), choice == engine_choice::both};
}

engine_traits open_device() {
  std::string reason;
  if (!opens_device(reason)) {
    throw engine_error("the device engine is not there: " + reason + "; use engine_choice::host");
  }
  device_is_open = true;
  return current_device();
}

engine_kind engine_of_segments(place where, const reduce_options& options) {
  const engine_choice choice = choice_of(options);
  if (!options.correction.is_integer()) refuse_fraction_elsewhere(options.correction, where, choice);
  if (options.keep_state && (where == place::device || choice == engine_choice::device)) {
    throw unsupported_error(std::string("states of segments are kept by the host engine: ") +
                            (where == place::device ? "copy the array to the host's memory" : "leave it to that"));
  }
  if (where == place::device) {
    refuse_device_memory(choice);
    return engine_kind::device;
  }
  if (choice == engine_choice::both) throw unsupported_error("segments are not shared by engines: use the host engine");
  return choice == engine_choice::device ? engine_kind::device : engine_kind::host;
}

}  // namespace detail
}  // namespace multifold::inline v0_1
