// Which file a path leads to, so that no output takes the place of what is still to be read.
#pragma once

#include <string>
#include <vector>

namespace multifold::app {

/// A file that a command line names, and what names it there: "-o", "--save-state", "FILE".
struct named_file {
  std::string option;  // empty: nothing but the path
  std::string path;    // "-": standard input or output
};

/// Refuses, as usage, an output that is one of `inputs` or another output: by device and inode, so through links as
/// well, and by folder and name where nothing is there yet. Pipes and character devices are never the same.
/// Inputs may be "x.npz:NAME".
void check_outputs(const std::vector<named_file>& inputs, const std::vector<named_file>& outputs);

}  // namespace multifold::app
