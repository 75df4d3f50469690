// A zip archive of members that are stored as they are. Source: PKWARE's APPNOTE.TXT 6.3.10, sections 4.3.7 to 4.3.16.
#include <array>
#include <string>

#include "core/little_endian.hpp"
#include "io/formats/npy/header.hpp"
#include "io/formats/zip/crc32.hpp"
#include "io/message.hpp"
#include "multifold/array.hpp"
#include "multifold/error.hpp"
#include "multifold/npz.hpp"
#include "multifold/whole_file.hpp"

namespace multifold::inline v0_1 {
namespace {

constexpr std::uint64_t most_bytes = 0xffffffff;  // without the fields of zip64

/// Fields of a record, one after the other.
class record {
 public:
  record& put(std::uint64_t value, std::size_t size) {
    std::array<std::byte, 8> bytes;
    put_little_endian(std::span(bytes).first(size), value);
    bytes_.append(reinterpret_cast<const char*>(bytes.data()), size);
    return *this;
  }
  record& put(const std::string& text) {
    bytes_ += text;
    return *this;
  }
  std::span<const std::byte> bytes() const { return std::as_bytes(std::span(bytes_)); }

 private:
  std::string bytes_;
};

struct stored_member {
  std::string name, header;
  std::span<const std::byte> data;
  std::uint32_t crc = 0;
  std::uint64_t at = 0;  // of its record

  explicit stored_member(const npz_member& from)
      : name(from.name + ".npy"), header(io::format_npy_header(from.type, from.extents)), data(from.data) {
    const auto count = static_cast<std::int64_t>(data.size()) / item_bytes(from.type);
    if (count != element_count(from.extents) || static_cast<std::int64_t>(data.size()) % item_bytes(from.type) != 0) {
      throw shape_error(name + ": " + io::bytes_text(static_cast<std::int64_t>(data.size())) + " were given for " +
                        io::describe({from.type, from.extents, false}));
    }
    const auto head = std::as_bytes(std::span(header));
    crc = io::joined_crc32(io::crc32(head), io::crc32(data), data.size());
  }

  std::uint64_t bytes() const { return header.size() + data.size(); }

  // What the record before the member and its entry in the table have in common: version 2.0, no flags, stored, of the
  // first day that zip knows.
  void put_fields(record& to) const {
    constexpr std::uint64_t first_day = 1 << 5 | 1;
    to.put(20, 2).put(0, 2).put(0, 2).put(0, 2).put(first_day, 2);
    to.put(crc, 4).put(bytes(), 4).put(bytes(), 4).put(name.size(), 2).put(0, 2);
  }
  record before() const {
    record r;
    r.put(0x04034b50, 4);
    put_fields(r);
    r.put(name);
    return r;
  }
  void put_entry(record& to) const {
    to.put(0x02014b50, 4).put(20, 2);
    put_fields(to);
    to.put(0, 2).put(0, 2).put(0, 2).put(0, 4).put(at, 4).put(name);
  }
};

}  // namespace

void write_npz(const std::string& path, std::span<const npz_member> members) {
  std::vector<stored_member> stored;
  std::uint64_t at = 0;
  for (const npz_member& each : members) {
    stored_member& next = stored.emplace_back(each);
    next.at = at;
    at += next.before().bytes().size() + next.bytes();
  }
  record table;
  for (const stored_member& each : stored) each.put_entry(table);
  const std::uint64_t table_bytes = table.bytes().size();
  if (at + table_bytes > most_bytes || stored.size() > 0xffff) {
    throw unsupported_error(io::label_of(path, "standard output") +
                            ": an .npz of 4 GiB or more is not written: write a .npy for each array");
  }
  table.put(0x06054b50, 4).put(0, 2).put(0, 2).put(stored.size(), 2).put(stored.size(), 2);
  table.put(table_bytes, 4).put(at, 4).put(0, 2);
  write_whole_file(path, [&](const byte_sink& sink) {
    for (const stored_member& each : stored) {
      sink(each.before().bytes());
      sink(std::as_bytes(std::span(each.header)));
      sink(each.data);
    }
    sink(table.bytes());
  });
}

}  // namespace multifold::inline v0_1
