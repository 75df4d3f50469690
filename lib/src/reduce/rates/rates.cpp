// Predictions: arithmetic on rates, which are not measured here.
#include "multifold/rates.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <utility>

#include "stream/ring.hpp"
#include "stream/shared_array.hpp"

namespace multifold::inline v0_1 {
namespace {

constexpr double nothing_known = std::numeric_limits<double>::infinity();

// Of an H200 and its host: opening the device, and the allocations of a pipeline once it is open.
constexpr double opening_seconds = 0.3, pipeline_seconds = 0.003;

// What chunks reach of the link, in place and staged.
constexpr double share_of_link = 0.98, staged_share_of_link = 0.94;

// The host's engine stays unless the device is quicker by so much.
constexpr double worth_it = 0.95;

// What threads come close to, however many they are: see rate_of_threads.
double limit_of_threads(double one, double most, int all) {
  const double straight = one * std::max(all, 1);
  return most < straight ? 1 / std::sqrt(1 / (most * most) - 1 / (straight * straight)) : nothing_known;
}

double seconds(double bytes, double rate) { return rate > 0 ? bytes / rate : nothing_known; }

std::string text(const char* format, double value) {
  char line[32];
  std::snprintf(line, sizeof line, format, value);
  return line;
}

std::string time_text(double s) {
  return s < 1e-3 ? text("%.3g us", s * 1e6) : s < 1 ? text("%.3g ms", s * 1e3) : text("%.3g s", s);
}

// Of a thread that reads into a buffer and reduces what is there.
double rate_of_reader(const machine_rates& rates) {
  return rates.staged_one > 0 ? 1 / (1 / rates.staged_one + 1 / rates.host_one) : rates.host_one;
}

// `straight` is what threads and copies would do if they were not in each other's way; they reach the limit of whatever
// `one` thread does and `most` all of them.
double limited(double straight, double one, double most, int all) {
  const double limit = limit_of_threads(one, most, all);
  return 1 / std::sqrt(1 / (straight * straight) + 1 / (limit * limit));
}

// Bytes a second; 0 if the GPU has no part in it.
double rate_of_both(const machine_rates& rates, data_place where, int threads) {
  if (rates.link <= 0 || rates.host_one <= 0 || rates.host_all <= 0) return 0;
  const int some = std::clamp(threads, 1, std::max(rates.threads, 1));
  if (where == data_place::pinned) {
    return limited(some * rates.host_one + share_of_link * rates.link, rates.host_one, rates.host_all, rates.threads);
  }
  if (rates.staged_one <= 0 || rates.staged_all <= 0 || some < 2) return 0;
  const int fillers = stream::threads_that_stage(some), readers = some - fillers;
  const double sent = std::min(staged_share_of_link * rates.link, fillers * rates.staged_one);
  if (where == data_place::pageable) {
    return limited(readers * rates.host_one + sent, rates.host_one, rates.host_all, rates.threads);
  }
  return limited(readers * rate_of_reader(rates) + sent, rates.staged_one, rates.staged_all, rates.threads);
}

}  // namespace

double rate_of_threads(double one, double most, int all, int threads) {
  const int some = std::clamp(threads, 1, std::max(all, 1));
  const double mine = one * some;
  if (one <= 0 || most <= 0 || most >= one * std::max(all, 1)) return some == all ? std::max(most, 0.0) : mine;
  return limited(mine, one, most, all);
}

engine_times predict(const machine_rates& rates, const workload& work) {
  const auto size = static_cast<double>(work.bytes);
  const int threads = work.threads;
  const double host = rate_of_threads(rates.host_one, rates.host_all, rates.threads, threads);
  const auto staged = [&](int some) {
    return rate_of_threads(rates.staged_one, rates.staged_all, rates.threads, some);
  };
  engine_times times{seconds(size, host), seconds(size, share_of_link * rates.link), nothing_known};
  if (work.where == data_place::source && staged(threads) > 0) {
    // Read into a buffer, and reduced in it by the same thread.
    times.host = seconds(size, staged(threads)) + seconds(size, rates.host_one * std::clamp(threads, 1, rates.threads));
  }
  double start = pipeline_seconds + (work.warm ? 0 : opening_seconds);
  if (work.where != data_place::pinned) {
    const auto pinning = [&](int fillers) {
      const auto slots = static_cast<double>(stream::filler_bytes * fillers);
      return seconds(std::min(slots, size), rates.pinning);
    };
    const int fillers = stream::fillers_of(threads);
    times.device =
        std::max(seconds(size, staged_share_of_link * rates.link), seconds(size, staged(fillers))) + pinning(fillers);
    start += pinning(stream::threads_that_stage(threads));
  }
  times.device += pipeline_seconds + (work.warm ? 0 : opening_seconds);
  const double together = rate_of_both(rates, work.where, threads);
  if (work.shareable && together > 0 && times.host > 0 && rates.host_one > 0) {
    // The CPU does not wait for the GPU.
    const double alone = size / times.host, before = std::min(start * alone, size);
    times.both = before / alone + seconds(size - before, together);
  }
  return times;
}

engine_decision decide(const machine_rates& rates, const workload& work) {
  const engine_times times = predict(rates, work);
  engine_decision found;
  double best = times.host;
  for (const auto& [engine, time] :
       {std::pair{engine_choice::device, times.device}, {engine_choice::both, times.both}}) {
    if (time >= worth_it * best) continue;
    found.engine = engine;
    best = time;
  }
  const char* const place = work.where == data_place::source   ? " from a source"
                            : work.where == data_place::pinned ? " in pinned memory"
                                                               : "";
  const std::string who = std::to_string(work.threads) + (work.threads == 1 ? " thread" : " threads");
  const std::string all = text("%.3g GB", static_cast<double>(work.bytes) * 1e-9) + place + " should take " +
                          time_text(times.host) + " with " + who + ", ";
  const std::string device = time_text(times.device) + " on the GPU";
  found.reason =
      all + (std::isinf(times.both) ? "and " + device : device + ", and " + time_text(times.both) + " on both");
  return found;
}

}  // namespace multifold::inline v0_1
