// A climb in words, as a page and as JSON.
#include "reports.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "cpu_climb.hpp"
#include "sources.hpp"

namespace multifold::ladder {
namespace {

climb example() {
  climb c;
  c.title = "A ladder";
  c.machine = "a machine <of mine>";
  c.what = {dtype::f32, op_kind::sum, 1 << 20};
  c.exact = "17.5";
  c.roof = 10e9;
  c.roof_name = "a plain read";
  step s;
  s.number = 0, s.name = "one & only", s.file = "cpu/03_kahan.hpp", s.gain = "it runs", s.defect = "it walks";
  s.count = 1 << 20, s.bytes = 4 << 20, s.took = {1e-3, 0.9e-3, 2e-3}, s.value = "17.5", s.ulps = 0.25, s.right = true;
  c.steps.push_back(s);
  s.number = 3, s.name = "twice as fast", s.took = {0.5e-3, 0.5e-3, 0.5e-3}, s.right = false, s.ulps = 9;
  c.steps.push_back(s);
  s.number = 4, s.name = "not here", s.why_not = "it needs more";
  c.steps.push_back(s);
  c.orders = {{"atomics", 100, 17, 0.5, 3, {1e-3, 1e-3, 1e-3}}};
  c.orders_about = "The same numbers";
  return c;
}

bool has(const std::string& text, std::string_view wanted) { return text.find(wanted) != std::string::npos; }

TEST(ladder_text, has_a_line_for_each_rung) {
  const std::string text = text_report(example());
  EXPECT_TRUE(has(text, "A ladder: the sum of 1048576 f32 (4 MiB), a machine <of mine>\n")) << text;
  EXPECT_TRUE(has(text, "4.19 GB/s     42 %                1 ms")) << text;
  EXPECT_TRUE(has(text, "2.00x"));
  EXPECT_TRUE(has(text, "NOT RIGHT\n"));
  EXPECT_TRUE(has(text, " 4 not here       it needs more\n")) << text;
  EXPECT_TRUE(has(text, "The same numbers\n"));
}

TEST(ladder_text, says_what_the_model_says) {
  const std::string text = model_text({dtype::f32, op_kind::sum, 1 << 20});
  EXPECT_TRUE(has(text, "has 20 steps and 1048575 additions")) << text;
  EXPECT_TRUE(has(model_text({dtype::f32, op_kind::sum, 1}), "0 additions"));
}

TEST(ladder_page, needs_nothing_else_and_escapes_what_it_shows) {
  const std::string page = html_report(example());
  EXPECT_TRUE(has(page, "one &amp; only")) << page;
  EXPECT_TRUE(has(page, "a machine &lt;of mine&gt;"));
  EXPECT_TRUE(has(page, "Kahan's compensated sum"));
  EXPECT_TRUE(has(page, "too_much = (t - total) - y;\n"));
  EXPECT_FALSE(has(page, "#include"));
  EXPECT_TRUE(has(page, "Not run: it needs more."));
  EXPECT_TRUE(has(page, "not right"));
  for (const char* const outside : {"http://", "https://", "src=", "href="})
    EXPECT_FALSE(has(page, outside)) << outside;
  for (const std::string tag : {"div", "section", "svg", "pre", "dl", "dd", "p", "table", "tr", "span"}) {
    const auto count = [&](const std::string& what) {
      std::size_t found = 0;
      for (std::size_t at = page.find(what); at != std::string::npos; at = page.find(what, at + 1)) ++found;
      return found;
    };
    EXPECT_EQ(count("<" + tag + ">") + count("<" + tag + " "), count("</" + tag + ">")) << tag;
  }
}

TEST(ladder_json, says_which_rungs_are_right) {
  const std::string text = json_report(example());
  EXPECT_TRUE(has(text, "\"schema\":\"multifold.ladder/1\"")) << text;
  EXPECT_TRUE(has(text, "\"right\":true"));
  EXPECT_TRUE(has(text, "\"right\":false"));
  EXPECT_TRUE(has(text, "\"not_run\":\"it needs more\""));
  EXPECT_TRUE(has(text, "\"share_of_roof\":0.4194304"));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1);
}

TEST(ladder_sources, every_rung_of_the_cpu_has_one) {
  for (const step& s : climb_cpu({dtype::f32, op_kind::sum, 10}, {1, 1}).steps) {
    EXPECT_FALSE(source_of(s.file).empty()) << s.file;
    EXPECT_TRUE(has(std::string(source_of(s.file)), "// Rung " + std::to_string(s.number) + ":")) << s.file;
  }
  EXPECT_TRUE(source_of("cpu/common.hpp").empty());
}

}  // namespace
}  // namespace multifold::ladder
