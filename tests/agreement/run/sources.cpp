// Raw and npy files by hand, callbacks that bring as much as a hash says, and several parts joined.
#include "agreement/run/sources.hpp"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "agreement/trial/data.hpp"

namespace multifold::agreement {
namespace {

std::string descr_of(dtype type, bool swapped) {
  static constexpr const char* kinds[] = {"b", "i", "i", "i", "i", "u", "u", "u", "u", "f", "", "f", "f"};
  const std::int64_t item = item_bytes(type);
  return std::string(item == 1 ? "|" : swapped ? ">" : "<") + kinds[static_cast<int>(type)] + std::to_string(item);
}

std::string shape_text(const std::vector<std::int64_t>& extents) {
  std::string text = "(";
  for (const std::int64_t extent : extents) text += std::to_string(extent) + ",";
  return text + ")";
}

void write(const std::filesystem::path& path, const std::string& head, std::span<const std::byte> elements) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out.write(head.data(), static_cast<std::streamsize>(head.size()));
  out.write(reinterpret_cast<const char*>(elements.data()), static_cast<std::streamsize>(elements.size()));
  if (!out.flush()) throw std::runtime_error("could not write " + path.string());
}

std::unique_ptr<source> raw_file(const trial& t, std::span<const std::byte> elements,
                                 const std::vector<std::int64_t>& extents, const std::filesystem::path& path) {
  const std::string head(static_cast<std::size_t>(t.shift), 'x');
  write(path, head, elements);
  return open_raw(path.string(), {t.type, extents, true, t.shift});
}

std::unique_ptr<source> npy_file(const trial& t, std::span<const std::byte> elements,
                                 const std::vector<std::int64_t>& extents, bool fortran,
                                 const std::filesystem::path& path) {
  std::string head = "{'descr': '" + descr_of(t.type, t.swapped) +
                     "', 'fortran_order': " + (fortran ? "True" : "False") + ", 'shape': " + shape_text(extents) +
                     ", }";
  head.append(64 - (10 + head.size() + 1) % 64, ' ');
  head += '\n';
  const std::size_t length = head.size();
  const std::string magic{
      '\x93', 'N', 'U', 'M', 'P', 'Y', 1, 0, static_cast<char>(length & 255), static_cast<char>(length >> 8)};
  std::vector<std::byte> turned;
  if (t.swapped) {
    turned.assign(elements.begin(), elements.end());
    const auto item = static_cast<std::ptrdiff_t>(item_bytes(t.type));
    for (auto at = turned.begin(); at != turned.end(); at += item) std::reverse(at, at + item);
    elements = turned;
  }
  write(path, magic + head, elements);
  return open_npy(path.string());
}

std::unique_ptr<source> function(const trial& t, std::span<const std::byte> elements, array_layout layout) {
  const std::int64_t item = item_bytes(t.type);
  const std::uint64_t seed = t.data.seed;
  const auto bring = [elements, item, seed](std::int64_t first, std::span<std::byte> chunk) {
    const std::int64_t left = static_cast<std::int64_t>(elements.size()) / item - first;
    std::int64_t count = std::min(left, static_cast<std::int64_t>(chunk.size()) / item);
    const std::uint64_t hash = mixed(seed, static_cast<std::uint64_t>(first));
    if (hash % 4 == 0 && count > 1) count = 1 + static_cast<std::int64_t>(hash / 4 % static_cast<std::uint64_t>(count));
    if (count > 0) {
      std::memcpy(chunk.data(), elements.data() + first * item, static_cast<std::size_t>(count * item));
    }
    return count;
  };
  return make_source("function", std::move(layout), bring, t.where == origin::callback);
}

}  // namespace

std::unique_ptr<source> make_source_of(const trial& t, std::span<const std::byte> elements,
                                       const std::filesystem::path& path) {
  const bool fortran = !in_c_order(t);
  const auto part = [&](std::span<const std::byte> some, const std::vector<std::int64_t>& extents, int number) {
    const std::filesystem::path file = path.string() + std::to_string(number);
    if (t.where == origin::raw) return raw_file(t, some, extents, file);
    if (t.where == origin::npy) return npy_file(t, some, extents, fortran, file);
    return function(t, some, {t.type, t.endless ? std::vector<std::int64_t>{-1} : extents, fortran});
  };
  if (t.pieces <= 1 || t.extents.empty()) return part(elements, t.extents, 0);
  const std::size_t axis = fortran ? t.extents.size() - 1 : 0;
  std::vector<std::unique_ptr<source>> parts;
  std::int64_t from = 0;
  for (int i = 0; i < t.pieces; ++i) {
    const std::int64_t left = t.extents[axis] - from;
    const std::int64_t taken = i + 1 == t.pieces ? left : left / (t.pieces - i);
    std::vector<std::int64_t> extents = t.extents;
    extents[axis] = taken;
    const std::int64_t layer = element_count(extents) == 0 ? 0 : element_count(extents) / taken * item_bytes(t.type);
    parts.push_back(part(
        elements.subspan(static_cast<std::size_t>(from * layer), static_cast<std::size_t>(taken * layer)), extents, i));
    from += taken;
  }
  return concatenate(std::move(parts));
}

}  // namespace multifold::agreement
