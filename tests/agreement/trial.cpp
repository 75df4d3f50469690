// Trials to text and back, and what their members mean to the library.
#include "agreement/trial.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <stdexcept>

namespace multifold::agreement {
namespace {

constexpr std::array<std::string_view, 7> origin_names{"host", "pinned", "device", "raw", "npy", "callback", "pipe"};
constexpr std::array<std::string_view, 6> entry_names{"reduce", "interpret", "async", "counted", "graph", "fold"};
constexpr std::array<std::string_view, 10> family_names{"ordinary",  "wide",     "wild", "cancelling", "zeros",
                                                        "subnormal", "extremes", "ties", "constant",   "factors"};
constexpr std::array<std::string_view, 2> nan_names{"propagate", "omit"};

[[noreturn]] void refuse(const std::string& key, const std::string& text) {
  throw std::invalid_argument("the case has " + key + "=" + text + ", which means nothing");
}

template <class Enum, std::size_t N>
Enum parse_name(const std::array<std::string_view, N>& names, const std::string& key, const std::string& text) {
  const auto found = std::find(names.begin(), names.end(), text);
  if (found == names.end()) refuse(key, text);
  return static_cast<Enum>(found - names.begin());
}

template <class Enum, class Name>
Enum parse_enum(int count, const Name& name_of, const std::string& key, const std::string& text) {
  for (int i = 0; i < count; ++i) {
    if (name_of(static_cast<Enum>(i)) == text) return static_cast<Enum>(i);
  }
  refuse(key, text);
}

template <class Integer>
Integer parse_integer(const std::string& key, const std::string& text) {
  Integer x{};
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), x);
  if (problem != std::errc{} || end != text.data() + text.size()) refuse(key, text);
  return x;
}

std::vector<std::string> split(const std::string& text, char by) {
  std::vector<std::string> words;
  std::istringstream in(text);
  for (std::string word; std::getline(in, word, by);) words.push_back(word);
  return words;
}

std::vector<std::int64_t> parse_list(const std::string& key, const std::string& text) {
  std::vector<std::int64_t> list;
  for (const std::string& word : split(text, ',')) list.push_back(parse_integer<std::int64_t>(key, word));
  return list;
}

std::string list_text(const std::vector<std::int64_t>& list) {
  std::string text;
  for (std::size_t i = 0; i < list.size(); ++i) text += (i == 0 ? "" : ",") + std::to_string(list[i]);
  return text;
}

// Hexadecimal, so that it reads back as the same number.
std::string real_text(double x) {
  char text[64];
  std::snprintf(text, sizeof text, "%a", x);
  return text;
}

std::string data_text(const numbers& n) {
  std::string text(family_names[static_cast<std::size_t>(n.kind)]);
  if (n.nan_in != 0) text += "+nan/" + std::to_string(n.nan_in);
  if (n.infinite_in != 0) text += "+inf/" + std::to_string(n.infinite_in);
  if (n.sign > 0) text += "+positive";
  if (n.sign < 0) text += "+negative";
  return text + ":" + std::to_string(n.seed);
}

numbers parse_data(const std::string& text) {
  numbers n;
  const std::vector<std::string> parts = split(text, ':');
  if (parts.size() != 2) refuse("data", text);
  n.seed = parse_integer<std::uint64_t>("data", parts[1]);
  const std::vector<std::string> words = split(parts[0], '+');
  if (words.empty()) refuse("data", text);
  n.kind = parse_name<family>(family_names, "data", words[0]);
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (words[i].starts_with("nan/")) n.nan_in = parse_integer<int>("data", words[i].substr(4));
    else if (words[i].starts_with("inf/")) n.infinite_in = parse_integer<int>("data", words[i].substr(4));
    else if (words[i] == "positive") n.sign = 1;
    else if (words[i] == "negative") n.sign = -1;
    else refuse("data", text);
  }
  return n;
}

std::string cuts_text(const cuts& c) {
  const std::string kind = std::string(c.ranges ? "ranges" : "offsets") + (c.narrow ? "32" : "");
  return kind + ":" + std::to_string(c.count) + ":" + std::to_string(c.seed);
}

cuts parse_cuts(const std::string& text) {
  constexpr std::array<std::string_view, 4> kinds{"offsets", "offsets32", "ranges", "ranges32"};
  const std::vector<std::string> parts = split(text, ':');
  if (parts.size() != 3) refuse("segments", text);
  const int kind = parse_name<int>(kinds, "segments", parts[0]);
  return {kind >= 2, kind % 2 == 1, parse_integer<std::int64_t>("segments", parts[1]),
          parse_integer<std::uint64_t>("segments", parts[2])};
}

