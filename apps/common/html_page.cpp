// The frame of a page.
#include "common/html_page.hpp"

#include <fmt/format.h>

namespace multifold::app {
namespace {

constexpr std::string_view base_style = R"(
:root { color-scheme: light dark; --paper: #ffffff; --ink: #1c1e21; --faint: #62676d; --rule: #d9dce0; --wait: #eff1f3; }
@media (prefers-color-scheme: dark) { :root { --paper: #15171a; --ink: #e6e8ea; --faint: #9aa0a6; --rule: #363a3f;
  --wait: #24272b; } }
body { background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 1080px;
  padding: 1.5rem 1rem 3rem; }
h1 { font-size: 1.6rem; margin: 0 0 .3rem; } h2 { font-size: 1.35rem; margin: 3.2rem 0 .2rem; }
h3 { font-size: 1.1rem; margin: 2.2rem 0 .2rem; }
p { margin: .3rem 0 .8rem; max-width: 46rem; } .faint { color: var(--faint); }
.scroll { overflow-x: auto; } table { border-collapse: collapse; font-variant-numeric: tabular-nums; width: 100%; }
th, td { border-bottom: 1px solid var(--rule); padding: .35rem .6rem; text-align: right; white-space: nowrap; }
th { color: var(--faint); font-weight: 500; } th:first-child, td:first-child { text-align: left; padding-left: 0; }
svg { display: block; width: 100%; height: auto; font: 13px system-ui, sans-serif; }
svg text { fill: var(--ink); } svg .axis { fill: var(--faint); } svg line { stroke: var(--rule); }
.wait { fill: var(--wait); }
)";

}  // namespace

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '&') out += "&amp;";
    else if (c == '<') out += "&lt;";
    else if (c == '>') out += "&gt;";
    else if (c == '"') out += "&quot;";
    else out += c;
  }
  return out;
}

std::string html_page(std::string_view title, std::string_view style, std::string_view body) {
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>{0}</title>\n<style>{1}{2}</style></head>\n<body>\n<h1>{0}</h1>\n{3}</body></html>\n",
      escaped(title), base_style, style, body);
}

}  // namespace multifold::app
