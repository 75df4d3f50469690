// A file to reduce, where nobody has brought any.
#pragma once

#include <cstdint>
#include <string>

namespace multifold::overlap {

/// A file of random f32 between -1 and 1 in the system's folder for temporary files, as long as one of these lives.
class random_file {
 public:
  /// Throws std::runtime_error where it cannot be written.
  explicit random_file(std::int64_t bytes);
  random_file(const random_file&) = delete;
  random_file& operator=(const random_file&) = delete;
  ~random_file();

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace multifold::overlap
