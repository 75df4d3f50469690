// A line for each rung.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "common/measure_text.hpp"
#include "reports/reports.hpp"

namespace multifold::ladder {
namespace {

using app::bandwidth_text;
using app::share_text;
using app::time_text;

std::string size_text(std::int64_t bytes) {
  if (bytes >= INT64_C(1) << 30) return fmt::format("{:.4g} GiB", std::ldexp(static_cast<double>(bytes), -30));
  if (bytes >= INT64_C(1) << 20) return fmt::format("{:.4g} MiB", std::ldexp(static_cast<double>(bytes), -20));
  if (bytes >= INT64_C(1) << 10) return fmt::format("{:.4g} KiB", std::ldexp(static_cast<double>(bytes), -10));
  return fmt::format("{} bytes", bytes);
}

std::string ulps_text(double ulps) {
  if (!std::isfinite(ulps)) return "wrong";
  return ulps < 1000 ? fmt::format("{:.3g}", ulps) : fmt::format("{:.2g}", ulps);
}

std::string line_of(const climb& c, std::size_t i, std::size_t name_width, bool brief) {
  const step& s = c.steps[i];
  const std::string name = fmt::format("{:>2} {:<{}}", s.number, s.name, name_width);
  if (!s.why_not.empty()) return fmt::format("{}  {}\n", name, s.why_not);
  const double gain = gain_of(c, i);
  std::string line =
      fmt::format("{}  {:>11}  {:>7}  {:>7}  {:>9}  {:>21}  {:>8}", name, bandwidth_text(s.rate()),
                  share_text(s.rate() / c.roof), gain > 0 ? fmt::format("{:.2f}x", gain) : "", time_text(s.took.median),
                  fmt::format("{} to {}", time_text(s.took.least), time_text(s.took.greatest)), ulps_text(s.ulps));
  if (brief) line += fmt::format("  {:>11}", s.brief.median > 0 ? time_text(s.brief.median) : "");
  return line + (s.right ? "\n" : "  NOT RIGHT\n");
}

std::string reasons(const climb& c, std::size_t name_width) {
  std::string text;
  for (std::size_t i = 0; i < c.steps.size(); ++i) {
    if (!hardly_gains(c, i)) continue;
    const step& s = c.steps[i];
    text += fmt::format("{:>2} {:<{}}  {:.2f}x {}: {}\n", s.number, s.name, name_width, gain_of(c, i),
                        compared_with(c, i)->name, s.no_gain);
  }
  return text.empty() ? text : "\nHardly faster, or slower, than what they are compared with:\n" + text;
}

std::string counted(const climb& c, std::size_t name_width) {
  std::string text;
  for (const step& s : c.steps) {
    const auto found = c.counted.of.find(s.name);
    if (found == c.counted.of.end()) continue;
    const counters& of = found->second;
    text += fmt::format("{:>2} {:<{}}  {:>10.1f}  {:>9}  {:>11}  {:>6}  {:>15.2f}  {:>12.2f}\n", s.number, s.name,
                        name_width, of.busy_lanes, share_text(of.bank_conflicts), share_text(of.issue_slots),
                        share_text(of.memory), of.barrier_wait, of.load_wait);
  }
  if (text.empty()) return text;
  return fmt::format(
             "\nWhat a profiler counted ({}, {}, {}); waits in cycles for each instruction\n"
             "   {:<{}}  {:>10}  {:>9}  {:>11}  {:>6}  {:>15}  {:>12}\n",
             c.counted.device, c.counted.date, c.counted.problem, "", name_width, "busy lanes", "conflicts",
             "issue slots", "memory", "wait at barrier", "wait for data") +
         text;
}

}  // namespace

std::string text_of(const problem& what) {
  const char* const op = what.op == op_kind::dot ? "dot product" : what.op == op_kind::max ? "maximum" : "sum";
  return fmt::format("the {} of {} {} ({})", op, what.count, name(what.type), size_text(what.bytes()));
}

std::string model_text(const problem& what) {
  const double n = static_cast<double>(std::max<std::int64_t>(what.count, 2)), steps = std::ceil(std::log2(n));
  return fmt::format(
      "A tree over {} elements has {:.0f} steps and {} additions. A thread for each element would cost {:.3g} "
      "thread-steps; {:.3g} threads, which add log2 N elements each before they meet, cost {:.3g} (Brent).",
      what.count, steps, std::max<std::int64_t>(what.count - 1, 0), n * steps, std::ceil(n / steps), 2 * n);
}

std::string text_report(const climb& c) {
  std::size_t width = 12;
  for (const step& s : c.steps) width = std::max(width, s.name.size());
  for (const order_trial& t : c.orders) width = std::max(width, t.name.size());
  std::string text = fmt::format("{}: {}, {}\n{}: {}; exact: {}\n{}\n\n", c.title, text_of(c.what), c.machine,
                                 c.roof_name, bandwidth_text(c.roof), c.exact, model_text(c.what));
  const bool brief = std::any_of(c.steps.begin(), c.steps.end(), [](const step& s) { return s.brief.median > 0; });
  text += fmt::format("   {:<{}}  {:>11}  {:>7}  {:>7}  {:>9}  {:>21}  {:>8}{}\n", "rung", width, "rate", "of roof",
                      "gain", "time", "least to greatest", "ulps off", brief ? "  short array" : "");
  for (std::size_t i = 0; i < c.steps.size(); ++i) text += line_of(c, i, width, brief);
  if (brief) text += fmt::format("The short array: the first {} elements, in the cache.\n", brief_elements);
  text += reasons(c, width) + counted(c, width);
  if (c.orders.empty()) return text;
  text += fmt::format("\n{}\n   {:<{}}  {:>5}  {:>8}  {:>21}  {:>9}\n", c.orders_about, "", width, "runs", "results",
                      "ulps off", "time");
  for (const order_trial& t : c.orders) {
    text += fmt::format("   {:<{}}  {:>5}  {:>8}  {:>21}  {:>9}\n", t.name, width, t.runs, t.patterns,
                        fmt::format("{} to {}", ulps_text(t.least_ulps), ulps_text(t.greatest_ulps)),
                        time_text(t.took.median));
  }
  return text;
}

}  // namespace multifold::ladder
