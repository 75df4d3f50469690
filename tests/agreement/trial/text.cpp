// Trials to text and back: every member by its name, and left out where it is as in trial{}.
#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include "agreement/trial/trial.hpp"

namespace multifold::agreement {
namespace {

template <class Trial, class Visit>
void each_member(Trial& t, const Visit& visit) {
  visit("op", t.op);
  visit("dtype", t.type);
  visit("extents", t.extents);
  visit("strides", t.strides);
  visit("axes", t.axes);
  visit("other", t.other);
  visit("segments", t.cut);
  visit("keys", t.keyed);
  visit("marks", t.marked);
  visit("beside", t.beside);
  visit("shift", t.shift);
  visit("end", t.at_end);
  visit("keepdims", t.keepdims);
  visit("nan", t.nan);
  visit("correction", t.correction);
  visit("initial", t.initial);
  visit("result", t.result);
  visit("accuracy", t.wanted);
  visit("passes", t.forced.passes);
  visit("parts", t.forced.parts);
  visit("finish", t.forced.how);
  visit("block", t.forced.threads);
  visit("form", t.forced.form);
  visit("entry", t.way);
  visit("place", t.where);
  visit("pieces", t.pieces);
  visit("swapped", t.swapped);
  visit("endless", t.endless);
  visit("engine", t.engine);
  visit("transfer", t.sent);
  visit("threads", t.threads);
  visit("memory", t.memory_bytes);
  visit("into", t.into);
  visit("state", t.state);
  visit("count", t.count);
  visit("data", t.data);
}

// Names of what has none in the library, in the order of the enumeration.
constexpr auto names_of(origin) {
  return std::array<std::string_view, 7>{"host", "pinned", "device", "raw", "npy", "callback", "pipe"};
}
constexpr auto names_of(entry) {
  return std::array<std::string_view, 12>{"reduce", "interpret", "async", "counted", "graph",   "fold",
                                          "range",  "weighted",  "merge", "parts",   "complex", "logsumexp"};
}
constexpr auto names_of(family) {
  return std::array<std::string_view, 10>{"ordinary",  "wide",     "wild", "cancelling", "zeros",
                                          "subnormal", "extremes", "ties", "constant",   "factors"};
}
constexpr auto names_of(nan_policy) { return std::array<std::string_view, 2>{"propagate", "omit"}; }
constexpr auto names_of(groups::order) { return std::array<std::string_view, 3>{"ascending", "runs", "mixed"}; }
constexpr auto names_of(marks::layout) {
  return std::array<std::string_view, 4>{"dense", "reversed", "gaps", "transposed"};
}
constexpr int count_of(accuracy) { return 2; }
constexpr int count_of(finish) { return 3; }
constexpr int count_of(block_form) { return 2; }
constexpr int count_of(engine_choice) { return 4; }
constexpr int count_of(transfer) { return 4; }

template <class Enum>
constexpr int members_of(Enum e) {
  if constexpr (requires { names_of(e); }) return static_cast<int>(names_of(e).size());
  else return count_of(e);
}

// Without spaces, so that it comes back as one word.
template <class Enum>
std::string text_of(Enum e) requires(std::is_enum_v<Enum>) {
  std::string word;
  if constexpr (requires { names_of(e); }) word = names_of(e)[static_cast<std::size_t>(e)];
  else word = name(e);
  std::replace(word.begin(), word.end(), ' ', '_');
  return word;
}

std::string text_of(bool x) { return x ? "1" : "0"; }
std::string text_of(std::integral auto x) { return std::to_string(x); }
// Hexadecimal, so that it reads back as the same number.
std::string text_of(double x) {
  char text[64];
  std::snprintf(text, sizeof text, "%a", x);
  return text;
}
std::string text_of(const cuts& c) {
  const std::string kind = std::string(c.ranges ? "ranges" : "offsets") + (c.narrow ? "32" : "");
  return kind + ":" + text_of(c.count) + ":" + text_of(c.seed);
}
std::string text_of(const groups& g) {
  return text_of(g.kind) + (g.narrow ? "32" : "") + ":" + text_of(g.count) + ":" + text_of(g.seed);
}
std::string text_of(const marks& m) {
  return text_of(m.percent) + ":" + text_of(m.repeats) + ":" + text_of(m.lie) + ":" + text_of(m.seed);
}
std::string text_of(const numbers& n) {
  std::string text = text_of(n.kind);
  if (n.nan_in != 0) text += "+nan/" + text_of(n.nan_in);
  if (n.infinite_in != 0) text += "+inf/" + text_of(n.infinite_in);
  if (n.sign > 0) text += "+positive";
  if (n.sign < 0) text += "+negative";
  return text + ":" + text_of(n.seed);
}
template <class T>
std::string text_of(const std::vector<T>& list) {
  std::string text;
  for (std::size_t i = 0; i < list.size(); ++i) text += (i == 0 ? "" : ",") + text_of(list[i]);
  return text;
}
template <class T>
std::string text_of(const std::optional<T>& x) {
  return x ? text_of(*x) : "none";
}

std::vector<std::string> split(const std::string& text, char by) {
  std::vector<std::string> words;
  std::istringstream in(text);
  for (std::string word; std::getline(in, word, by);) words.push_back(word);
  return words;
}

// Reads the text of one member.
struct reader {
  std::string key, text;

