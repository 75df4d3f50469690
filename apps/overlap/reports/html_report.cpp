// A table for each section, and a picture for each run.
#include "overlap/reports/html_report.hpp"

#include <fmt/format.h>

#include <string_view>

#include "common/html_page.hpp"
#include "common/measure_text.hpp"
#include "overlap/reports/html_drawing.hpp"

namespace multifold::overlap {
namespace {

using app::bandwidth_text;
using app::escaped;
using app::share_text;
using app::time_text;

constexpr std::string_view style = R"(
:root { --read: #2f6fd0; --reduce: #c96a12; --fetch: #1f8a4c; --fill: #8a4fc4; --call: #737a82; --on-bar: #ffffff; }
@media (prefers-color-scheme: dark) { :root { --read: #6aa3f7; --reduce: #f0a04b; --fetch: #5cc489; --fill: #bd93ec;
  --call: #a9b0b7; --on-bar: #101214; } }
svg .number { fill: var(--on-bar); text-anchor: middle; }
.read, .copy { fill: var(--read); } .reduce { fill: var(--reduce); } .fetch { fill: var(--fetch); }
.fill { fill: var(--fill); } .call { fill: var(--call); }
.keys span { margin-right: 1em; white-space: nowrap; } .keys i { display: inline-block; width: .9em; height: .9em;
  border-radius: 3px; vertical-align: -.1em; margin-right: .35em; }
i.read, i.copy { background: var(--read); } i.reduce { background: var(--reduce); } i.fetch { background: var(--fetch); }
i.fill { background: var(--fill); } i.call { background: var(--call); }
i.wait { background: var(--wait); outline: 1px solid var(--rule); }
.whole { white-space: nowrap; }
svg.narrow { display: none; max-width: 32rem; font-size: 14px; }
@media (max-width: 820px) {
  svg.wide { display: none; } svg.narrow { display: block; } .cells { max-width: 32rem; }
  .cells table, .cells tbody, .cells tr { display: block; } .cells tr:first-child { display: none; }
  .cells tr { border-bottom: 1px solid var(--rule); padding: .5rem 0; }
  .cells td { border: 0; display: flex; gap: 1rem; justify-content: space-between; padding: .1rem 0; white-space: normal; }
  .cells td:first-child { font-weight: 600; }
  .cells td::before { color: var(--faint); content: attr(data-of); flex: none; } .cells td:first-child::before { content: none; }
}
)";

std::string limits_of(const section& s) {
  std::string text;
  for (const limit& each : s.limits) {
    const std::string name = escaped(each.name), rate = bandwidth_text(each.rate);
    text += fmt::format("{}{}: <span class=\"whole\">{}</span>", text.empty() ? "" : "; ", name, rate);
  }
  return text;
}

// On a narrow screen a row becomes a list of cells, each with the title of its column.
std::string cell(std::string_view title, std::string_view text) {
  return fmt::format("<td data-of=\"{}\">{}</td>", escaped(title), text);
}

std::string table(const section& s) {
  const std::vector<column> columns = columns_of(s);
  std::string text =
      "<div class=\"scroll cells\"><table><tr><th></th><th>rate</th><th>time, least to greatest</th>"
      "<th>of the limit</th><th>speed-up</th>";
  for (const column& each : columns) text += fmt::format("<th>{}</th>", each.title);
  text += "</tr>\n";
  for (const run& each : s.runs) {
    text += fmt::format("<tr><td>{}</td>", escaped(each.name)) + cell("rate", bandwidth_text(each.rate()));
    text += cell(
        "time", fmt::format("{} ({} to {})", time_text(each.seconds), time_text(each.least), time_text(each.greatest)));
    text += cell("of the limit", share_text(each.rate() / s.limits.front().rate));
    text += cell("speed-up", fmt::format("{:.2f}", s.runs.front().seconds / each.seconds));
    for (const column& one : columns) text += cell(one.title, share_text(one.share(each)));
    text += "</tr>\n";
  }
  return text + "</table></div>\n";
}

std::string keys(const section& s) {
  std::string text = "<p class=\"keys\">";
  for (const activity what : activities_of(s)) {
    text += fmt::format("<span><i class=\"{}\"></i>{}</span> ", manner_of(what).name, manner_of(what).about);
  }
  return text + "<span><i class=\"wait\"></i>waits</span><br>The numbers are those of the chunks.</p>\n";
}

std::string shares_text(const section& s) {
  return s.on_device ? "Copying and reducing are shares of the time in which the GPU's copy engine, and its "
                       "SMs, were busy."
                     : "Reading, reducing and waiting are shares of the time of all threads.";
}

// What of the run the picture shows, unless it is all of it.
std::string window_text(const run& r) {
  const window w = window_of(r);
  if (w.end - w.start >= r.traced_seconds) return "";
  return fmt::format(" <span class=\"faint\">Shown: {} to {}, of {}.</span>", time_text(w.start), time_text(w.end),
                     time_text(r.traced_seconds));
}

std::string text_of(const section& s) {
  std::string text = s.title.empty() ? "" : fmt::format("<h2>{}</h2>\n", escaped(s.title));
  if (!s.about.empty()) text += fmt::format("<p>{}</p>\n", escaped(s.about));
  text += fmt::format("<p>{}<br><span class=\"faint\">{}. Limits: {}.</span></p>\n{}", escaped(s.input),
                      escaped(s.machine), limits_of(s), table(s));
  text += fmt::format(
      "<p class=\"faint\">The limit is the first one named above. Speed-up is against the first row. {}</p>\n{}",
      shares_text(s), keys(s));
  for (const run& each : s.runs) {
    const bool drawn = !each.lanes.empty();
    text += fmt::format("<h3>{}</h3>\n<p>{}{}</p>\n", escaped(each.name), escaped(each.about),
                        drawn ? window_text(each) : "");
    if (drawn) text += drawing_of(each, canvas::wide) + drawing_of(each, canvas::narrow);
  }
  return text;
}

}  // namespace

std::string html_report(const report& r) {
  std::string body;
  for (const section& each : r.sections) body += text_of(each);
  return app::html_page("Overlap of reading and reducing", style, body);
}

}  // namespace multifold::overlap
