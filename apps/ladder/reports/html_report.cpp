// A staircase under its roof, and below it a rung after the other: figures on the left, its source on the right.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string_view>

#include "common/html_page.hpp"
#include "common/measure_text.hpp"
#include "reports/reports.hpp"
#include "sources.hpp"

namespace multifold::ladder {
namespace {

using app::bandwidth_text;
using app::escaped;
using app::share_text;
using app::time_text;

constexpr std::string_view style = R"(
:root { --stair: #2f6fd0; --roof: #c96a12; --code: #f6f7f8; --bad: #c22f2f; --on-bar: #ffffff; }
@media (prefers-color-scheme: dark) { :root { --stair: #6aa3f7; --roof: #f0a04b; --code: #1d2024; --bad: #f08a8a;
  --on-bar: #101214; } }
.stair { fill: var(--stair); } .roof { stroke: var(--roof); stroke-width: 1.5; stroke-dasharray: 6 4; }
svg.lying { display: none; max-width: 32rem; font-size: 14px; } svg.lying .axis { fill: var(--faint); } .key svg { width: 36px; height: 8px; display: inline-block; margin-right: .5rem; }
svg .middle { text-anchor: middle; } svg .on-bar { fill: var(--on-bar); }
.rung { display: grid; grid-template-columns: minmax(0, 21rem) minmax(0, 1fr); gap: .3rem 1.6rem; margin: 2.4rem 0;
  border-top: 1px solid var(--rule); padding-top: 1rem; }
.rung h3 { margin: 0 0 .3rem; } .bar { background: var(--wait); height: 14px; border-radius: 3px; margin: .4rem 0; }
.bar i { display: block; height: 14px; border-radius: 3px; background: var(--stair); }
.rung dl { display: grid; grid-template-columns: auto 1fr; gap: .1rem .9rem; margin: .5rem 0; }
.rung dt { color: var(--faint); } .rung dd { margin: 0; font-variant-numeric: tabular-nums; } .bad { color: var(--bad); }
pre { background: var(--code); margin: .6rem 0 .3rem; padding: .8rem 1rem; border-radius: 6px; overflow: auto; max-height: 34rem;
  font: 12.5px/1.45 ui-monospace, monospace; }
@media (max-width: 820px) {
  .rung { grid-template-columns: minmax(0, 1fr); } svg.stairs { display: none; } svg.lying { display: block; }
}
)";

double top_of(const climb& c) {
  double top = c.roof;
  for (const step& s : c.steps) top = std::max(top, s.rate());
  return top;
}

std::string begun(const climb& c, std::string_view kind, double width, double height) {
  return fmt::format(
      "<svg class=\"{}\" viewBox=\"0 0 {:.0f} {:.0f}\" role=\"img\" aria-label=\"The rate of each rung, and that of "
      "{}\">\n",
      kind, width, height, escaped(c.roof_name));
}

std::string bar_of(const step& s, double x, double y, double width, double height) {
  return fmt::format(
      "<rect class=\"stair\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" rx=\"2\"><title>{} {}: "
      "{}</title></rect>",
      x, y, width, height, s.number, escaped(s.name),
      s.why_not.empty() ? bandwidth_text(s.rate()) : escaped(s.why_not));
}

// For wide screens, in units that are pixels there.
std::string standing_stairs(const climb& c) {
  constexpr double width = 1000, height = 300, foot = 26, head = 24;
  const double top = top_of(c), each = width / static_cast<double>(std::max<std::size_t>(c.steps.size(), 1));
  const auto y_of = [&](double rate) { return head + (height - head) * (1 - rate / top); };
  std::string text = begun(c, "stairs", width, height + foot);
  for (std::size_t i = 0; i < c.steps.size(); ++i) {
    const step& s = c.steps[i];
    const double x = each * static_cast<double>(i), y = y_of(s.rate());
    text += bar_of(s, x + 2, std::min(y, height - 1), each - 4, std::max(height - y, 1.0));
    const double middle = x + each / 2;
    if (s.why_not.empty()) {
      // Inside of a bar that is high enough, where the roof does not cross it out.
      const bool inside = height - y > 40;
      text += fmt::format("<text class=\"{} middle\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>", inside ? "on-bar" : "axis",
                          middle, inside ? std::min(y, height) + 17 : y - 6, share_text(s.rate() / c.roof));
    }
    text += fmt::format("<text class=\"middle\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", middle, height + 18, s.number);
  }
  const double roof = y_of(c.roof);
  text += fmt::format("<line class=\"roof\" x1=\"0\" x2=\"{0:.0f}\" y1=\"{1:.1f}\" y2=\"{1:.1f}\"/>\n", width, roof);
  return text + "</svg>\n";
}

// For narrow ones, in units that are nearly pixels: a bar below the name of each rung, and the roof beside the bars.
std::string lying_stairs(const climb& c) {
  constexpr double width = 420, each = 38, thick = 12;
  const double longest = (width - 2) / top_of(c), roof = longest * c.roof;
  std::string text = begun(c, "lying", width, each * static_cast<double>(c.steps.size()));
  for (std::size_t i = 0; i < c.steps.size(); ++i) {
    const step& s = c.steps[i];
    const double y = each * static_cast<double>(i), bar = y + 19;
    text += fmt::format("<text x=\"0\" y=\"{:.1f}\">{} {} <tspan class=\"axis\">{}</tspan></text>", y + 14, s.number,
                        escaped(s.name), s.why_not.empty() ? share_text(s.rate() / c.roof) : "not run");
    text += bar_of(s, 0, bar, std::max(longest * s.rate(), 1.0), thick);
    text += fmt::format("<line class=\"roof\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1:.1f}\" y2=\"{2:.1f}\"/>\n", roof,
                        bar - 2, bar + thick + 2);
  }
  return text + "</svg>\n";
}

std::string staircase(const climb& c) {
  return fmt::format(
             "<p class=\"key\"><svg viewBox=\"0 0 36 8\"><line class=\"roof\" x1=\"0\" x2=\"36\" y1=\"4\" y2=\"4\"/>"
             "</svg>{}: {}</p>\n",
             escaped(c.roof_name), bandwidth_text(c.roof)) +
         standing_stairs(c) + lying_stairs(c);
}

std::string ulps_text(const step& s) {
  if (!std::isfinite(s.ulps)) return "wrong";
  return s.ulps == 0 ? "none" : fmt::format("{:.3g} ulp", s.ulps);
}

std::string row(std::string_view name, const std::string& value) {
  return fmt::format("<dt>{}</dt><dd>{}</dd>", name, value);
}

std::string counted(const step& s, const climb& c) {
  const auto found = c.counted.of.find(s.name);
  if (found == c.counted.of.end()) return "";
  const counters& of = found->second;
  return fmt::format("<p class=\"faint\">Counted by a profiler, on {}, {}, of {}:</p><dl>", escaped(c.counted.device),
                     escaped(c.counted.date), escaped(c.counted.problem)) +
         row("busy lanes", fmt::format("{:.1f} of 32", of.busy_lanes)) +
         row("bank conflicts", share_text(of.bank_conflicts) + " of accesses to shared memory") +
         row("issue slots", share_text(of.issue_slots)) +
         row("memory", share_text(of.memory) + " of its greatest rate") +
         row("waits",
             fmt::format("{:.2f} cycles an instruction at barriers, {:.2f} for data", of.barrier_wait, of.load_wait)) +
         "</dl>";
}

std::string figures(const climb& c, std::size_t i) {
  const step& s = c.steps[i];
  if (!s.why_not.empty()) return fmt::format("<p class=\"faint\">Not run: {}.</p>", escaped(s.why_not));
  const double share = s.rate() / c.roof;
  std::string text =
      fmt::format("<div class=\"bar\"><i style=\"width:{:.1f}%\"></i></div><dl>", 100 * std::clamp(share, 0.0, 1.0)) +
      row("rate", fmt::format("{}, {} of the roof", bandwidth_text(s.rate()), share_text(share)));
  if (const step* const other = compared_with(c, i)) {
    text += row("gain", fmt::format("{:.2f} times “{}”", gain_of(c, i), escaped(other->name)));
    if (hardly_gains(c, i)) text += row("why", escaped(s.no_gain));
  }
  std::string time =
      fmt::format("{} ({} to {})", time_text(s.took.median), time_text(s.took.least), time_text(s.took.greatest));
  if (s.count != c.what.count) time += fmt::format(", for {} elements", s.count);
  text += row("time", time);
  if (s.brief.median > 0) {
    text += row("short array", fmt::format("{} for {} elements", time_text(s.brief.median), brief_elements));
  }
  text += row("result", escaped(s.value));
  return text +
         fmt::format("<dt>error</dt><dd{}>{}</dd></dl>", s.right ? "" : " class=\"bad\"",
                     s.right ? ulps_text(s) : ulps_text(s) + ", not right") +
         counted(s, c);
}

// The head of a source, as paragraphs, and its code without what only the compiler needs.
struct told {
  std::string prose, code;
};

told told_by(std::string_view source) {
  constexpr std::string_view left_out[] = {"#pragma", "#include", "namespace ", "}  // namespace", "// clang-format"};
  told t;
  std::string paragraph;
  const auto end_paragraph = [&] {
    if (!paragraph.empty()) t.prose += fmt::format("<p>{}</p>\n", escaped(paragraph));
    paragraph.clear();
  };
  bool in_head = true;
  for (std::size_t at = 0; at < source.size();) {
    const std::size_t end = std::min(source.find('\n', at), source.size());
    const std::string_view line = source.substr(at, end - at);
    at = end + 1;
    if (in_head && line.starts_with("//")) {
      if (line.size() <= 3) end_paragraph();
      else paragraph += (paragraph.empty() ? "" : " ") + std::string(line.substr(3));
      continue;
    }
    in_head = false;
    const auto begins = [&](std::string_view word) { return line.starts_with(word); };
    if (std::any_of(std::begin(left_out), std::end(left_out), begins)) continue;
    if (line.empty() && (t.code.empty() || t.code.ends_with("\n\n"))) continue;
    t.code += escaped(line) + "\n";
  }
  end_paragraph();
  while (t.code.ends_with("\n\n")) t.code.pop_back();
  return t;
}

std::string rung(const climb& c, std::size_t i) {
  const step& s = c.steps[i];
  const told t = told_by(source_of(s.file));
  return fmt::format(
      "<section class=\"rung\"><div><h3>{} {}</h3>\n{}</div>\n<div>{}<pre>{}</pre>\n"
      "<p class=\"faint\">{}</p></div></section>\n",
      s.number, escaped(s.name), figures(c, i), t.prose, t.code, escaped(s.file));
}

std::string orders(const climb& c) {
  if (c.orders.empty()) return "";
  std::string text = fmt::format(
      "<h2>Atomics against a tree</h2>\n<p>{}</p>\n<div class=\"scroll\"><table><tr><th></th><th>runs</th>"
      "<th>different results</th><th>off the exact sum</th><th>time</th></tr>\n",
      escaped(c.orders_about));
  for (const order_trial& t : c.orders) {
    text += fmt::format("<tr><td>{}</td><td>{}</td><td>{}</td><td>{:.3g} to {:.3g} ulp</td><td>{}</td></tr>\n",
                        escaped(t.name), t.runs, t.patterns, t.least_ulps, t.greatest_ulps, time_text(t.took.median));
  }
  return text + "</table></div>\n";
}

}  // namespace

std::string html_report(const climb& c) {
  std::string body = fmt::format(
      "<p>{}: {}.<br><span class=\"faint\">{}. The exact result: {}.</span></p>\n<p>{}</p>\n{}", escaped(c.title),
      escaped(text_of(c.what)), escaped(c.machine), escaped(c.exact), escaped(model_text(c.what)), staircase(c));
  for (std::size_t i = 0; i < c.steps.size(); ++i) body += rung(c, i);
  return app::html_page("The ladder of reductions", style, body + orders(c));
}

}  // namespace multifold::ladder
