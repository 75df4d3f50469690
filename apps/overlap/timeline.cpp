// What is shown of a run, and in which words.
#include "overlap/timeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

namespace multifold::overlap {
namespace {

constexpr std::size_t chunks_shown = 10;  // a lane

constexpr std::array manners{
    manner{"read", 'r', "reads", "reads a chunk into a buffer"},
    manner{"reduce", '#', "reduces", "reduces what is in it"},
    manner{"copy", 'c', "copies to the GPU", "copies a chunk to the GPU"},
    manner{"fetch", 'b', "copies back", "copies results back"},
    manner{"fill", 'f', "fills a pinned buffer", "fills a buffer that the GPU can copy from"},
    manner{"call", 'o', "gives orders", "the program gives orders"},
};

double busy_seconds(const lane& l, activity what) {
  double busy = 0;
  for (const span& s : l.spans) busy += s.what == what ? s.end - s.start : 0;
  return busy;
}

double busy_seconds(const run& r, activity what) {
  double busy = 0;
  for (const lane& l : r.lanes) busy += busy_seconds(l, what);
  return busy;
}

// Of the time of all lanes.
double share(const run& r, activity what) {
  const double all = r.traced_seconds * static_cast<double>(r.lanes.size());
  return all > 0 ? busy_seconds(r, what) / all : 0;
}

// Of the time of the engine of a GPU that does this.
double share_of_engine(const run& r, activity what) {
  for (const lane& l : r.lanes) {
    const double busy = l.of_gpu ? busy_seconds(l, what) : 0;
    if (busy > 0) return busy / r.traced_seconds;
  }
  return -1;
}

// What the busiest lane did most often, a span a chunk, in order of time.
std::vector<span> chunks_of(const run& r) {
  std::vector<span> most;
  for (const lane& l : r.lanes) {
    std::map<activity, std::vector<span>> kinds;
    for (const span& s : l.spans) {
      if (s.what != activity::call) kinds[s.what].push_back(s);
    }
    for (auto& [what, spans] : kinds) {
      if (spans.size() > most.size()) most = std::move(spans);
    }
  }
  std::sort(most.begin(), most.end(), [](const span& a, const span& b) { return a.start < b.start; });
  return most;
}

// When no thread had anything left to do. Then comes the freeing of memory, in which there is nothing to see.
double last_end(const run& r) {
  double last = 0;
  for (const lane& l : r.lanes) {
    if (!l.spans.empty()) last = std::max(last, l.spans.back().end);
  }
  return last;
}

}  // namespace

const manner& manner_of(activity what) { return manners[static_cast<std::size_t>(what)]; }

std::vector<column> columns_of(const section& s) {
  if (s.on_device) {
    return {{"copying", [](const run& r) { return share_of_engine(r, activity::copy); }},
            {"reducing", [](const run& r) { return share_of_engine(r, activity::reduce); }}};
  }
  return {{"reading", [](const run& r) { return share(r, activity::read); }},
          {"reducing", [](const run& r) { return share(r, activity::reduce); }},
          {"waiting",
           [](const run& r) { return std::max(0.0, 1 - share(r, activity::read) - share(r, activity::reduce)); }}};
}

std::vector<activity> activities_of(const section& s) {
  std::vector<activity> found;
  for (const activity what : all_activities) {
    const bool any = std::any_of(s.runs.begin(), s.runs.end(), [&](const run& r) { return busy_seconds(r, what) > 0; });
    if (any) found.push_back(what);
  }
  return found;
}

window window_of(const run& r) {
  const std::vector<span> chunks = chunks_of(r);
  if (r.drawn == part::whole || chunks.size() <= chunks_shown) return {0, r.traced_seconds};
  const double width = r.traced_seconds * static_cast<double>(chunks_shown) / static_cast<double>(chunks.size());
  if (r.drawn == part::start) return {0, width};
  if (r.drawn == part::end) {
    const double end = last_end(r);
    return {std::max(0.0, end - width), end};
  }
  // By chunks and not by time: where threads were held up, so many seconds might show next to nothing.
  const std::size_t first = (chunks.size() - chunks_shown) / 2;
  return {chunks[first].start, chunks[first + chunks_shown - 1].end};
}

std::vector<span> visible(const lane& l, const window& w, double gap) {
  std::vector<span> shown;
  for (span s : l.spans) {
    if (s.end <= w.start || s.start >= w.end) continue;
    s.start = std::max(s.start, w.start);
    s.end = std::min(s.end, w.end);
    if (gap > 0 && !shown.empty() && shown.back().what == s.what && s.start - shown.back().end <= gap) {
      shown.back().end = s.end;
      shown.back().bytes += s.bytes;
      if (shown.back().chunk != s.chunk) shown.back().chunk = -1;
    } else {
      shown.push_back(s);
    }
  }
  return shown;
}

}  // namespace multifold::overlap
