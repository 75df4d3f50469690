// The distance of Damerau and Levenshtein (optimal string alignment), and what counts as close.
#include "common/messages/suggestion.hpp"

#include <algorithm>
#include <cstddef>

namespace multifold::app {
namespace {

constexpr std::size_t most_suggestions = 3, longest_word = 64;

// Of the longer word's letters one in four may be wrong, and one of three: what "median" is to "mean" is no slip.
std::size_t most_distance(std::size_t letters) { return std::max<std::size_t>(1, (letters + 1) / 4); }

char folded(char letter) {
  if (letter >= 'A' && letter <= 'Z') return static_cast<char>(letter - 'A' + 'a');
  return letter == '_' ? '-' : letter;
}

std::string folded(std::string_view word) {
  std::string out(word);
  std::transform(out.begin(), out.end(), out.begin(), [](char letter) { return folded(letter); });
  return out;
}

std::size_t distance(const std::string& a, const std::string& b) {
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) d[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t wrong = a[i - 1] == b[j - 1] ? 0 : 1;
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + wrong});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  }
  return d[a.size()][b.size()];
}

}  // namespace

std::vector<std::string> similar_words(std::string_view word, const std::vector<std::string>& known) {
  if (word.size() < 2 || word.size() > longest_word) return {};
  const std::string typed = folded(word);
  std::vector<std::string> nearest;
  std::size_t least = longest_word;
  for (const std::string& candidate : known) {
    const std::size_t letters = std::max(word.size(), candidate.size());
    const std::size_t there = distance(typed, folded(candidate));
    if (there > most_distance(letters) || there >= std::min(word.size(), candidate.size()) || there > least) continue;
    if (there < least) nearest.clear();
    least = there;
    if (std::find(nearest.begin(), nearest.end(), candidate) == nearest.end()) nearest.push_back(candidate);
  }
  if (nearest.size() > most_suggestions) nearest.clear();
  return nearest;
}

std::string listed(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    text += (i == 0 ? "" : i + 1 == words.size() ? " or " : ", ") + words[i];
  }
  return text;
}

std::string quoted(std::string_view word, const std::vector<std::string>& known) {
  const std::string text = "'" + std::string(word) + "'";
  const std::vector<std::string> meant = similar_words(word, known);
  return meant.empty() ? text : text + " (did you mean " + listed(meant) + "?)";
}

}  // namespace multifold::app
