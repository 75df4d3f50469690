// The elements of every result of a trial, in order: over its axes, segments or groups, and as far as they are marked.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "agreement/reference/odometer.hpp"
#include "agreement/reference/reference.hpp"
#include "agreement/trial/cuts.hpp"
#include "agreement/trial/marks.hpp"
#include "agreement/trial/trial.hpp"

namespace multifold::agreement {

class walk_over {
 public:
  explicit walk_over(const trial& t) : t_(t) {
    if (t.marked) marks_.emplace(t);
    const std::vector<bool> reduced = reduced_axes(t);
    const std::size_t cut = is_cut(t) ? cut_axis(t) : 0;
    for (std::size_t i = 0; i < t.extents.size(); ++i) {
      const wheel one{t.extents[i], {t.strides[i], second_strides(t)[i], marks_ ? marks_->strides()[i] : 0}};
      if (is_cut(t)) (i < cut ? before_ : i > cut ? behind_ : inside_).push_back(one);
      else (reduced[i] ? inside_ : before_).push_back(one);
    }
  }

  std::int64_t results() const {
    std::int64_t count = is_cut(t_) ? cut_count(t_) : 1;
    for (const auto* wheels : {&before_, &behind_}) {
      for (const wheel& each : *wheels) count *= each.extent;
    }
    return count;
  }

  /// For every result element(offsets, index) of each of its elements, and then end().
  template <class Element, class End>
  void each_result(const Element& element, const End& end) const {
    if (is_cut(t_)) return each_cut(element, end);
    turn(before_, {}, [&](const offsets& start) {
      std::int64_t index = 0;
      turn(inside_, start, [&](const offsets& at) { visit(at, index++, element); });
      end();
    });
  }

 private:
  template <class Element, class End>
  void each_cut(const Element& element, const End& end) const {
    const std::vector<std::vector<range>> lists = ranges_of(t_);
    const offsets& along = inside_.front().strides;
    turn(before_, {}, [&](const offsets& outer) {
      for (const std::vector<range>& list : lists) {
        turn(behind_, outer, [&](const offsets& start) {
          for (const range& s : list) {
            for (std::int64_t i = s.begin; i < s.end; ++i) visit(moved(start, along, i), i - s.origin, element);
          }
          end();
        });
      }
    });
  }

  template <class Element>
  void visit(const offsets& at, std::int64_t index, const Element& element) const {
    if (!marks_ || marks_->at(at[2])) element(at, index);
  }

  const trial& t_;
  std::optional<marks_of> marks_;
  std::vector<wheel> before_, inside_, behind_;  // kept axes, those that are reduced, kept axes behind a cut one
};

}  // namespace multifold::agreement
