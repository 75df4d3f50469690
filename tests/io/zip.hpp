// Makes zip archives, well formed or not.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/formats/zip/crc32.hpp"

namespace multifold::inline v0_1::io {

struct zipped {
  std::string name;
  std::string bytes;
  int method = 0;
  int flags = 0;
  std::string packed = {};        // what is stored of the bytes, if it is not the bytes themselves
  std::uint64_t said_bytes = {};  // how many bytes there are said to be, if it is not how many there are
};

inline std::uint64_t said_bytes(const zipped& member) {
  return member.said_bytes == 0 ? member.bytes.size() : member.said_bytes;
}

inline const std::string& stored(const zipped& member) { return member.packed.empty() ? member.bytes : member.packed; }

inline std::string number(std::uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> 8 * i);
  return text;
}

inline std::string crc_of(const zipped& member) { return number(crc32(std::as_bytes(std::span(member.bytes))), 4); }

/// The local header; its extra field is longer than the directory's, as in archives by NumPy.
inline std::string local_header(const zipped& member) {
  return "PK\x03\x04" + number(20, 2) + number(member.flags, 2) + number(member.method, 2) + number(0, 4) +
         crc_of(member) + number(stored(member).size(), 4) + number(said_bytes(member), 4) +
         number(member.name.size(), 2) + number(20, 2) + member.name + number(1, 2) + number(16, 2) +
         std::string(16, '\0');
}

/// With `wide`, sizes, places and the end are zip64's, although they would fit.
inline std::string zip(const std::vector<zipped>& members, bool wide = false, std::string_view comment = "") {
  const std::uint64_t elsewhere = 0xffffffff;
  std::string file, table;
  for (const zipped& member : members) {
    const std::uint64_t place = file.size(), size = said_bytes(member), packed = stored(member).size();
    const std::string other = number(0x5455, 2) + number(5, 2) + "\x03time";  // another extra field, to be stepped over
    const std::string extra =
        wide ? other + number(1, 2) + number(24, 2) + number(size, 8) + number(packed, 8) + number(place, 8)
             : std::string();
    file += local_header(member) + stored(member);
    table += "PK\x01\x02" + number(45, 2) + number(45, 2) + number(member.flags, 2) + number(member.method, 2) +
             number(0, 4) + crc_of(member) + number(wide ? elsewhere : packed, 4) + number(wide ? elsewhere : size, 4) +
             number(member.name.size(), 2) + number(extra.size(), 2) + number(3, 2) + number(0, 8) +
             number(wide ? elsewhere : place, 4) + member.name + extra + "why";
  }
  const std::uint64_t table_byte = file.size();
  file += table;
  if (wide) {
    const std::uint64_t end64 = file.size();
    file += "PK\x06\x06" + number(44, 8) + number(45, 2) + number(45, 2) + number(0, 8) + number(members.size(), 8) +
            number(members.size(), 8) + number(table.size(), 8) + number(table_byte, 8);
    file += "PK\x06\x07" + number(0, 4) + number(end64, 8) + number(1, 4);
  }
  return file + "PK\x05\x06" + number(0, 4) + number(members.size(), 2) + number(members.size(), 2) +
         number(wide ? elsewhere : table.size(), 4) + number(wide ? elsewhere : table_byte, 4) +
         number(comment.size(), 2) + std::string(comment);
}

}  // namespace multifold::inline v0_1::io