std::string marks_text(const marks& m) {
  return std::to_string(m.percent) + ":" + std::to_string(m.repeats) + ":" + std::to_string(m.seed);
}

marks parse_marks(const std::string& text) {
  const std::vector<std::string> parts = split(text, ':');
  if (parts.size() != 3) refuse("marks", text);
  return {parse_integer<int>("marks", parts[0]), parse_integer<std::uint64_t>("marks", parts[1]),
          parse_integer<std::uint64_t>("marks", parts[2])};
}

// Names with spaces would not come back as one word.
std::string word_of(std::string_view name) {
  std::string word(name);
  std::replace(word.begin(), word.end(), ' ', '_');
  return word;
}

void set(trial& t, const std::string& key, const std::string& text) {
  if (key == "op" || key == "beside") {
    const auto op = parse_op(text);
    if (!op) refuse(key, text);
    if (key == "op") t.op = *op;
    else t.beside = *op;
  } else if (key == "dtype" || key == "result") {
    const auto type = parse_dtype(text);
    if (!type) refuse(key, text);
    if (key == "dtype") t.type = *type;
    else t.result = *type;
  } else if (key == "extents") t.extents = parse_list(key, text);
  else if (key == "strides") t.strides = parse_list(key, text);
  else if (key == "shift") t.shift = parse_integer<std::int64_t>(key, text);
  else if (key == "at") t.at_end = text == "end" ? true : (refuse(key, text), false);
  else if (key == "axes") t.axes = parse_list(key, text);
  else if (key == "keepdims") t.keepdims = parse_integer<int>(key, text) != 0;
  else if (key == "segments") t.cut = parse_cuts(text);
  else if (key == "marks") t.marked = parse_marks(text);
  else if (key == "nan") t.nan = parse_name<nan_policy>(nan_names, key, text);
  else if (key == "correction") t.correction = std::strtod(text.c_str(), nullptr);
  else if (key == "initial") t.initial = std::strtod(text.c_str(), nullptr);
  else if (key == "accuracy")
    t.wanted = parse_enum<accuracy>(
        2, [](accuracy a) { return name(a); }, key, text);
  else if (key == "passes") t.forced.passes = parse_integer<int>(key, text);
  else if (key == "parts") t.forced.parts = parse_integer<std::int64_t>(key, text);
  else if (key == "finish")
    t.forced.how = parse_enum<finish>(
        3, [](finish f) { return word_of(name(f)); }, key, text);
  else if (key == "block") t.forced.threads = parse_integer<int>(key, text);
  else if (key == "form")
    t.forced.form = parse_enum<block_form>(
        2, [](block_form f) { return word_of(name(f)); }, key, text);
  else if (key == "entry") t.way = parse_name<entry>(entry_names, key, text);
  else if (key == "place") t.where = parse_name<origin>(origin_names, key, text);
  else if (key == "pieces") t.pieces = parse_integer<int>(key, text);
  else if (key == "swapped") t.swapped = parse_integer<int>(key, text) != 0;
  else if (key == "endless") t.endless = parse_integer<int>(key, text) != 0;
  else if (key == "engine")
    t.engine = parse_enum<engine_choice>(
        4, [](engine_choice e) { return name(e); }, key, text);
  else if (key == "transfer")
    t.sent = parse_enum<transfer>(
        4, [](transfer way) { return name(way); }, key, text);
  else if (key == "threads") t.threads = parse_integer<int>(key, text);
  else if (key == "memory") t.memory_bytes = parse_integer<std::int64_t>(key, text);
  else if (key == "into") t.into = parse_integer<int>(key, text) != 0;
  else if (key == "state") t.state = parse_integer<int>(key, text) != 0;
  else if (key == "count") t.count = parse_integer<std::int64_t>(key, text);
  else if (key == "data") t.data = parse_data(text);
  else throw std::invalid_argument("the case has '" + key + "', which is no member of one");
}

bool has_strides(const trial& t, const std::vector<std::int64_t>& strides) {
  if (std::find(t.extents.begin(), t.extents.end(), 0) != t.extents.end()) return true;
  for (std::size_t i = 0; i < t.extents.size(); ++i) {
    if (t.extents[i] != 1 && t.strides[i] != strides[i]) return false;
  }
  return true;
}

}  // namespace

