// Fuzz target: .npy, .npz and safetensors files of any bytes are read to their ends, or refused by an error of ours.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "multifold/array.hpp"
#include "multifold/error.hpp"
#include "multifold/source.hpp"

namespace {

using namespace multifold;

// Compressed members of .npz become at most so many times as many bytes.
constexpr std::size_t most_growth = 1032;

// Every element, in chunks that end anywhere; there are no more of them than the file has bytes for.
void read_all(source& in, std::size_t bytes) {
  const std::int64_t item = item_bytes(in.layout().type), count = element_count(in.layout().extents);
  if (count < 0 || count > static_cast<std::int64_t>((bytes + 64) * most_growth)) std::abort();
  std::vector<std::byte> chunk(static_cast<std::size_t>(37 * item));
  for (std::int64_t at = 0; at < count;) {
    const std::int64_t got = in.read(at, chunk);
    if (got <= 0 || got > 37) std::abort();
    at += got;
  }
  if (in.read(count, chunk) != 0) std::abort();
}

void open_all(const std::string& path, std::size_t bytes) {
  const auto attempt = [bytes](const std::string& array) {
    try {
      read_all(*open_source(array, std::nullopt), bytes);
    } catch (const error&) {
      // refused
    }
  };
  attempt(path);
  try {
    int most = 20;
    for (const std::string& array : arrays_in(path)) {
      if (most-- > 0) attempt(array);
    }
  } catch (const error&) {
    // refused
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const int file = ::memfd_create("fuzz", MFD_CLOEXEC);
  if (file < 0 || ::write(file, data, size) != static_cast<ssize_t>(size)) std::abort();
  open_all("/proc/self/fd/" + std::to_string(file), size);
  ::close(file);
  return 0;
}
