// Members of .npz that deflate has compressed: read in order, in bounded memory, and never believed.
#include <gtest/gtest.h>
#include <zlib.h>

#include "io/files/input.hpp"
#include "io/formats/zip/inflater.hpp"
#include "io/scratch.hpp"
#include "io/zip.hpp"
#include "multifold/source.hpp"
#include "random_bits.hpp"

namespace multifold::inline v0_1::io {
namespace {

// A raw stream, as zip has it.
std::string deflated(const std::string& bytes, int level = 6) {
  z_stream z{};
  if (::deflateInit2(&z, level, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY) != Z_OK) throw std::bad_alloc();
  std::string packed(::deflateBound(&z, bytes.size()), '\0');
  std::string from = bytes;
  z.next_in = reinterpret_cast<Bytef*>(from.data());
  z.avail_in = static_cast<uInt>(from.size());
  z.next_out = reinterpret_cast<Bytef*>(packed.data());
  z.avail_out = static_cast<uInt>(packed.size());
  EXPECT_EQ(::deflate(&z, Z_FINISH), Z_STREAM_END);
  packed.resize(z.total_out);
  ::deflateEnd(&z);
  return packed;
}

zipped packed(const zipped& member, int level = 6) {
  return {member.name, member.bytes, 8, member.flags, deflated(member.bytes, level)};
}

std::vector<std::int32_t> many_numbers(std::size_t count) {
  test::random_bits random(7);
  std::vector<std::int32_t> numbers(count);
  for (std::int32_t& x : numbers) x = static_cast<std::int32_t>(random() % 1000);
  return numbers;
}

class deflate_test : public with_folder {
 protected:
  std::string message_for(const std::string& file) const { return refusal_of("x.npz", file, "a"); }

  // What reading all of the array says, behind its name.
  std::string message_of_reading(const std::string& file) const {
    const auto in = open_source(write("x.npz", file), std::nullopt);
    const std::string message = error_of<format_error>([&] {
      std::vector<std::byte> room(160);
      std::int64_t first = 0, got = 1;
      for (; got > 0; first += got) got = in->read(first, room);
    });
    const std::string name = path("x.npz");
    EXPECT_EQ(message.find(name), 0u) << message;
    return message.substr(std::min(message.size(), name.size()));
  }

