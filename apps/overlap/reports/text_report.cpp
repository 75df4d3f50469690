// Tables and lanes out of letters.
#include "overlap/reports/text_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "common/measure_text.hpp"

namespace multifold::overlap {
namespace {

using app::bandwidth_text;
using app::share_text;
using app::time_text;

constexpr int columns = 72;

// Each column shows what its middle was spent on.
std::string picture(const lane& l, const window& w) {
  std::string text(columns, '.');
  const double width = (w.end - w.start) / columns;
  for (const span& s : visible(l, w, 0)) {
    for (int i = 0; i < columns; ++i) {
      const double middle = w.start + (i + 0.5) * width;
      if (middle >= s.start && middle < s.end) text[static_cast<std::size_t>(i)] = manner_of(s.what).letter;
    }
  }
  return text;
}

// Lines of at most `most` letters, cut between words.
std::string wrapped(const std::string& text, std::size_t most = 110) {
  std::string lines, line;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (!line.empty() && line.size() + 1 + word.size() > most) {
      lines += line + "\n";
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
  }
  return lines + line + "\n";
}

std::string table(const section& s) {
  const std::vector<column> shares = columns_of(s);
  std::size_t name_width = 0;
  for (const run& each : s.runs) name_width = std::max(name_width, each.name.size());
  std::string text =
      fmt::format("{:<{}}  {:>10}  {:>9}  {:>8}  {:>8}", "", name_width, "rate", "time", "of limit", "speed-up");
  for (const column& each : shares) text += fmt::format("  {:>8}", each.title);
  text += "\n";
  for (const run& each : s.runs) {
    std::string line =
        fmt::format("{:<{}}  {:>10}  {:>9}  {:>8}  {:>7.2f}x", each.name, name_width, bandwidth_text(each.rate()),
                    time_text(each.seconds), share_text(each.rate() / s.limits.front().rate),
                    s.runs.front().seconds / each.seconds);
    for (const column& one : shares) line += fmt::format("  {:>8}", share_text(one.share(each)));
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

std::string pictures(const run& r) {
  std::string text = "\n" + wrapped(r.name + ": " + r.about);
  if (r.lanes.empty()) return text;
  const window w = window_of(r);
  std::size_t name_width = 0;
  for (const lane& l : r.lanes) name_width = std::max(name_width, l.name.size());
  for (const lane& l : r.lanes) text += fmt::format("{:<{}}  {}\n", l.name, name_width, picture(l, w));
  return text + fmt::format("{:<{}}  {:<{}}{:>{}}\n", "", name_width, time_text(w.start), columns / 2, time_text(w.end),
                            columns / 2);
}

std::string text_of(const section& s) {
  std::string text = s.title.empty() ? "" : fmt::format("\n{}\n", s.title);
  if (!s.about.empty()) text += wrapped(s.about);
  text += fmt::format("{}\n{}\n", s.input, s.machine);
  for (const limit& each : s.limits) text += fmt::format("limit: {}, {}\n", each.name, bandwidth_text(each.rate));
  text += "\n" + table(s);
  for (const run& each : s.runs) text += pictures(each);
  text += "\n";
  for (const activity what : activities_of(s)) {
    text += fmt::format("{} {}, ", manner_of(what).letter, manner_of(what).letters);
  }
  return text + ". waits\n";
}

}  // namespace

std::string text_report(const report& r) {
  std::string text;
  for (const section& each : r.sections) text += text_of(each);
  return text;
}

}  // namespace multifold::overlap
