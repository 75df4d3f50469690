// A file to reduce, where none was given.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>

namespace multifold::overlap {

/// A file of random f32 between -1 and 1 in the system's folder for temporary files. It has no name there, so that it
/// is gone with the process, however that ends.
class random_file {
 public:
  /// Throws io_error where it cannot be written, cancelled_error soon after `stop` was requested.
  random_file(std::int64_t bytes, const std::stop_token& stop);
  random_file(const random_file&) = delete;
  random_file& operator=(const random_file&) = delete;
  ~random_file();

  /// What this process opens it by.
  const std::string& path() const { return path_; }

 private:
  void fill(std::int64_t bytes, const std::stop_token& stop) const;

  int descriptor_ = -1;
  std::string path_;
};

}  // namespace multifold::overlap
