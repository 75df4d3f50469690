// States in files: small, so they are read and written in one go.
#include "multifold/state_file.hpp"

#include "io/input.hpp"
#include "io/output.hpp"

namespace multifold {
namespace {

// A hundred times the largest state: enough to see that something else was named.
constexpr std::size_t most_bytes = 64 << 10;

}  // namespace

std::vector<std::byte> read_state(const std::string& path) {
  io::input file = io::input::open(path);
  std::vector<std::byte> bytes(most_bytes);
  bytes.resize(file.read(0, bytes));
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

}  // namespace multifold