  const std::vector<double> six_{1, 2, 3, 4, 5, 6};
  const zipped a_{"a.npy", npy(dict("<f8", "(2, 3)"), raw(six_))};
  const zipped b_{"b.npy", npy(dict(">i2", "(3,)"), std::string("\0\1\0\2\0\3", 6))};
};

TEST_F(deflate_test, reads_what_was_compressed) {
  for (const bool wide : {false, true}) {
    for (const int level : {0, 1, 9}) {
      const std::string path = write("x.npz", zip({packed(a_, level), b_, packed({"c.npy", b_.bytes}, level)}, wide));
      EXPECT_EQ(arrays_in(path).size(), 3u);
      const auto in = open_source(path + ":a", std::nullopt);
      EXPECT_EQ(in->name(), path + ":a");
      EXPECT_EQ(in->layout().extents, (std::vector<std::int64_t>{2, 3}));
      EXPECT_FALSE(in->random_access());
      EXPECT_EQ(in->identity(), "");
      EXPECT_EQ(read_all<double>(*in, 4), six_);
      EXPECT_EQ(read_all<std::int16_t>(*open_source(path + ":c", std::nullopt)), (std::vector<std::int16_t>{1, 2, 3}));
    }
  }
}

TEST_F(deflate_test, reads_in_order_alone) {
  const auto in = open_source(write("x.npz", zip({packed(a_)})), std::nullopt);
  std::vector<std::byte> room(16);
  EXPECT_EQ(in->read(0, room), 2);
  EXPECT_PRED2(says, error_of<unsupported_error>([&] { in->read(4, room); }),
               "is next; what is compressed can only be read in order");
  EXPECT_EQ(in->read(2, room), 2);
}

TEST_F(deflate_test, reads_more_than_its_buffers_hold) {
  const auto numbers = many_numbers(1'000'000);
  const std::string bytes = npy(dict("<i4", "(1000000,)"), raw(numbers));
  const std::string path = write("x.npz", zip({packed({"a.npy", bytes}), b_}));
  for (const std::int64_t chunk : {1'000'000, 77'777}) {
    EXPECT_EQ(read_all<std::int32_t>(*open_source(path + ":a", std::nullopt), chunk), numbers);
  }
}

TEST_F(deflate_test, reads_arrays_without_elements_to_their_end) {
  const zipped none{"a.npy", npy(dict("<f8", "(0, 3)"), "")};
  EXPECT_EQ(open_source(write("x.npz", zip({packed(none)})), std::nullopt)->layout().extents,
            (std::vector<std::int64_t>{0, 3}));
  zipped more = packed(none);
  more.packed = deflated(none.bytes + "x");
  EXPECT_PRED2(says, message_for(zip({more})),
               "the compressed data go on; expected " + std::to_string(none.bytes.size()));
}

TEST_F(deflate_test, refuses_every_bit_of_damage) {
  const zipped member = packed(a_);
  const std::string whole = zip({member});
  const std::size_t first = whole.find(member.packed);
  ASSERT_NE(first, std::string::npos);
  for (std::size_t bit = 8 * first; bit < 8 * (first + member.packed.size()); ++bit) {
    std::string file = whole;
    file[bit / 8] = static_cast<char>(file[bit / 8] ^ 1 << bit % 8);
    write("x.npz", file);
    std::vector<double> read;
    try {
      read = read_all<double>(*open_source(path("x.npz"), std::nullopt));
    } catch (const error&) {
      continue;
    }
    EXPECT_EQ(read, six_) << bit;  // padding, or another way to say the same
  }
}

TEST_F(deflate_test, says_what_is_wrong) {
  const auto numbers = many_numbers(5'000);
  const zipped member{"a.npy", npy(dict("<i4", "(5000,)"), raw(numbers))};
  const auto with = [&](const std::string& bytes) { return zip({{"a.npy", member.bytes, 8, 0, bytes}}); };
  const std::string size = std::to_string(member.bytes.size());
  EXPECT_EQ(message_of_reading(with(deflated(member.bytes + "x"))).substr(0, 6), ": byte");
  EXPECT_PRED2(says, message_of_reading(with(deflated(member.bytes + "x"))),
               "the compressed data go on; expected " + size + " bytes of them");
  EXPECT_PRED2(says, message_of_reading(with(deflated(member.bytes.substr(0, 9'000)))),
               ": byte 9000: the compressed data end; expected " + size + " bytes of them");
  EXPECT_PRED2(says, message_of_reading(with(deflated(member.bytes) + "x")),
               ": byte " + size + ": found more bytes behind the compressed data; expected their end");
  const std::string packed_bytes = deflated(member.bytes);
  EXPECT_PRED2(says, message_of_reading(with(packed_bytes.substr(0, packed_bytes.size() / 2))),
               "the compressed data are cut off; expected " + size + " bytes of them");
  std::string other = member.bytes;
  other.back() = 1;
  EXPECT_PRED2(says, message_of_reading(with(deflated(other))), ": byte " + size + ": found the CRC-32 ");
  EXPECT_PRED2(says, message_for(with("\x07 no block is of this type")),
               ":a: byte 0: the compressed data are damaged: invalid block type");
}

TEST_F(deflate_test, tells_a_wrong_checksum_more_than_once) {
  std::string other = a_.bytes;
  other.back() = 1;
  const auto in = open_source(write("x.npz", zip({{"a.npy", a_.bytes, 8, 0, deflated(other)}})), std::nullopt);
  std::vector<std::byte> room(48);
  EXPECT_PRED2(says, error_of<format_error>([&] { in->read(0, room); }), "as the archive says: it is damaged");
  EXPECT_THROW(in->read(0, room), error);
}

TEST_F(deflate_test, refuses_sizes_that_lie) {
  for (const bool wide : {false, true}) {
    zipped member = packed(a_);
    const std::string size = std::to_string(a_.bytes.size()), data = std::to_string(a_.bytes.size() - 48);
    member.said_bytes = a_.bytes.size() + 8;  // as neither the shape has it, nor the stream
    EXPECT_PRED2(says, message_for(zip({member}, wide)), ": found 56 bytes of data from byte " + data);
    member.said_bytes = a_.bytes.size() - 8;
    EXPECT_PRED2(says, message_for(zip({member}, wide)), ": found 40 bytes of data from byte " + data);
    member.said_bytes = 3'000'000'000;
    EXPECT_PRED2(says, message_for(zip({member}, wide)),
                 ": found a member of 3000000000 bytes that is compressed to " + std::to_string(member.packed.size()) +
                     "; expected at most 1032 times as many");
    // As the shape has it, but not the stream.
    const zipped longer{"a.npy", npy(dict("<f8", "(2, 4)"), raw(six_)),           8,
                        0,       deflated(npy(dict("<f8", "(2, 4)"), raw(six_))), a_.bytes.size() + 16};
    EXPECT_PRED2(says, message_of_reading(zip({longer}, wide)),
                 ": byte " + size + ": the compressed data end; expected " + std::to_string(longer.said_bytes));
  }
  // The directory and the member's own header say two things.
  const std::string whole = zip({packed(a_)});
  const auto with = [&](std::size_t byte) { return message_for(std::string(whole).replace(byte, 4, number(77, 4))); };
  EXPECT_PRED2(says, with(18), "found the stored size 77 in the header of the member a.npy; expected ");
  EXPECT_PRED2(says, with(22), "found the size 77 in the header of the member a.npy; expected ");
}

// Written to a pipe: the sizes stand behind the bytes.
TEST_F(deflate_test, reads_descriptors_behind_the_bytes) {
  zipped member = packed(a_);
  member.flags = 8;
  const auto archive = [&](std::uint64_t stored_size, std::uint64_t size) {
    const std::string file = zip({member});
    const std::size_t table = file.find("PK\x01\x02"), end = file.find("PK\x05\x06");
    const std::string start = local_header(member).replace(14, 12, 12, '\0') + member.packed + "PK\x07\x08" +
                              crc_of(member) + number(stored_size, 4) + number(size, 4);
    return start + file.substr(table, end - table) + file.substr(end, 16) + number(start.size(), 4) + number(0, 2);
  };
  const std::string path = write("x.npz", archive(member.packed.size(), member.bytes.size()));
  EXPECT_EQ(read_all<double>(*open_source(path, std::nullopt)), six_);
  for (const auto& file : {archive(member.packed.size(), 7), archive(member.bytes.size(), member.packed.size())}) {
    EXPECT_PRED2(says, message_for(file), "in the data descriptor of the member a.npy; expected the CRC-32 ");
  }
}

TEST_F(deflate_test, never_reads_beyond_the_file_whatever_its_bytes) {
  test::random_bits random(20260229);
  int refused = 0;
  const std::string whole = zip({packed(a_), packed(b_)});
  for (int round = 0; round < 800; ++round) {
    std::string file = whole;
    const int changes = 1 + static_cast<int>(random() % 3);
    for (int i = 0; i < changes; ++i) file[4 + random() % (file.size() - 4)] = static_cast<char>(random());
    const std::string path = write("x.npz", file);
    refused += refuses_to_read(path);
  }
  EXPECT_GT(refused, 300);
}

}  // namespace
}  // namespace multifold::inline v0_1::io
