// States in files, which are read and written whole.
#include "multifold/state_file.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "core/little_endian.hpp"
#include "io/files/input.hpp"
#include "io/files/output.hpp"

namespace multifold::inline v0_1 {
namespace {

// What is read at first: enough to see that something else was named, which its reader tells.
constexpr std::size_t first_bytes = 64 << 10;
constexpr std::size_t size_at = 16, size_bytes = 8;

// What the state of an array says of its size, or nothing.
std::uint64_t promised_bytes(std::span<const std::byte> in) {
  constexpr std::string_view magic = "MFSTATE\n";
  if (in.size() < size_at + size_bytes || std::memcmp(in.data(), magic.data(), magic.size()) != 0) return 0;
  return little_endian(in.subspan(size_at, size_bytes));
}

}  // namespace

std::vector<std::byte> read_state(const std::string& path) {
  io::input file = io::input::open(path);
  std::vector<std::byte> bytes(first_bytes);
  std::size_t found = file.read(0, bytes);
  const std::uint64_t promised = promised_bytes(std::span(bytes).first(found));
  // A promise takes no memory before it is kept: each step is as long as what was there already.
  while (found == bytes.size() && found <= promised) {
    const std::uint64_t more = std::min<std::uint64_t>(found, promised - found + 1);
    bytes.resize(found + static_cast<std::size_t>(more));
    found += file.read(static_cast<std::int64_t>(found), std::span(bytes).subspan(found));
  }
  bytes.resize(found);
  return bytes;
}

struct state_file::unfinished {
  explicit unfinished(const std::string& path) : out(path) {}
  io::output out;
};

state_file::state_file(const std::string& path, std::span<const std::byte> state)
    : file_(std::make_unique<unfinished>(path)) {
  file_->out.write(state, static_cast<std::int64_t>(state.size()));
}

state_file::~state_file() = default;

void state_file::keep() { file_->out.finish(true); }

}  // namespace multifold::inline v0_1