  [[noreturn]] void refuse() const {
    throw std::invalid_argument("the case has " + key + "=" + text + ", which means nothing");
  }
  std::vector<std::string> fields(std::size_t count, char by = ':') const {
    std::vector<std::string> all = split(text, by);
    if (all.size() != count) refuse();
    return all;
  }
  template <class T>
  T part(const std::string& word) const {
    T x{};
    reader{key, word}.read(x);
    return x;
  }

  template <class Enum>
  void read(Enum& e) const requires(std::is_enum_v<Enum>) {
    for (int i = 0; i < members_of(Enum{}); ++i) {
      e = static_cast<Enum>(i);
      if (text_of(e) == text) return;
    }
    refuse();
  }
  void read(op_kind& op) const {
    const auto found = parse_op(text);
    if (!found) refuse();
    op = *found;
  }
  void read(dtype& type) const {
    const auto found = parse_dtype(text);
    if (!found) refuse();
    type = *found;
  }
  void read(bool& x) const { x = part<int>(text) != 0; }
  void read(std::integral auto& x) const {
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), x);
    if (problem != std::errc{} || end != text.data() + text.size()) refuse();
  }
  void read(double& x) const { x = std::strtod(text.c_str(), nullptr); }
  template <class T>
  void read(std::vector<T>& list) const {
    list.clear();
    for (const std::string& word : split(text, ',')) list.push_back(part<T>(word));
  }
  template <class T>
  void read(std::optional<T>& x) const {
    read(x.emplace());
  }
  // "offsets32" says that it is narrow.
  static bool takes_narrow(std::string& kind) {
    if (!kind.ends_with("32")) return false;
    kind.resize(kind.size() - 2);
    return true;
  }
  void read(cuts& c) const {
    std::vector<std::string> all = fields(3);
    c.narrow = takes_narrow(all[0]);
    c.ranges = all[0] == "ranges";
    if (!c.ranges && all[0] != "offsets") refuse();
    c.count = part<std::int64_t>(all[1]);
    c.seed = part<std::uint64_t>(all[2]);
  }
  void read(groups& g) const {
    std::vector<std::string> all = fields(3);
    g.narrow = takes_narrow(all[0]);
    g.kind = part<groups::order>(all[0]);
    g.count = part<std::int64_t>(all[1]);
    g.seed = part<std::uint64_t>(all[2]);
  }
  void read(marks& m) const {
    const std::vector<std::string> all = fields(4);
    m.percent = part<int>(all[0]);
    m.repeats = part<std::uint64_t>(all[1]);
    m.lie = part<marks::layout>(all[2]);
    m.seed = part<std::uint64_t>(all[3]);
  }
  void read(numbers& n) const {
    const std::vector<std::string> all = fields(2), words = split(all[0], '+');
    if (words.empty()) refuse();
    n.seed = part<std::uint64_t>(all[1]);
    n.kind = part<family>(words[0]);
    for (std::size_t i = 1; i < words.size(); ++i) {
      if (words[i].starts_with("nan/")) n.nan_in = part<int>(words[i].substr(4));
      else if (words[i].starts_with("inf/")) n.infinite_in = part<int>(words[i].substr(4));
      else if (words[i] == "positive") n.sign = 1;
      else if (words[i] == "negative") n.sign = -1;
      else refuse();
    }
  }
};

using member_texts = std::vector<std::pair<const char*, std::string>>;

member_texts texts_of(const trial& t) {
  member_texts all;
  each_member(t, [&](const char* key, const auto& member) { all.emplace_back(key, text_of(member)); });
  return all;
}

constexpr std::array<std::string_view, 5> always{"op", "dtype", "extents", "strides", "data"};

}  // namespace

std::string line_of(const trial& t) {
  static const member_texts usual = texts_of(trial());
  const member_texts all = texts_of(t);
  std::string line;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto& [key, text] = all[i];
    const bool given = std::find(always.begin(), always.end(), key) != always.end() || text != usual[i].second;
    if (given) line += (line.empty() ? "" : " ") + std::string(key) + "=" + text;
  }
  return line;
}

std::string class_of(const trial& t) {
  if (t.way != entry::reduce) return text_of(t.way);
  if (t.cut) return "segments";
  if (t.keyed) return "keys";
  if (t.marked) return "marks";
  if (!t.beside.empty()) return "several";
  if (t.state) return "state";
  if (t.other) return "strides of two";
  return is_source(t.where) ? "sources" : "arrays";
}

trial parse_trial(const std::string& line) {
  trial t;
  for (const std::string& word : split(line, ' ')) {
    if (word.empty()) continue;
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos) throw std::invalid_argument("the case has '" + word + "'; expected KEY=VALUE");
    const std::string key = word.substr(0, equals);
    bool known = false;
    each_member(t, [&](const char* name, auto& member) {
      if (key != name) return;
      reader{key, word.substr(equals + 1)}.read(member);
      known = true;
    });
    if (!known) throw std::invalid_argument("the case has '" + key + "', which is no member of one");
  }
  if (t.strides.empty()) t.strides = c_strides(t.extents);
  const bool fit = t.strides.size() == t.extents.size() && second_strides(t).size() == t.extents.size();
  if (!fit) throw std::invalid_argument("the case has not one stride an axis");
  return t;
}

}  // namespace multifold::agreement
