// The doors of source.hpp: which format a file is opened as.
#include "io/formats.hpp"
#include "io/message.hpp"
#include "multifold/error.hpp"

namespace multifold {

std::unique_ptr<source> open_raw(const std::string& path, const raw_options& options) {
  return io::raw_source(io::input::open(path), options);
}

std::unique_ptr<source> open_npy(const std::string& path) { return io::npy_source(io::input::open(path)); }

std::unique_ptr<source> open_source(const std::string& path, const std::optional<raw_options>& raw) {
  io::input in = io::input::open(path);
  if (!raw) return io::npy_source(std::move(in));
  // A header summed as if it were numbers is nothing that anybody meant.
  if (raw->offset_bytes == 0 && io::starts_with_magic(in.peek(io::signature_bytes))) {
    throw format_error(io::at(in.label(), 0) +
                       "found .npy, whose header says dtype and shape; leave --dtype and --shape away, or say by "
                       "--offset where the raw elements start");
  }
  return io::raw_source(std::move(in), *raw);
}

}  // namespace multifold
