// The lists of segments that --offsets, or --begins and --ends, name, and the keys of --keys.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "arguments/arguments.hpp"
#include "multifold/segments.hpp"
#include "multifold/source.hpp"

namespace multifold::app {

/// Lists that were read as a whole. Failures name the file.
class segment_files {
 public:
  explicit segment_files(const segment_arguments& from);

  /// A result for each segment, or group, of a source or two.
  reduce_result reduce(op_kind op, const std::vector<std::unique_ptr<source>>& inputs,
                       const reduce_options& options) const;
  /// Those of the results, of a source of these extents.
  std::vector<std::int64_t> result_extents(std::vector<std::int64_t> extents, const reduce_options& options) const;
  /// The files, as messages name them.
  const std::string& label() const { return label_; }

 private:
  void check_axis(std::size_t rank, const reduce_options& options) const;

  std::string label_;
  std::vector<std::byte> first_, second_;
  segments list_;
  std::optional<std::int64_t> groups_;
  array_view keys_;  // where there are groups
};

/// Throws usage() for segment options that do not go together.
void check_segments(const segment_arguments& segments);

}  // namespace multifold::app
