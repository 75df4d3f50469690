// The tables of other names.
#include "common/words/words.hpp"

#include <algorithm>

#include "common/messages/suggestion.hpp"

namespace multifold::app {

std::vector<choice> choices_of(const std::vector<std::string>& words) {
  std::vector<choice> choices;
  for (const std::string& word : words) choices.push_back({word, {}});
  return choices;
}

std::vector<choice> engine_choices(bool with_both) {
  std::vector<choice> choices{{"auto", {}}, {"host", {"cpu"}}, {"device", {"gpu", "cuda"}}};
  if (with_both) choices.push_back({"both", {}});
  return choices;
}

std::vector<std::string> aliases_of(op_kind op) {
  switch (op) {
    case op_kind::sum: return {};
    case op_kind::prod: return {"product"};
    case op_kind::min: return {"amin", "minimum"};
    case op_kind::max: return {"amax", "maximum"};
    case op_kind::argmin: return {"idxmin"};
    case op_kind::argmax: return {"idxmax"};
    case op_kind::mean: return {"average", "avg"};
    case op_kind::norm1: return {"asum"};
    case op_kind::sumsq: return {};
    case op_kind::norm2: return {"norm", "nrm2"};
    case op_kind::var: return {"variance"};
    case op_kind::std: return {"stddev", "stdev"};
    case op_kind::dot: return {};
    case op_kind::cov: return {"covariance"};
    case op_kind::describe: return {};
    case op_kind::any: return {};
    case op_kind::all: return {};
    case op_kind::count_nonzero: return {"nnz"};
  }
  return {};
}

std::vector<choice> op_choices(std::span<const op_kind> ops) {
  std::vector<choice> choices;
  for (const op_kind op : ops) choices.push_back({std::string(name(op)), aliases_of(op)});
  return choices;
}

std::string choose(std::string& text, const std::vector<choice>& choices) {
  std::vector<std::string> words, all;
  for (const choice& each : choices) {
    if (text == each.word) return "";
    if (std::find(each.aliases.begin(), each.aliases.end(), text) != each.aliases.end()) {
      text = each.word;
      return "";
    }
    words.push_back(each.word);
    all.push_back(each.word);
    all.insert(all.end(), each.aliases.begin(), each.aliases.end());
  }
  return "found " + quoted(text, all) + "; expected " + listed(words);
}

}  // namespace multifold::app
