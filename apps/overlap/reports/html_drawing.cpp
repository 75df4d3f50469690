// The SVG of a run.
#include "overlap/reports/html_drawing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "common/html_page.hpp"
#include "common/measure_text.hpp"

namespace multifold::overlap {
namespace {

using app::bandwidth_text;
using app::escaped;
using app::time_text;

// Measures of a drawing. The name of a lane stands beside its bar, or above it where `name_width` is 0.
struct frame {
  const char* style;  // a class of CSS
  double name_width, name_height, drawing_width, bar_height, gap, most_ticks;
  double width() const { return name_width + drawing_width; }
  double row_height() const { return name_height + bar_height + gap; }
};

// In units that are pixels on a wide screen, or nearly pixels on a narrow one.
constexpr frame wide_frame{"wide", 96, 0, 960, 22, 8, 9}, narrow_frame{"narrow", 0, 19, 420, 22, 7, 4};
constexpr double axis_height = 26, text_rise = 16;  // from the top of a bar to the foot of its text
constexpr double character_width = 8;               // of a label at the axis, or less

// 1, 2 or 5 times a power of ten, so that there are nearly as many as there may be.
double tick_of(double width, double most) {
  const double power = std::pow(10, std::floor(std::log10(width / most)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (width / (factor * power) <= most) return factor * power;
  }
  return 10 * power;
}

class drawing {
 public:
  drawing(const run& r, const frame& f) : run_(r), frame_(f), window_(window_of(r)) {
    const double height = f.row_height() * static_cast<double>(r.lanes.size()) + axis_height;
    text_ = fmt::format(
        "<svg class=\"{}\" viewBox=\"0 0 {:.0f} {:.0f}\" role=\"img\" "
        "aria-label=\"{}: what each lane did from {} to {}\">\n",
        f.style, f.width(), height, escaped(r.name), time_text(window_.start), time_text(window_.end));
    draw_axis(height);
    for (std::size_t i = 0; i < r.lanes.size(); ++i) draw_lane(r.lanes[i], f.row_height() * static_cast<double>(i));
    text_ += "</svg>\n";
  }

  const std::string& text() const { return text_; }

 private:
  double x_of(double seconds) const {
    return frame_.name_width + (seconds - window_.start) / (window_.end - window_.start) * frame_.drawing_width;
  }

  void draw_axis(double height) {
    const double tick = tick_of(window_.end - window_.start, frame_.most_ticks);
    const double bottom = height - axis_height;
    for (double at = std::ceil(window_.start / tick) * tick; at <= window_.end; at += tick) {
      const double x = x_of(at);
      text_ += fmt::format("<line x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"0\" y2=\"{1:.1f}\"/>", x, bottom);
      const std::string label = time_text(at);
      if (x + 3 + character_width * static_cast<double>(label.size()) > frame_.width()) continue;
      text_ += fmt::format("<text class=\"axis\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", x + 3, bottom + 17, label);
    }
  }

  void draw_lane(const lane& l, double top) {
    const bool above = frame_.name_width == 0;
    text_ += fmt::format("<text x=\"0\" y=\"{:.1f}\">{}</text>", above ? top + 13 : top + text_rise, escaped(l.name));
    top += frame_.name_height;
    text_ +=
        fmt::format("<rect class=\"wait\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" rx=\"3\"/>\n",
                    frame_.name_width, top, frame_.drawing_width, frame_.bar_height);
    const double pixel = (window_.end - window_.start) / frame_.drawing_width;
    for (const span& s : visible(l, window_, run_.drawn == part::whole ? 2 * pixel : 0)) draw_span(s, top);
  }

  void draw_span(const span& s, double top) {
    const double x = x_of(s.start), width = x_of(s.end) - x;
    const std::string chunk = s.chunk < 0 ? "chunks" : fmt::format("chunk {}", s.chunk);
    text_ += fmt::format(
        "<rect class=\"{0}\" x=\"{1:.2f}\" y=\"{2:.1f}\" width=\"{3:.2f}\" height=\"{4:.1f}\" rx=\"2\">"
        "<title>{0} {5}: {6} MB in {7}, {8}</title></rect>",
        manner_of(s.what).name, x, top, std::max(width - 0.6, 0.4), frame_.bar_height, chunk,
        fmt::format("{:.3g}", static_cast<double>(s.bytes) / 1e6), time_text(s.end - s.start),
        bandwidth_text(static_cast<double>(s.bytes) / (s.end - s.start)));
    if (s.chunk >= 0 && width > 9 * static_cast<double>(std::to_string(s.chunk).size()) + 2) {
      text_ += fmt::format("<text class=\"number\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>", x + width / 2, top + text_rise,
                           s.chunk);
    }
    text_ += "\n";
  }

  const run& run_;
  const frame& frame_;
  const window window_;
  std::string text_;
};

}  // namespace

std::string drawing_of(const run& r, canvas on) {
  return drawing(r, on == canvas::wide ? wide_frame : narrow_frame).text();
}

}  // namespace multifold::overlap
