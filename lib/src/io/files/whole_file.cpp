// A file that gets its name at the end.
#include "multifold/whole_file.hpp"

#include <cstdint>

#include "io/files/output.hpp"

namespace multifold::inline v0_1 {

void write_whole_file(const std::string& path, const std::function<void(const byte_sink& sink)>& write) {
  io::output file(path);
  std::int64_t bytes = 0;
  write([&](std::span<const std::byte> chunk) {
    bytes += static_cast<std::int64_t>(chunk.size());
    file.write(chunk, bytes);
  });
  file.finish();
}

}  // namespace multifold::inline v0_1
