// A table, and a picture for each run: a row for each lane, time from left to right.
#include "html_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

namespace multifold::overlap {
namespace {

// Of the drawing, in units that are pixels on a wide screen.
constexpr double label_width = 96, drawing_width = 960, row_height = 30, bar_height = 22, axis_height = 26;

constexpr std::string_view style = R"(
:root { color-scheme: light dark; --paper: #ffffff; --ink: #1c1e21; --faint: #62676d; --rule: #d9dce0; --wait: #eff1f3;
  --read: #2f6fd0; --reduce: #c96a12; --on-bar: #ffffff; }
@media (prefers-color-scheme: dark) { :root { --paper: #15171a; --ink: #e6e8ea; --faint: #9aa0a6; --rule: #363a3f;
  --wait: #24272b; --read: #6aa3f7; --reduce: #f0a04b; --on-bar: #101214; } }
body { background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 1080px;
  padding: 1.5rem 1rem 3rem; }
h1 { font-size: 1.6rem; margin: 0 0 .3rem; } h2 { font-size: 1.15rem; margin: 2.2rem 0 .2rem; }
p { margin: .3rem 0 .8rem; max-width: 46rem; } .faint { color: var(--faint); }
.scroll { overflow-x: auto; } table { border-collapse: collapse; font-variant-numeric: tabular-nums; width: 100%; }
th, td { border-bottom: 1px solid var(--rule); padding: .35rem .6rem; text-align: right; white-space: nowrap; }
th { color: var(--faint); font-weight: 500; } th:first-child, td:first-child { text-align: left; padding-left: 0; }
svg { display: block; min-width: 640px; width: 100%; height: auto; font: 13px system-ui, sans-serif; }
svg text { fill: var(--ink); } svg .axis { fill: var(--faint); } svg .number { fill: var(--on-bar); text-anchor: middle; }
svg line { stroke: var(--rule); } .wait { fill: var(--wait); } .read { fill: var(--read); } .reduce { fill: var(--reduce); }
.key { display: inline-block; width: .9em; height: .9em; border-radius: 3px; vertical-align: -.1em; margin: 0 .35em 0 1em; }
.key:first-child { margin-left: 0; } span.read { background: var(--read); } span.reduce { background: var(--reduce); }
span.wait { background: var(--wait); outline: 1px solid var(--rule); }
)";

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      default: out += c;
    }
  }
  return out;
}

// 1, 2 or 5 times a power of ten, so that there are about eight of them.
double tick_of(double width) {
  const double power = std::pow(10, std::floor(std::log10(width / 8)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (width / (factor * power) <= 9) return factor * power;
  }
  return 10 * power;
}

class drawing {
 public:
  explicit drawing(const run& r) : run_(r), window_(window_of(r)) {
    const double height = row_height * static_cast<double>(r.lanes.size()) + axis_height;
    text_ = fmt::format(
        "<svg viewBox=\"0 0 {:.0f} {:.0f}\" role=\"img\" aria-label=\"{}: what each lane did from {} to {}\">\n",
        label_width + drawing_width, height, escaped(r.name), time_text(window_.start), time_text(window_.end));
    draw_axis(height);
    for (std::size_t i = 0; i < r.lanes.size(); ++i) draw_lane(r.lanes[i], row_height * static_cast<double>(i));
    text_ += "</svg>\n";
  }

  const std::string& text() const { return text_; }

 private:
  double x_of(double seconds) const {
    return label_width + (seconds - window_.start) / (window_.end - window_.start) * drawing_width;
  }

  void draw_axis(double height) {
    const double tick = tick_of(window_.end - window_.start);
    const double bottom = height - axis_height;
    for (double at = std::ceil(window_.start / tick) * tick; at <= window_.end; at += tick) {
      const double x = x_of(at);
      text_ += fmt::format("<line x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"0\" y2=\"{1:.1f}\"/>", x, bottom);
      if (x > label_width + drawing_width - 50) continue;
      text_ +=
          fmt::format("<text class=\"axis\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", x + 3, bottom + 17, time_text(at));
    }
  }

  void draw_lane(const lane& l, double top) {
    text_ += fmt::format("<text x=\"0\" y=\"{:.1f}\">{}</text>", top + 16, escaped(l.name));
    text_ +=
        fmt::format("<rect class=\"wait\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" rx=\"3\"/>\n",
                    label_width, top, drawing_width, bar_height);
    const double pixel = (window_.end - window_.start) / drawing_width;
    for (const span& s : visible(l, window_, run_.in_phases ? 2 * pixel : 0)) draw_span(s, top);
  }

  void draw_span(const span& s, double top) {
    const double x = x_of(s.start), width = x_of(s.end) - x;
    const std::string chunk = s.chunk < 0 ? "chunks" : fmt::format("chunk {}", s.chunk);
    text_ += fmt::format(
        "<rect class=\"{0}\" x=\"{1:.2f}\" y=\"{2:.1f}\" width=\"{3:.2f}\" height=\"{4:.1f}\" rx=\"2\">"
        "<title>{0} {5}: {6} MB in {7}, {8}</title></rect>",
        name(s.what), x, top, std::max(width - 0.6, 0.4), bar_height, chunk,
        fmt::format("{:.3g}", static_cast<double>(s.bytes) / 1e6), time_text(s.end - s.start),
        rate_text(static_cast<double>(s.bytes) / (s.end - s.start)));
    if (s.chunk >= 0 && width > 9 * static_cast<double>(std::to_string(s.chunk).size()) + 2) {
      text_ +=
          fmt::format("<text class=\"number\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>", x + width / 2, top + 16, s.chunk);
    }
    text_ += "\n";
  }

  const run& run_;
  const window window_;
  std::string text_;
};

std::string table(const report& r) {
  std::string text =
      "<div class=\"scroll\"><table><tr><th></th><th>rate</th><th>time, least to greatest</th><th>of the limit</th>"
      "<th>speed-up</th><th>reading</th><th>reducing</th><th>waiting</th></tr>\n";
  for (const run& each : r.runs) {
    const double reads = share(each, activity::read), reduces = share(each, activity::reduce);
    text += fmt::format(
        "<tr><td>{}</td><td>{}</td><td>{} ({} to {})</td><td>{:.0f} %</td><td>{:.2f}</td><td>{:.0f} %</td><td>{:.0f} "
        "%</td>"
        "<td>{:.0f} %</td></tr>\n",
        escaped(each.name), rate_text(each.rate()), time_text(each.seconds), time_text(each.least),
        time_text(each.greatest), 100 * each.rate() / r.limits.front().rate, r.runs.front().seconds / each.seconds,
        100 * reads, 100 * reduces, 100 * std::max(0.0, 1 - reads - reduces));
  }
  return text + "</table></div>\n";
}

}  // namespace

std::string html_report(const report& r) {
  std::string limits;
  for (const limit& each : r.limits) {
    limits += fmt::format("{}{}: {}", limits.empty() ? "" : "; ", escaped(each.name), rate_text(each.rate));
  }
  std::string page = fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>Overlap of reading and reducing</title>\n<style>{}</style></head>\n<body>\n"
      "<h1>Overlap of reading and reducing</h1>\n<p>{}<br><span class=\"faint\">{}. Limits: {}.</span></p>\n{}"
      "<p class=\"faint\">The limit is the first one named above. Speed-up is against the first row. Reading, reducing "
      "and waiting are shares of the time of all threads.</p>\n"
      "<p><span class=\"key read\"></span>reads a chunk into a buffer<span class=\"key reduce\"></span>reduces what is "
      "in it"
      "<span class=\"key wait\"></span>waits. The numbers are those of the chunks.</p>\n",
      style, escaped(r.input), escaped(r.machine), limits, table(r));
  for (const run& each : r.runs) {
    page += fmt::format("<h2>{}</h2>\n<p>{}</p>\n<div class=\"scroll\">{}</div>\n", escaped(each.name),
                        escaped(each.about), drawing(each).text());
  }
  return page + "</body></html>\n";
}

}  // namespace multifold::overlap
