// A table for each section, and a picture for each run.
#include "html_report.hpp"

#include <fmt/format.h>

#include <string_view>

#include "common/html_page.hpp"
#include "common/measure_text.hpp"
#include "html_drawing.hpp"

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
svg { min-width: 640px; } svg .number { fill: var(--on-bar); text-anchor: middle; }
.read, .copy { fill: var(--read); } .reduce { fill: var(--reduce); } .fetch { fill: var(--fetch); }
.fill { fill: var(--fill); } .call { fill: var(--call); }
.keys span { margin-right: 1em; white-space: nowrap; } .keys i { display: inline-block; width: .9em; height: .9em;
  border-radius: 3px; vertical-align: -.1em; margin-right: .35em; }
i.read, i.copy { background: var(--read); } i.reduce { background: var(--reduce); } i.fetch { background: var(--fetch); }
i.fill { background: var(--fill); } i.call { background: var(--call); }
i.wait { background: var(--wait); outline: 1px solid var(--rule); }
)";

std::string limits_of(const section& s) {
  std::string text;
  for (const limit& each : s.limits) {
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", escaped(each.name), bandwidth_text(each.rate));
  }
  return text;
}

std::string table(const section& s) {
  const std::vector<column> columns = columns_of(s);
  std::string text =
      "<div class=\"scroll\"><table><tr><th></th><th>rate</th><th>time, least to greatest</th><th>of the limit</th>"
      "<th>speed-up</th>";
  for (const column& each : columns) text += fmt::format("<th>{}</th>", each.title);
  text += "</tr>\n";
  for (const run& each : s.runs) {
    text += fmt::format("<tr><td>{}</td><td>{}</td><td>{} ({} to {})</td><td>{:.0f} %</td><td>{:.2f}</td>",
                        escaped(each.name), bandwidth_text(each.rate()), time_text(each.seconds), time_text(each.least),
                        time_text(each.greatest), 100 * each.rate() / s.limits.front().rate,
                        s.runs.front().seconds / each.seconds);
    for (const column& one : columns) text += fmt::format("<td>{}</td>", share_text(one.share(each)));
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
                       "multiprocessors, were busy."
                     : "Reading, reducing and waiting are shares of the time of all threads.";
}

// What of the run the picture shows, unless it is all of it.
std::string stretch_of(const run& r) {
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
                        drawn ? stretch_of(each) : "");
    if (drawn) text += fmt::format("<div class=\"scroll\">{}</div>\n", drawing_of(each));
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
