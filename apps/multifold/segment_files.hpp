// The lists of segments that --offsets, or --begins and --ends, name.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "arguments.hpp"
#include "multifold/segments.hpp"

namespace multifold::app {

/// Lists that were read as a whole. Failures name the file.
class segment_files {
 public:
  explicit segment_files(const segment_arguments& from);

  const segments& list() const { return list_; }
  /// The files, as messages name them.
  const std::string& label() const { return label_; }

 private:
  std::string label_;
  std::vector<std::byte> first_, second_;
  segments list_;
};

/// Throws usage() for segment options that do not go together.
void check_segments(const segment_arguments& segments);

}  // namespace multifold::app
