// .npz: a zip archive of .npy files. Stored ones are read where they lie, compressed ones in order.
#include <string_view>
#include <utility>

#include "io/formats/formats.hpp"
#include "io/formats/zip/archive.hpp"
#include "io/formats/zip/inflater.hpp"
#include "io/formats/zip/zip_directory.hpp"
#include "io/message.hpp"
#include "multifold/error.hpp"

namespace multifold::inline v0_1::io {
namespace {

constexpr std::string_view suffix = ".npy";

// What else may be in the archive is no array.
std::vector<zip_member> arrays_of(input& in) {
  std::vector<zip_member> arrays = read_zip_directory(in);
  std::erase_if(arrays, [](const zip_member& member) { return !member.name.ends_with(suffix); });
  return arrays;
}

std::vector<std::string> names_of(const std::vector<zip_member>& arrays) {
  std::vector<std::string> names;
  for (const zip_member& member : arrays) names.push_back(member.name.substr(0, member.name.size() - suffix.size()));
  return names;
}

std::string method_name(int method) {
  constexpr std::pair<int, const char*> known[] = {{8, "deflate"}, {12, "bzip2"}, {14, "LZMA"}, {93, "Zstandard"}};
  for (const auto& [number, text] : known) {
    if (number == method) return text;
  }
  return "method " + std::to_string(method);
}

constexpr int stored_method = 0, deflate_method = 8;

void refuse_unless_readable(const zip_member& member, const input& in, const std::string& name) {
  if (member.encrypted) throw unsupported_error(label_of(name, "") + ": found it encrypted; expected stored bytes");
  if (member.method == stored_method || (member.method == deflate_method && inflater::is_here())) return;
  const std::string why = member.method == deflate_method ? ", and multifold was built without zlib" : "";
  throw unsupported_error(label_of(name, "") + ": found it compressed (" + method_name(member.method) + ")" + why +
                          "; write it by numpy.savez, or decompress it: unzip -p " + in.label() + " " +
                          printable(member.name, 80) + " | multifold OP -");
}

// A size that no stream of so many bytes can have is told before memory is asked for, or a shape believed.
void refuse_impossible_size(const zip_member& member, const input& in) {
  constexpr std::uint64_t least = 64;  // a stream of a few bytes is mostly bits of its blocks
  if (member.whole_bytes / inflater::most_growth <= member.stored_bytes + least) return;
  throw format_error(at(in.label(), member.entry_byte) + "found a member of " + std::to_string(member.whole_bytes) +
                     " bytes that is compressed to " + std::to_string(member.stored_bytes) + "; expected at most " +
                     std::to_string(inflater::most_growth) + " times as many");
}

}  // namespace

std::vector<std::string> npz_names(input& in) { return names_of(arrays_of(in)); }

std::unique_ptr<source> npz_source(input in, const std::optional<std::string>& wanted) {
  const std::vector<zip_member> arrays = arrays_of(in);
  std::optional<std::string> array = wanted;
  if (array && array->ends_with(suffix)) array->resize(array->size() - suffix.size());
  const zip_member& member = arrays[chosen_array(in.label(), names_of(arrays), array)];
  const std::string name = wanted ? array_name(in.name(), *wanted) : in.name();
  refuse_unless_readable(member, in, name);
  const std::int64_t first = zip_data_byte(in, member);
  const auto bytes = static_cast<std::int64_t>(member.stored_bytes);
  if (member.method == deflate_method) {
    refuse_impossible_size(member, in);
    const auto whole = static_cast<std::int64_t>(member.whole_bytes);
    return npy_source(std::move(in).part(first, bytes, name).inflated(whole, member.crc));
  }
  auto checksum = std::make_unique<member_checksum>(member.crc, bytes, "the member " + printable(member.name, 80));
  return npy_source(std::move(in).part(first, bytes, name, std::move(checksum)));
}

}  // namespace multifold::inline v0_1::io
