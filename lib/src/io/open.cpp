// The doors of source.hpp: which format a file is opened as, and which array of it.
#include <filesystem>
#include <optional>
#include <system_error>

#include "io/formats/formats.hpp"
#include "io/formats/zip/archive.hpp"
#include "io/message.hpp"
#include "multifold/error.hpp"

namespace multifold::inline v0_1 {
namespace {

// An array: a file, or one of those in it.
struct named_array {
  std::string path;
  std::optional<std::string> array;
};

bool exists(const std::string& path) {
  std::error_code ignored;  // what cannot be looked at is told when it is opened
  return std::filesystem::exists(path, ignored);
}

// "x.npz:a" is a file, if there is one of that name.
named_array named_by(const std::string& text) {
  if (text == "-" || exists(text)) return {text, std::nullopt};
  for (std::size_t colon = text.rfind(':'); colon != std::string::npos && colon > 0;
       colon = text.rfind(':', colon - 1)) {
    if (exists(text.substr(0, colon))) return {text.substr(0, colon), text.substr(colon + 1)};
  }
  return {text, std::nullopt};
}

// Only files have a table of contents that can be looked up. Pipes are read once, from their start.
io::archive_kind archive_of(io::input& in) {
  return in.random_access() ? io::archive_of(in.peek(io::signature_bytes)) : io::archive_kind::none;
}

std::unique_ptr<source> open_formatted(io::input in, const std::optional<std::string>& array) {
  switch (archive_of(in)) {
    case io::archive_kind::zip: return io::npz_source(std::move(in), array);
    case io::archive_kind::safetensors: return io::safetensors_source(std::move(in), array);
    case io::archive_kind::none: break;
  }
  if (!array) return io::npy_source(std::move(in));
  throw format_error(in.label() + ": found no .npz and no safetensors; expected it to hold the array " +
                     io::printable(*array, 80));
}

}  // namespace

std::unique_ptr<source> open_raw(const std::string& path, const raw_options& options) {
  return io::raw_source(io::input::open(path), options);
}

std::unique_ptr<source> open_npy(const std::string& path) { return io::npy_source(io::input::open(path)); }

std::unique_ptr<source> open_source(const std::string& path, const std::optional<raw_options>& raw) {
  const named_array from = named_by(path);
  io::input in = io::input::open(from.path);
  if (!raw) return open_formatted(std::move(in), from.array);
  if (from.array) {
    throw format_error(io::label_of(path, "") +
                       ": found an array in a file, which says its dtype and shape; expected no raw_options");
  }
  // A header summed as if it were numbers is nothing that anybody meant.
  if (raw->offset_bytes == 0 && io::starts_with_magic(in.peek(io::signature_bytes))) {
    throw format_error(io::at(in.label(), 0) +
                       "found .npy, whose header says dtype and shape; expected no raw_options, or by "
                       "raw_options::offset_bytes where the raw elements start");
  }
  return io::raw_source(std::move(in), *raw);
}

std::vector<std::string> arrays_in(const std::string& path) {
  const named_array from = named_by(path);
  std::error_code ignored;
  if (from.array || !std::filesystem::is_regular_file(path, ignored)) return {};
  io::input in = io::input::open(path);
  std::vector<std::string> names;
  switch (archive_of(in)) {
    case io::archive_kind::zip: names = io::npz_names(in); break;
    case io::archive_kind::safetensors: names = io::safetensors_names(in); break;
    case io::archive_kind::none: break;
  }
  for (std::string& name : names) name = io::array_name(path, name);
  return names;
}

}  // namespace multifold::inline v0_1
