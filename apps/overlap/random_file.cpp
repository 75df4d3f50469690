// Numbers by splitmix64 (Steele, Lea and Flood, OOPSLA 2014): quick, and the same every time.
#include "random_file.hpp"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <vector>

namespace multifold::overlap {
namespace {

constexpr std::int64_t piece_bytes = 4 << 20;

float next_number(std::uint64_t& state) {
  std::uint64_t z = state += 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return static_cast<float>(static_cast<std::int32_t>((z ^ z >> 31) >> 32)) * 0x1p-31f;
}

}  // namespace

random_file::random_file(std::int64_t bytes)
    : path_(std::filesystem::temp_directory_path() / ("multifold-overlap-" + std::to_string(::getpid()) + ".f32")) {
  std::ofstream out(path_, std::ios::binary);
  std::uint64_t state = 20240229;
  std::vector<float> numbers;
  for (std::int64_t done = 0; done < bytes && out; done += piece_bytes) {
    numbers.resize(
        static_cast<std::size_t>(std::min(piece_bytes, bytes - done) / static_cast<std::int64_t>(sizeof(float))));
    for (float& number : numbers) number = next_number(state);
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
