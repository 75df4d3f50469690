// The table of engines, and the choice between them.
#include "reduce/engines.hpp"

#include <array>
#include <cstdlib>
#include <string>

#include "host/engine.hpp"
#include "multifold/error.hpp"
#include "reduce/device.hpp"

namespace multifold {
namespace {

constexpr std::array<std::string_view, 3> choice_names{"auto", "host", "device"};

// Five cores read host memory faster than a PCIe 5 link moves it (12.8 GB/s a core, 55 GB/s the link), and below this
// size the time goes into setting up pinned slots.
constexpr int threads_that_beat_the_link = 5;
constexpr std::int64_t least_streamed_bytes = INT64_C(256) << 20;

engine_choice from_environment() {
  const char* text = std::getenv("MULTIFOLD_ENGINE");
  if (text == nullptr || *text == '\0') return engine_choice::automatic;
  const std::optional<engine_choice> choice = parse_engine(text);
  if (!choice) {
    throw engine_error("MULTIFOLD_ENGINE is \"" + std::string(text) + "\"; expected auto, host or device");
  }
  return *choice;
}

bool device_pays_for_host_data(const detail::request& r, bool dense, const reduce_options& options) {
  const int threads = options.threads > 0 ? options.threads : host::usable_threads();
  std::string reason;
  return dense && threads < threads_that_beat_the_link && r.bytes() >= least_streamed_bytes &&
         detail::device_takes_chunks(r.form) && detail::has_device(reason);
}

}  // namespace

std::string_view name(engine_choice choice) noexcept { return choice_names[static_cast<std::size_t>(choice)]; }

std::optional<engine_choice> parse_engine(std::string_view text) noexcept {
  for (std::size_t i = 0; i < choice_names.size(); ++i) {
    if (text == choice_names[i]) return static_cast<engine_choice>(i);
  }
  return std::nullopt;
}

std::vector<engine_info> engines() {
  engine_info device{"device", "batched-reduce kernels on an NVIDIA GPU", false, "", {}};
  device.supported = detail::has_device(device.reason);
  if (device.supported) device.traits = detail::current_device();
  return {device, {"host", "all CPU cores with SIMD", true, "", host::traits()}};
}

namespace detail {

engine_traits choose_engine(const request& r, place where, bool dense, const reduce_options& options) {
  engine_choice choice = options.engine == engine_choice::automatic ? from_environment() : options.engine;
  if (where == place::device) {
    if (choice == engine_choice::host) {
      throw unsupported_error("the array is in device memory, where the host engine cannot read it");
    }
    choice = engine_choice::device;
  }
  if (choice == engine_choice::automatic) {
    choice = device_pays_for_host_data(r, dense, options) ? engine_choice::device : engine_choice::host;
  }
  if (choice == engine_choice::host) return host::traits(options.threads);
  std::string reason;
  if (!has_device(reason)) throw engine_error("the device engine is not there: " + reason + "; use --engine host");
  if (where == place::host && !dense) {
    throw unsupported_error(
        "the array in host memory has gaps or repeats, and the device engine takes dense ones: "
        "copy it densely, or use the host engine");
  }
  return current_device();
}

}  // namespace detail
}  // namespace multifold