std::string line_of(const trial& t) {
  const trial usual;
  std::string line = "op=" + std::string(name(t.op)) + " dtype=" + std::string(name(t.type));
  const auto add = [&](const char* key, const std::string& text) { line += std::string(" ") + key + "=" + text; };
  add("extents", list_text(t.extents));
  add("strides", list_text(t.strides));
  if (t.axes) add("axes", list_text(*t.axes));
  if (t.cut) add("segments", cuts_text(*t.cut));
  if (t.marked) add("marks", marks_text(*t.marked));
  if (t.beside) add("beside", std::string(name(*t.beside)));
  if (t.shift != 0) add("shift", std::to_string(t.shift));
  if (t.at_end) add("at", "end");
  if (t.keepdims) add("keepdims", "1");
  if (t.nan != usual.nan) add("nan", std::string(nan_names[static_cast<std::size_t>(t.nan)]));
  if (t.correction != 0) add("correction", real_text(t.correction));
  if (t.initial) add("initial", real_text(*t.initial));
  if (t.result) add("result", std::string(name(*t.result)));
  if (t.wanted) add("accuracy", std::string(name(*t.wanted)));
  if (t.forced.passes) add("passes", std::to_string(*t.forced.passes));
  if (t.forced.parts) add("parts", std::to_string(*t.forced.parts));
  if (t.forced.how) add("finish", word_of(name(*t.forced.how)));
  if (t.forced.threads) add("block", std::to_string(*t.forced.threads));
  if (t.forced.form) add("form", word_of(name(*t.forced.form)));
  if (t.way != usual.way) add("entry", std::string(entry_names[static_cast<std::size_t>(t.way)]));
  if (t.where != usual.where) add("place", std::string(origin_names[static_cast<std::size_t>(t.where)]));
  if (t.pieces != 1) add("pieces", std::to_string(t.pieces));
  if (t.swapped) add("swapped", "1");
  if (t.endless) add("endless", "1");
  if (t.engine != usual.engine) add("engine", std::string(name(t.engine)));
  if (t.sent != usual.sent) add("transfer", std::string(name(t.sent)));
  if (t.threads != 1) add("threads", std::to_string(t.threads));
  if (t.memory_bytes != 0) add("memory", std::to_string(t.memory_bytes));
  if (t.into) add("into", "1");
  if (t.state) add("state", "1");
  if (t.count) add("count", std::to_string(*t.count));
  add("data", data_text(t.data));
  return line;
}

trial parse_trial(const std::string& line) {
  trial t;
  for (const std::string& word : split(line, ' ')) {
    if (word.empty()) continue;
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos) throw std::invalid_argument("the case has '" + word + "'; expected KEY=VALUE");
    set(t, word.substr(0, equals), word.substr(equals + 1));
  }
  if (t.strides.empty()) t.strides = c_strides(t.extents);
  if (t.strides.size() != t.extents.size()) throw std::invalid_argument("the case has not one stride an axis");
  return t;
}

std::int64_t elements_of(const trial& t) {
  std::int64_t count = 1;
  for (const std::int64_t extent : t.extents) count *= extent;
  return count;
}

extent_in_memory reach_of(const trial& t) {
  if (elements_of(t) == 0) return {};
  std::int64_t below = 0, above = 0;
  for (std::size_t i = 0; i < t.extents.size(); ++i) {
    const std::int64_t reach = (t.extents[i] - 1) * t.strides[i];
    (reach < 0 ? below : above) += reach;
  }
  return {above - below + 1, -below};
}

bool is_source(origin where) { return where >= origin::raw; }

bool in_c_order(const trial& t) { return has_strides(t, c_strides(t.extents)); }
bool in_fortran_order(const trial& t) { return has_strides(t, fortran_strides(t.extents)); }

initial_value initial_of(const trial& t) {
  initial_value v;
  if (!t.initial) return v;
  v.given = true;
  v.real_value = *t.initial;
  if (!is_floating(t.type) && std::nearbyint(*t.initial) == *t.initial) {
    v.integer = true;
    v.integer_value = static_cast<int128_t>(*t.initial);
  }
  return v;
}

reduce_options options_of(const trial& t) {
  reduce_options o;
  if (t.axes) o.axes = *t.axes;
  o.keepdims = t.keepdims;
  o.result = t.result;
  o.nan = t.nan;
  o.initial = initial_of(t);
  o.correction = t.correction;
  o.wanted = t.wanted;
  o.engine = t.engine;
  o.threads = t.threads;
  o.memory_bytes = t.memory_bytes;
  o.way = t.sent;
  o.forced = t.forced;
  o.keep_state = t.state;
  return o;
}

}  // namespace multifold::agreement
