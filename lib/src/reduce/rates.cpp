// Predictions: arithmetic on rates, which nobody has to measure here.
#include "multifold/rates.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

namespace multifold {
namespace {

constexpr double nothing_known = std::numeric_limits<double>::infinity();

// Of an H200 and its host: opening the device, and the allocations of a pipeline once it is open.
constexpr double opening_seconds = 0.3, pipeline_seconds = 0.003;

// What chunks reach of the link, in place and staged; and the pinned memory of a thread that stages them.
constexpr double share_of_link = 0.98, staged_share_of_link = 0.94;
constexpr double filler_bytes = 8 << 20;
constexpr int most_fillers = 16;

// The host's engine stays unless the device is quicker by so much.
constexpr double worth_it = 0.95;

double seconds(double bytes, double rate) { return rate > 0 ? bytes / rate : nothing_known; }

std::string text(const char* format, double value) {
  char line[32];
  std::snprintf(line, sizeof line, format, value);
  return line;
}

std::string time_text(double s) {
  return s < 1e-3 ? text("%.3g us", s * 1e6) : s < 1 ? text("%.3g ms", s * 1e3) : text("%.3g s", s);
}

}  // namespace

double rate_of_threads(double one, double most, int all, int threads) {
  const int some = std::clamp(threads, 1, std::max(all, 1));
  const double straight = one * std::max(all, 1);
  const double mine = one * some;
  if (one <= 0 || most <= 0 || most >= straight) return some == all ? std::max(most, 0.0) : mine;
  const double limit_squared = 1 / (1 / (most * most) - 1 / (straight * straight));
  return 1 / std::sqrt(1 / (mine * mine) + 1 / limit_squared);
}

engine_times predict(const machine_rates& rates, data_place where, std::int64_t bytes, int threads, bool warm) {
  const auto size = static_cast<double>(bytes);
  const double host = rate_of_threads(rates.host_one, rates.host_all, rates.threads, threads);
  const double staged = rate_of_threads(rates.staged_one, rates.staged_all, rates.threads, threads);
  engine_times times{seconds(size, host), seconds(size, share_of_link * rates.link)};
  if (where == data_place::source && staged > 0) {
    // Read into a buffer, and reduced in it by the same thread.
    times.host = seconds(size, staged) + seconds(size, rates.host_one * std::clamp(threads, 1, rates.threads));
  }
  if (where != data_place::pinned) {
    const double slots = filler_bytes * std::clamp(threads, 1, most_fillers);
    times.device = std::max(seconds(size, staged_share_of_link * rates.link), seconds(size, staged)) +
                   seconds(std::min(slots, size), rates.pinning);
  }
  times.device += pipeline_seconds + (warm ? 0 : opening_seconds);
  return times;
}

engine_decision decide(const machine_rates& rates, data_place where, std::int64_t bytes, int threads, bool warm) {
  const engine_times times = predict(rates, where, bytes, threads, warm);
  const bool device = times.device < worth_it * times.host;
  const char* const place = where == data_place::source   ? " from a source"
                            : where == data_place::pinned ? " in pinned memory"
                                                          : "";
  const std::string who = std::to_string(threads) + (threads == 1 ? " thread" : " threads");
  return {device ? engine_choice::device : engine_choice::host,
          text("%.3g GB", static_cast<double>(bytes) * 1e-9) + place + " should take " + time_text(times.host) +
              " with " + who + ", and " + time_text(times.device) + " on the GPU"};
}

}  // namespace multifold
