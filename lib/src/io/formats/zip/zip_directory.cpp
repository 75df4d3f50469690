// From the end of the archive to its table, and from an entry of the table to the bytes of a member.
#include "io/formats/zip/zip_directory.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <span>
#include <string_view>

#include "core/little_endian.hpp"
#include "io/message.hpp"
#include "multifold/error.hpp"

namespace multifold::inline v0_1::io {
namespace {

using bytes_view = std::span<const std::byte>;

constexpr std::uint64_t most_table_bytes = 64 << 20;
constexpr std::size_t end_bytes = 22;
constexpr std::size_t most_comment_bytes = 0xffff;
constexpr std::size_t locator_bytes = 20;
constexpr std::size_t end64_bytes = 56;
constexpr std::size_t entry_bytes = 46;
constexpr std::size_t header_bytes = 30;
constexpr std::uint64_t in_zip64 = 0xffffffff;
constexpr std::uint64_t encrypted_flag = 1, descriptor_flag = 8;

constexpr std::uint32_t end_signature = 0x06054b50;
constexpr std::uint32_t locator_signature = 0x07064b50;
constexpr std::uint32_t end64_signature = 0x06064b50;
constexpr std::uint32_t entry_signature = 0x02014b50;
constexpr std::uint32_t header_signature = 0x04034b50;

// An unsigned integer of `Bytes` bytes at `offset` of a record.
template <std::size_t Bytes>
std::uint64_t field(bytes_view record, std::size_t offset) {
  return little_endian(record.subspan(offset, Bytes));
}

[[noreturn]] void broken(const input& in, std::uint64_t byte, const std::string& problem) {
  throw format_error(at(in.label(), static_cast<std::int64_t>(byte)) + problem);
}

// The bytes of a record whose place the archive names; they have to be there.
std::vector<std::byte> bytes_at(input& in, std::uint64_t byte, std::uint64_t bytes, const std::string& what) {
  const auto size = static_cast<std::uint64_t>(*in.size());
  if (byte > size || bytes > size - byte) {
    broken(in, size,
           "the zip archive ends before " + what + ", " + std::to_string(bytes) + " bytes from byte " +
               std::to_string(byte) + " on");
  }
  std::vector<std::byte> record(bytes);
  if (in.read(static_cast<std::int64_t>(byte), record) < bytes) broken(in, byte, "the file has shrunk inside " + what);
  return record;
}

void expect_signature(const input& in, bytes_view record, std::uint32_t signature, std::uint64_t byte,
                      const std::string& what) {
  if (field<4>(record, 0) == signature) return;
  broken(in, byte, "found " + hex(record.first(4)) + "; expected " + what + " of a zip archive");
}

struct table {
  std::uint64_t byte;
  std::uint64_t bytes;
  std::uint64_t members;
};

table checked(const input& in, std::uint64_t disks, const table& found) {
  if (disks != 0) throw unsupported_error(in.label() + ": found one volume of a zip archive; expected all of it");
  if (found.bytes > most_table_bytes) {
    broken(in, found.byte,
           "found a zip directory of " + std::to_string(found.bytes) + " bytes; expected at most " +
               std::to_string(most_table_bytes));
  }
  return found;
}

// The record at the end, which a comment may follow. Nothing but its signature and that length tells where it is.
std::uint64_t find_end(const input& in, bytes_view tail, std::uint64_t tail_byte) {
  for (std::size_t rest = end_bytes; rest <= tail.size(); ++rest) {
    const bytes_view record = tail.last(rest);
    if (field<4>(record, 0) == end_signature && field<2>(record, 20) == rest - end_bytes) {
      return tail_byte + tail.size() - rest;
    }
  }
  broken(in, tail_byte + tail.size(), "the zip archive's last record is missing; the file was cut off");
}

table find_table(input& in) {
  const auto size = static_cast<std::uint64_t>(*in.size());
  const std::uint64_t tail_bytes = std::min<std::uint64_t>(size, end_bytes + most_comment_bytes);
  const std::vector<std::byte> tail = bytes_at(in, size - tail_bytes, tail_bytes, "its last record");
  const std::uint64_t end_byte = find_end(in, tail, size - tail_bytes);
  const bytes_view end = bytes_view(tail).subspan(end_byte - (size - tail_bytes));

  if (end_byte >= locator_bytes) {
    const std::uint64_t byte = end_byte - locator_bytes;
    const std::vector<std::byte> locator = bytes_at(in, byte, locator_bytes, "its zip64 locator");
    if (field<4>(locator, 0) == locator_signature) {
      const std::uint64_t end64_byte = field<8>(locator, 8);
      const std::vector<std::byte> end64 = bytes_at(in, end64_byte, end64_bytes, "its zip64 end record");
      expect_signature(in, end64, end64_signature, end64_byte, "the zip64 end record");
      return checked(in, field<4>(end64, 16) + field<4>(end64, 20),
                     {field<8>(end64, 48), field<8>(end64, 40), field<8>(end64, 32)});
    }
  }
  return checked(in, field<2>(end, 4) + field<2>(end, 6), {field<4>(end, 16), field<4>(end, 12), field<2>(end, 10)});
}

// Sizes and places of 4 GiB and more stand in an extra field, in this order, and only those that need it. `byte`: of
// the record that it belongs to.
void widen(const input& in, std::uint64_t byte, std::initializer_list<std::uint64_t*> wide, bytes_view extra) {
  while (extra.size() >= 4) {
    const std::uint64_t id = field<2>(extra, 0);
    const std::uint64_t bytes = field<2>(extra, 2);
    extra = extra.subspan(4);
    if (bytes > extra.size()) break;
    if (id == 1) {
      bytes_view values = extra.first(bytes);
      for (std::uint64_t* const value : wide) {
        if (*value != in_zip64) continue;
        if (values.size() < 8) broken(in, byte, "its zip64 field is cut off");
        *value = field<8>(values, 0);
        values = values.subspan(8);
      }
      return;
    }
    extra = extra.subspan(bytes);
  }
}

// The first entry of `table`, which stands at `byte`; steps over it.
zip_member take_entry(const input& in, bytes_view& table, std::uint64_t byte) {
  expect_signature(in, table, entry_signature, byte, "an entry of the directory");
  const std::size_t name_bytes = field<2>(table, 28);
  const std::size_t extra_bytes = field<2>(table, 30);
  const std::size_t all_bytes = entry_bytes + name_bytes + extra_bytes + field<2>(table, 32);
  if (all_bytes > table.size()) broken(in, byte, "an entry of the zip directory goes on after the directory's end");

  zip_member member;
  const bytes_view name = table.subspan(entry_bytes, name_bytes);
  member.name.assign(reinterpret_cast<const char*>(name.data()), name.size());
  member.flags = field<2>(table, 8);
  member.encrypted = (member.flags & encrypted_flag) != 0;
  member.method = static_cast<int>(field<2>(table, 10));
  member.crc = static_cast<std::uint32_t>(field<4>(table, 16));
  member.stored_bytes = field<4>(table, 20);
  member.header_byte = field<4>(table, 42);
  member.entry_byte = static_cast<std::int64_t>(byte);
  member.whole_bytes = field<4>(table, 24);
  widen(in, byte, {&member.whole_bytes, &member.stored_bytes, &member.header_byte},
        table.subspan(entry_bytes + name_bytes, extra_bytes));
  if (member.method == 0 && !member.encrypted && member.whole_bytes != member.stored_bytes) {
    broken(in, byte,
           "found a stored member of " + std::to_string(member.stored_bytes) + " bytes that is said to be " +
               std::to_string(member.whole_bytes));
  }
  table = table.subspan(all_bytes);
  return member;
}

[[noreturn]] void contradict(const input& in, std::uint64_t byte, const std::string& what, const std::string& found,
                             const std::string& expected) {
  broken(in, byte, "found " + found + " in " + what + "; expected " + expected + ", as in the zip directory");
}

// Where a descriptor follows the bytes, the header was written before they were known, and says 0.
void check_numbers(const input& in, const zip_member& member, bytes_view header, bytes_view extra,
                   const std::string& what) {
  const bool later = (member.flags & descriptor_flag) != 0;
  std::uint64_t crc = field<4>(header, 14), stored = field<4>(header, 18), whole = field<4>(header, 22);
  widen(in, member.header_byte, {&whole, &stored}, extra);
  const auto check = [&](const char* name, std::uint64_t found, std::uint64_t expected) {
    if (found == expected || (later && found == 0)) return;
    contradict(in, member.header_byte, what, name + std::to_string(found), std::to_string(expected));
  };
  check("the CRC-32 ", crc, member.crc);
  check("the stored size ", stored, member.stored_bytes);
  check("the size ", whole, member.whole_bytes);
}

// The member's own header, which stands before its bytes, and repeats what the directory says.
void check_header(input& in, const zip_member& member, bytes_view header, const std::string& what) {
  const std::uint64_t name_bytes = field<2>(header, 26), extra_bytes = field<2>(header, 28);
  const std::vector<std::byte> rest =
      bytes_at(in, member.header_byte + header_bytes, name_bytes + extra_bytes, "the end of " + what);
  const std::string name(reinterpret_cast<const char*>(rest.data()), name_bytes);
  if (name != member.name) {
    contradict(in, member.header_byte, what, "the name " + printable(name, 80), printable(member.name, 80));
  }
  if (const std::uint64_t flags = field<2>(header, 6); flags != member.flags) {
    contradict(in, member.header_byte, what, "the flags " + std::to_string(flags), std::to_string(member.flags));
  }
  if (const std::uint64_t method = field<2>(header, 8); method != static_cast<std::uint64_t>(member.method)) {
    contradict(in, member.header_byte, what, "the method " + std::to_string(method), std::to_string(member.method));
  }
  check_numbers(in, member, header, bytes_view(rest).subspan(name_bytes), what);
}

// CRC-32 and both sizes, of four or eight bytes each; a signature in front may be left away.
void check_descriptor(input& in, const zip_member& member, std::uint64_t byte, const std::string& what) {
  constexpr std::uint32_t descriptor_signature = 0x08074b50;
  const std::uint64_t there = static_cast<std::uint64_t>(*in.size()) - byte;
  const std::vector<std::byte> bytes = bytes_at(in, byte, std::min<std::uint64_t>(there, 24), what);
  const auto says_the_same = [&](std::size_t start, std::size_t width) {
    if (bytes.size() < start + 4 + 2 * width) return false;
    const bytes_view found = bytes_view(bytes).subspan(start);
    return field<4>(found, 0) == member.crc && little_endian(found.subspan(4, width)) == member.stored_bytes &&
           little_endian(found.subspan(4 + width, width)) == member.whole_bytes;
  };
  const bool has_signature = bytes.size() >= 4 && field<4>(bytes, 0) == descriptor_signature;
  for (const std::size_t width : {std::size_t{4}, std::size_t{8}}) {
    if (says_the_same(0, width) || (has_signature && says_the_same(4, width))) return;
  }
  contradict(in, byte, what, hex(bytes),
             "the CRC-32 " + std::to_string(member.crc) + " and the size " + std::to_string(member.whole_bytes));
}

}  // namespace

std::vector<zip_member> read_zip_directory(input& in) {
  const table found = find_table(in);
  const std::vector<std::byte> bytes = bytes_at(in, found.byte, found.bytes, "the end of its directory");
  std::vector<zip_member> members;
  bytes_view rest(bytes);
  while (members.size() < found.members) {
    const std::uint64_t byte = found.byte + (bytes.size() - rest.size());
    if (rest.size() < entry_bytes) {
      broken(in, byte,
             "the zip directory ends after " + std::to_string(members.size()) + " of " + std::to_string(found.members) +
                 " members");
    }
    members.push_back(take_entry(in, rest, byte));
  }
  return members;
}

std::int64_t zip_data_byte(input& in, const zip_member& member) {
  const std::string what = "the member " + printable(member.name, 80);
  const std::vector<std::byte> header = bytes_at(in, member.header_byte, header_bytes, "the header of " + what);
  expect_signature(in, header, header_signature, member.header_byte, "the header of " + what);
  const std::uint64_t byte = member.header_byte + header_bytes + field<2>(header, 26) + field<2>(header, 28);
  const auto size = static_cast<std::uint64_t>(*in.size());
  if (byte > size || member.stored_bytes > size - byte) {
    broken(in, size,
           "the zip archive ends inside " + what + "; expected " + std::to_string(member.stored_bytes) +
               " bytes from byte " + std::to_string(byte) + " on");
  }
  check_header(in, member, header, "the header of " + what);
  if ((member.flags & descriptor_flag) != 0) {
    check_descriptor(in, member, byte + member.stored_bytes, "the data descriptor of " + what);
  }
  return static_cast<std::int64_t>(byte);
}

}  // namespace multifold::inline v0_1::io
