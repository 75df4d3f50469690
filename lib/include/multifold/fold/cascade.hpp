// The tree above the leaves: two perfect subtrees of one height meet as soon as both are there, as in pairwise sums.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "multifold/fold/leaf.hpp"

namespace multifold::inline v0_1::detail {

/// right = left, right; accumulator by accumulator.
template <fold_op Op>
void meet(const Op& op, fold_group<Op>& left, fold_group<Op>& right) {
  for (std::size_t i = 0; i < right.size(); ++i) {
    right[i].value = op.combine(std::move(left[i].value), std::move(right[i].value));
  }
}

/// Groups that come in order. The tree depends on their number alone, and is the same if runs of 2^k of them, counted
/// from the first, are brought together before: so the work may be cut at any such place.
template <fold_op Op>
class cascade {
 public:
  /// Takes what `next` holds, and leaves it to be filled again.
  void push(const Op& op, fold_group<Op>& next) {
    std::size_t level = 0;
    for (; (count_ >> level & 1) != 0; ++level) meet(op, levels_[level], next);
    if (level == levels_.size()) levels_.emplace_back();
    std::swap(levels_[level], next);
    ++count_;
  }

  /// All of them as one, which has to be at least one; nothing is left.
  void take(const Op& op, fold_group<Op>& into) {
    bool begun = false;
    for (std::size_t level = 0; level < levels_.size(); ++level) {
      if ((count_ >> level & 1) == 0) continue;
      if (begun) meet(op, levels_[level], into);
      else std::swap(levels_[level], into);
      begun = true;
    }
    count_ = 0;
  }

 private:
  std::vector<fold_group<Op>> levels_;
  std::uint64_t count_ = 0;
};

}  // namespace multifold::inline v0_1::detail
