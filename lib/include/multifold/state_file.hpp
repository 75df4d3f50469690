// States in files, which are read whole, and written whole or not at all.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "multifold/export.hpp"

namespace multifold::inline v0_1 {

/// The bytes of `path` ("-": standard input), as far as the state in it reaches by its own word, and some more: what is
/// too long is refused where it is parsed.
/// Memory: as many bytes as are there, whatever the file says of its size.
/// Throws: io_error.
MULTIFOLD_EXPORT std::vector<std::byte> read_state(const std::string& path);

/// A new file that takes the place of `path` when everything else has succeeded, too.
///
/// Pipes and devices are written to directly.
class MULTIFOLD_EXPORT state_file {
 public:
  /// Writes `state` beside `path`. Throws io_error, and then nothing is left behind.
  state_file(const std::string& path, std::span<const std::byte> state);
  state_file(const state_file&) = delete;
  state_file& operator=(const state_file&) = delete;

  /// Leaves what was at `path`, unless `keep` returned.
  ~state_file();

  /// Puts the file in its place. Throws io_error.
  void keep();

 private:
  struct unfinished;
  std::unique_ptr<unfinished> file_;
};

}  // namespace multifold::inline v0_1
