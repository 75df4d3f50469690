// Tables and lanes out of letters.
#include "text_report.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace multifold::overlap {
namespace {

constexpr int columns = 72;

char letter(activity what) { return what == activity::read ? 'r' : '#'; }

// Each column shows what its middle was spent on.
std::string picture(const lane& l, const window& w) {
  std::string text(columns, '.');
  const double width = (w.end - w.start) / columns;
  for (const span& s : visible(l, w, 0)) {
    for (int i = 0; i < columns; ++i) {
      const double middle = w.start + (i + 0.5) * width;
      if (middle >= s.start && middle < s.end) text[static_cast<std::size_t>(i)] = letter(s.what);
    }
  }
  return text;
}

std::string table(const report& r) {
  std::size_t name_width = 0;
  for (const run& each : r.runs) name_width = std::max(name_width, each.name.size());
  std::string text = fmt::format("{:<{}}  {:>10}  {:>9}  {:>8}  {:>8}  {:>5}  {:>6}  {:>5}\n", "", name_width, "rate",
                                 "time", "of limit", "speed-up", "read", "reduce", "wait");
  for (const run& each : r.runs) {
    const double reads = share(each, activity::read), reduces = share(each, activity::reduce);
    text += fmt::format("{:<{}}  {:>10}  {:>9}  {:>7.0f}%  {:>7.2f}x  {:>4.0f}%  {:>5.0f}%  {:>4.0f}%\n", each.name,
                        name_width, rate_text(each.rate()), time_text(each.seconds),
                        100 * each.rate() / r.limits.front().rate, r.runs.front().seconds / each.seconds, 100 * reads,
                        100 * reduces, 100 * std::max(0.0, 1 - reads - reduces));
  }
  return text;
}

}  // namespace

std::string text_report(const report& r) {
  std::string text = fmt::format("{}\n{}\n", r.input, r.machine);
  for (const limit& each : r.limits) text += fmt::format("limit: {}, {}\n", each.name, rate_text(each.rate));
  text += "\n" + table(r);
  for (const run& each : r.runs) {
    const window w = window_of(each);
    text += fmt::format("\n{}: {}\n", each.name, each.about);
    std::size_t name_width = 0;
    for (const lane& l : each.lanes) name_width = std::max(name_width, l.name.size());
    for (const lane& l : each.lanes) text += fmt::format("{:<{}}  {}\n", l.name, name_width, picture(l, w));
    text += fmt::format("{:<{}}  {:<{}}{:>{}}\n", "", name_width, time_text(w.start), columns / 2, time_text(w.end),
                        columns / 2);
  }
  return text + "\nr reads, # reduces, . waits\n";
}

}  // namespace multifold::overlap
