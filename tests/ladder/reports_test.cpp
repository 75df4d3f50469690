// A climb in words, as a page and as JSON.
#include "reports/reports.hpp"

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
  s.brief = {5e-6, 4e-6, 6e-6};
  c.steps.push_back(s);
  s.number = 4, s.name = "not here", s.why_not = "it needs more";
  c.steps.push_back(s);
  s.why_not.clear();
  s.number = 5, s.name = "as fast", s.no_gain = "both wait for <memory>";
  c.steps.push_back(s);
  s.number = 6, s.name = "far away", s.against = "", s.took = {5e-3, 5e-3, 5e-3};
  c.steps.push_back(s);
  s.number = 7, s.name = "back", s.against = "one & only", s.took = {0.25e-3, 0.25e-3, 0.25e-3};
  c.steps.push_back(s);
  c.counted = {"a card", "2026-01-02", "a sum", {{"twice as fast", {31.5, 0.25, 0.5, 0.875, 1.5, 20.25}}}};
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

TEST(ladder_text, compares_with_the_rung_below_unless_it_says_with_whom) {
  const climb c = example();
  EXPECT_EQ(compared_with(c, 0), nullptr);
  EXPECT_EQ(compared_with(c, 1), &c.steps[0]);
  EXPECT_EQ(compared_with(c, 2), nullptr);      // it was not run
  EXPECT_EQ(compared_with(c, 3), &c.steps[1]);  // that one was not
  EXPECT_EQ(compared_with(c, 4), nullptr);      // another job
  EXPECT_EQ(compared_with(c, 5), &c.steps[0]);
  EXPECT_EQ(gain_of(c, 5), 4);
  EXPECT_EQ(gain_of(c, 4), 0);
}

TEST(ladder_text, says_why_a_rung_gains_nothing_and_what_was_counted) {
  const std::string text = text_report(example());
  EXPECT_TRUE(has(text, " 5 as fast        1.00x twice as fast: both wait for <memory>\n")) << text;
  EXPECT_FALSE(has(text, "one & only: both")) << text;  // four times as fast needs no reason
  EXPECT_TRUE(has(text, "The short array: the first 65536 elements")) << text;
  EXPECT_TRUE(has(text, "What a profiler counted (a card, 2026-01-02, a sum)")) << text;
  EXPECT_TRUE(has(text, " 3 twice as fast        31.5       25 %         50 %    88 %")) << text;
  climb plain = example();
  plain.counted = {};
  for (step& s : plain.steps) s.brief = {}, s.no_gain.clear();
  for (const char* const word : {"short", "profiler", "Hardly"}) EXPECT_FALSE(has(text_report(plain), word)) << word;
}

TEST(ladder_counters, are_of_the_lower_rungs_or_not_recorded) {
  const counters_record record = recorded_counters();
  EXPECT_TRUE(record.of.empty() || record.of.size() == 9) << record.of.size();  // rungs 1 to 8; there are two of rung 4
  EXPECT_EQ(record.of.empty(), record.device.empty());
  for (const auto& [name, of] : record.of) {
    EXPECT_TRUE(of.busy_lanes > 0 && of.busy_lanes <= 32) << name;
    for (const double share : {of.bank_conflicts, of.issue_slots, of.memory}) {
      EXPECT_TRUE(share >= 0 && share <= 1) << name << ' ' << share;
    }
  }
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
  EXPECT_TRUE(has(page, "both wait for &lt;memory&gt;"));
  EXPECT_TRUE(has(page, "31.5 of 32"));
  EXPECT_TRUE(has(page, "one &amp; only <tspan"));  // the picture for narrow screens
  EXPECT_TRUE(has(page, "<tspan class=\"axis\">not run</tspan>"));
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
  EXPECT_TRUE(has(text, "\"compared_with\":\"one & only\",\"times_as_fast\":2.0")) << text;
  EXPECT_TRUE(has(text, "\"why_no_gain\":\"both wait"));
  EXPECT_TRUE(has(text, "\"brief\":{\"elements\":65536,"));
  EXPECT_TRUE(has(text, "\"busy_lanes\":31.5"));
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
