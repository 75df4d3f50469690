// Which axes of an array are reduced.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <utility>
#include <vector>

#include "multifold/export.hpp"

namespace multifold::inline v0_1 {

/// All axes, none, or those that are numbered; negative numbers count from the end.
///
///   reduce(op_kind::sum, array, {.axes = {0}});
///   reduce(op_kind::sum, array, {.axes = {0, -1}});
///   reduce(op_kind::sum, array, {.axes = axes::none});  // every element is a result
class axes {
  struct number {
    std::int64_t value;
    number(std::int64_t axis) noexcept : value(axis) {}  // NOLINT: {0, 1} are numbers
    number() = delete;                                   // {{}} is neither all nor none, nor axis 0
  };
  enum class which : std::uint8_t { all, none };

 public:
  static constexpr which all = which::all;
  static constexpr which none = which::none;

  axes(which set = which::all) noexcept : all_(set == which::all) {}  // NOLINT: a set of axes
  axes(std::initializer_list<number> list) : all_(false) {
    for (const number axis : list) list_.push_back(axis.value);
  }
  axes(std::vector<std::int64_t> list) noexcept : list_(std::move(list)), all_(false) {}  // NOLINT: the same

  bool are_all() const noexcept { return all_; }
  /// Of axes that are not all: how many, and their numbers as they were given.
  std::size_t size() const noexcept { return list_.size(); }
  const std::vector<std::int64_t>& list() const noexcept { return list_; }

  /// The numbers of the axes of an array of `rank`.
  MULTIFOLD_EXPORT std::vector<std::int64_t> of(std::int64_t rank) const;

  bool operator==(const axes&) const = default;

 private:
  std::vector<std::int64_t> list_;
  bool all_;
};

}  // namespace multifold::inline v0_1
