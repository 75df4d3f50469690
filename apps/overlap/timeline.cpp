// What is shown of a run, and in which words.
#include "timeline.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace multifold::overlap {
namespace {

constexpr std::int64_t chunks_shown = 10;  // a lane

}  // namespace

const char* name(activity what) { return what == activity::read ? "read" : "reduce"; }

double share(const run& r, activity what) {
  double busy = 0;
  for (const lane& l : r.lanes) {
    for (const span& s : l.spans) busy += s.what == what ? s.end - s.start : 0;
  }
  const double all = r.seconds * static_cast<double>(r.lanes.size());
  return all > 0 ? busy / all : 0;
}

window window_of(const run& r) {
  std::int64_t most = 0;
  for (const lane& l : r.lanes) {
    const auto reads =
        std::count_if(l.spans.begin(), l.spans.end(), [](const span& s) { return s.what == activity::read; });
    most = std::max<std::int64_t>(most, reads);
  }
  if (r.in_phases || most <= chunks_shown) return {0, r.seconds};
  const double width = r.seconds * static_cast<double>(chunks_shown) / static_cast<double>(most);
  return {(r.seconds - width) / 2, (r.seconds + width) / 2};
}

std::vector<span> visible(const lane& l, const window& w, double gap) {
  std::vector<span> shown;
  for (span s : l.spans) {
    if (s.end <= w.start || s.start >= w.end) continue;
    s.start = std::max(s.start, w.start);
    s.end = std::min(s.end, w.end);
    if (!shown.empty() && shown.back().what == s.what && s.start - shown.back().end <= gap) {
      shown.back().end = s.end;
      shown.back().bytes += s.bytes;
      if (shown.back().chunk != s.chunk) shown.back().chunk = -1;
    } else {
      shown.push_back(s);
    }
  }
  return shown;
}

std::string rate_text(double rate) { return fmt::format("{:.{}f} GB/s", rate / 1e9, rate < 10e9 ? 2 : 1); }

std::string time_text(double seconds) {
  if (seconds == 0) return "0";
  if (seconds < 1e-3) return fmt::format("{:.4g} us", seconds * 1e6);
  if (seconds < 1) return fmt::format("{:.4g} ms", seconds * 1e3);
  return fmt::format("{:.4g} s", seconds);
}

}  // namespace multifold::overlap
