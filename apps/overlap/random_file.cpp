// Written in pieces, and removed whatever happens.
#include "random_file.hpp"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <vector>

#include "random_numbers.hpp"

namespace multifold::overlap {
namespace {

constexpr std::int64_t piece_bytes = 4 << 20;

}  // namespace

random_file::random_file(std::int64_t bytes)
    : path_(std::filesystem::temp_directory_path() / ("multifold-overlap-" + std::to_string(::getpid()) + ".f32")) {
  std::ofstream out(path_, std::ios::binary);
  std::vector<float> numbers;
  for (std::int64_t done = 0; done < bytes && out; done += piece_bytes) {
    numbers.resize(
        static_cast<std::size_t>(std::min(piece_bytes, bytes - done) / static_cast<std::int64_t>(sizeof(float))));
    fill_random(numbers, done / static_cast<std::int64_t>(sizeof(float)));
    out.write(reinterpret_cast<const char*>(numbers.data()),
              static_cast<std::streamsize>(numbers.size() * sizeof(float)));
  }
  out.close();
  if (out) return;
  std::error_code ignored;
  std::filesystem::remove(path_, ignored);
  throw std::runtime_error(path_ + ": " + std::to_string(bytes) +
                           " bytes could not be written; give a FILE, or less --bytes");
}

random_file::~random_file() {
  std::error_code ignored;
  std::filesystem::remove(path_, ignored);
}

}  // namespace multifold::overlap
