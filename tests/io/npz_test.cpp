#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "io/formats/zip/inflater.hpp"
#include "io/scratch.hpp"
#include "io/standard_stream.hpp"
#include "io/zip.hpp"
#include "multifold/source.hpp"
#include "random_bits.hpp"

namespace multifold::inline v0_1::io {
namespace {

using names = std::vector<std::string>;

class npz_test : public with_folder {
 protected:
  std::string message_for(const std::string& file, const std::string& array = "") const {
    return refusal_of("x.npz", file, array);
  }

  const std::vector<double> six_{1, 2, 3, 4, 5, 6};
  const std::vector<float> three_{7, 8, 9};
  const zipped a_{"a.npy", npy(dict("<f8", "(2, 3)"), raw(six_))};
  const zipped b_{"part/b.npy", npy(dict("<f4", "(3,)"), raw(three_))};
};

TEST_F(npz_test, reads_arrays_by_name) {
  for (const bool wide : {false, true}) {
    const std::string path = write("x.npz", zip({a_, {"readme.txt", "no array"}, b_}, wide, wide ? "a comment" : ""));
    EXPECT_EQ(arrays_in(path), (names{path + ":a", path + ":part/b"}));
    for (const std::string name : {":a", ":a.npy"}) {
      const auto in = open_source(path + name, std::nullopt);
      EXPECT_EQ(in->name(), path + name);
      EXPECT_TRUE(in->random_access());
      EXPECT_EQ(in->layout().extents, (std::vector<std::int64_t>{2, 3}));
      EXPECT_EQ(read_all<double>(*in, 4), six_);
    }
    EXPECT_EQ(read_all<float>(*open_source(path + ":part/b", std::nullopt)), three_);
  }
}

TEST_F(npz_test, needs_no_name_where_there_is_one_array) {
  const std::string path = write("x.npz", zip({b_}));
  EXPECT_EQ(read_all<float>(*open_source(path, std::nullopt)), three_);
  EXPECT_EQ(message_for(zip({a_, b_})), ": found 2 arrays, a, part/b; expected one of them, as in " + path + ":a");
  std::vector<zipped> many;
  for (int i = 0; i < 11; ++i) many.push_back({"a" + std::to_string(i) + ".npy", ""});
  EXPECT_PRED2(says, message_for(zip(many)), "found 11 arrays, a0, a1, a2, a3, a4, a5, a6, a7 and 3 more; expected");
}

TEST_F(npz_test, takes_the_last_of_members_of_one_name_as_numpy_does) {
  const std::string path = write("x.npz", zip({{"b.npy", a_.bytes}, {"b.npy", b_.bytes}}));
  EXPECT_EQ(read_all<float>(*open_source(path + ":b", std::nullopt)), three_);
}

TEST_F(npz_test, prefers_files_to_members) {
  const std::string path = write("x.npz", zip({a_}));
  write("x.npz:a", b_.bytes);
  EXPECT_EQ(read_all<float>(*open_source(path + ":a", std::nullopt)), three_);
  EXPECT_TRUE(arrays_in(path + ":a").empty());
}

TEST_F(npz_test, says_which_arrays_there_are) {
  EXPECT_EQ(message_for(zip({a_, b_}), "c"), ": found no array c in it; expected one of a, part/b");
  EXPECT_EQ(message_for(zip({{"readme.txt", ""}})), ": found no array in it");
  EXPECT_EQ(message_for(zip({})), ": found no array in it");
  EXPECT_EQ(message_for(a_.bytes, "a"), ": found no .npz and no safetensors; expected it to hold the array a");
  EXPECT_PRED2(says, error_of<io_error>([&] { open_source(path("y.npz:a"), std::nullopt); }), "No such file");
}

TEST_F(npz_test, refuses_what_is_not_stored_as_it_is) {
  const auto with = [&](int method, int flags) { return zip({{"a.npy", "?", method, flags}}); };
  EXPECT_EQ(message_for(with(12, 0), "a"),
            ":a: found it compressed (bzip2); write it by numpy.savez, or decompress it: unzip -p " + path("x.npz") +
                " a.npy | multifold OP -");
  if (!inflater::is_here()) {
    EXPECT_PRED2(says, message_for(with(8, 0), "a"),
                 ":a: found it compressed (deflate), and multifold was built without zlib; write it by numpy.savez");
  }
  EXPECT_PRED2(says, message_for(with(77, 0)), "compressed (method 77)");
  EXPECT_PRED2(says, message_for(with(0, 1)), "found it encrypted");
  EXPECT_THROW(open_source(path("x.npz"), std::nullopt), unsupported_error);
}

TEST_F(npz_test, refuses_raw_options_for_arrays_that_say_what_they_are) {
  const std::string path = write("x.npz", zip({a_}));
  EXPECT_PRED2(says, error_of<format_error>([&] { open_source(path + ":a", raw_options{}); }),
               "x.npz:a: found an array in a file, which says its dtype and shape");
  raw_options bytes;
  bytes.type = dtype::u8;
  EXPECT_EQ(read_all<std::uint8_t>(*open_source(path, bytes)).size(), bytes_of(path).size());
}

TEST_F(npz_test, counts_bytes_from_the_start_of_the_member) {
  zipped short_one = a_;
  short_one.bytes.pop_back();
  const std::size_t data = a_.bytes.size() - 48;
  EXPECT_EQ(message_for(zip({short_one, b_}), "a"), ":a: byte " + std::to_string(data + 47) +
                                                        ": found 47 bytes of data from byte " + std::to_string(data) +
                                                        " to the end; expected 48, for shape (2, 3) of f64");
  EXPECT_PRED2(says, message_for(zip({{"a.npy", "\x93NUM"}, b_}), "a"),
               ":a: byte 4: the file ends inside the .npy magic");
  EXPECT_PRED2(says, message_for(zip({{"a.npy", ""}, b_}), "a"), ":a: the file is empty");
}

TEST_F(npz_test, leaves_pipes_to_others) {
  const piped standard_input(zip({a_}));
  EXPECT_TRUE(arrays_in("-").empty());
  EXPECT_PRED2(says, error_of<unsupported_error>([] { open_source("-", std::nullopt); }),
               "found a zip archive, perhaps .npz; archives are read from files alone");
}

TEST_F(npz_test, refuses_every_truncation) {
  for (const bool wide : {false, true}) {
    const std::string whole = zip({a_, b_}, wide);
    for (std::size_t bytes = 9; bytes < whole.size(); ++bytes) {
      const std::string path = write("x.npz", whole.substr(0, bytes));
      EXPECT_PRED2(
          says, error_of<format_error>([&] { arrays_in(path); }),
          "byte " + std::to_string(bytes) + ": the zip archive's last record is missing; the file was cut off");
    }
  }
}

TEST_F(npz_test, never_reads_beyond_the_file_whatever_its_bytes) {
  test::random_bits random(20240229);
  int refused = 0;
  for (const bool wide : {false, true}) {
    const std::string whole = zip({a_, b_}, wide);
    for (int round = 0; round < 3000; ++round) {
      std::string file = whole;
      const std::size_t table = whole.find("PK\x01\x02");
      const int changes = 1 + static_cast<int>(random() % 3);
      for (int i = 0; i < changes; ++i) {
        const std::size_t first = random() % 4 == 0 ? 4 : table;
        file[first + random() % (file.size() - first)] = static_cast<char>(random() % 2 ? random() : 0xff);
      }
      const std::string path = write("x.npz", file);
      refused += refuses_to_read(path);
    }
  }
  EXPECT_GT(refused, 1000);
}

TEST_F(npz_test, names_the_byte_of_every_mistake) {
  const std::string whole = zip({a_});
  const std::size_t table = whole.find("PK\x01\x02"), end = whole.find("PK\x05\x06");
  const auto with = [&](std::size_t byte, const std::string& bytes, bool wide = false) {
    std::string file = wide ? zip({a_}, true) : whole;
    return message_for(file.replace(wide ? file.find("PK\x06\x07") + byte : byte, bytes.size(), bytes));
  };
  EXPECT_EQ(with(table, "XX"), ": byte " + std::to_string(table) +
                                   ": found 58 58 01 02; expected an entry of the directory of a zip archive");
  EXPECT_PRED2(says, with(table + 42, number(7, 4)), ": byte 7: found");
  EXPECT_PRED2(says, with(table + 42, number(1 << 20, 4)),
               "the zip archive ends before the header of the member a.npy");
  EXPECT_PRED2(says, with(table + 20, number(1 << 20, 4) + number(1 << 20, 4)),
               "the zip archive ends inside the member a.npy; expected 1048576 bytes from byte");
  EXPECT_PRED2(says, with(table + 20, number(3, 4)), "found a stored member of 3 bytes that is said to be");
  EXPECT_PRED2(says, with(table + 28, number(5000, 2)),
               "an entry of the zip directory goes on after the directory's end");
  EXPECT_PRED2(says, with(end + 10, number(2, 2)), "the zip directory ends after 1 of 2 members");
  EXPECT_PRED2(says, with(end + 12, number(1 << 30, 4)), "found a zip directory of 1073741824 bytes; expected at most");
  EXPECT_PRED2(says, with(end + 16, number(1 << 30, 4)), "the zip archive ends before the end of its directory");
  EXPECT_PRED2(says, with(end + 4, number(1, 2)), "found one volume of a zip archive; expected all of it");
  EXPECT_PRED2(says, with(8, number(1 << 20, 8), true), "the zip archive ends before its zip64 end record");
  EXPECT_PRED2(says, with(8, number(0, 8), true), "byte 0: found 50 4b 03 04; expected the zip64 end record");
}

TEST_F(npz_test, refuses_every_bit_of_damage) {
  const std::string whole = zip({b_, a_});
  const std::size_t first = whole.find("\x93NUMPY", whole.find("a.npy")), end = whole.find("PK\x01\x02");
  const std::size_t data = end - 48;
  for (std::size_t bit = 8 * first; bit < 8 * end; ++bit) {
    std::string file = whole;
    file[bit / 8] = static_cast<char>(file[bit / 8] ^ 1 << bit % 8);
    const std::string path = write("x.npz", file);
    const auto read = [&] {
      std::vector<std::byte> room(1000);
      open_source(path + ":a", std::nullopt)->read(0, room);
    };
    if (bit < 8 * data) EXPECT_THROW(read(), error) << bit;
    else EXPECT_PRED2(says, error_of<format_error>(read), "x.npz:a: found the CRC-32 ") << bit;
  }
  std::string file = whole;
  file[data] ^= 1;
  write("x.npz", file);
  const auto in = open_source(path("x.npz:a"), std::nullopt);
  std::vector<double> six(6);
  const auto bytes = std::as_writable_bytes(std::span(six));
  EXPECT_EQ(in->read(3, bytes.first(24)), 3);  // not all of it yet
  EXPECT_EQ(in->read(2, bytes.first(16)), 2);
  const auto rest = [&] { in->read(0, bytes.first(24)); };
  EXPECT_PRED2(says, error_of<format_error>(rest), "of the member a.npy; expected");
  EXPECT_PRED2(says, error_of<format_error>([&] { in->read(5, bytes.first(8)); }),
               "as the archive says: it is damaged");
}

TEST_F(npz_test, compares_checksums_of_what_threads_read) {
  std::vector<float> many(300'000);
  for (std::size_t i = 0; i < many.size(); ++i) many[i] = static_cast<float>(i);
  std::string file = zip({{"a.npy", npy(dict("<f4", "(300000,)"), raw(many))}});
  for (const bool damaged : {false, true}) {
    if (damaged) file[600'000] ^= 4;
    const auto in = open_source(write("x.npz", file), std::nullopt);
    std::atomic<std::int64_t> next{0};
    std::atomic<int> refused{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&] {
        std::vector<std::byte> room(4 * 777);
        try {
          for (std::int64_t at = next.fetch_add(770); at < 300'000; at = next.fetch_add(770)) {  // some of it twice
            in->read((at * 7 / 770 % 390) * 770, room);
          }
        } catch (const format_error&) {
          ++refused;
        }
      });
    }
    for (std::thread& t : threads) t.join();
    if (damaged) EXPECT_GE(refused, 1);
    else EXPECT_EQ(refused, 0);
  }
}

TEST_F(npz_test, refuses_headers_that_contradict_the_directory) {
  const std::string whole = zip({a_});
  const auto with = [&](std::size_t byte, const std::string& bytes) {
    return message_for(std::string(whole).replace(byte, bytes.size(), bytes), "a");
  };
  const std::string size = std::to_string(a_.bytes.size());
  EXPECT_EQ(
      with(30, "b"),
      ": byte 0: found the name b.npy in the header of the member a.npy; expected a.npy, as in the zip directory");
  EXPECT_PRED2(says, with(6, number(2048, 2)),
               "found the flags 2048 in the header of the member a.npy; expected 0, as");
  EXPECT_PRED2(says, with(8, number(8, 2)), "found the method 8 in the header of the member a.npy; expected 0, as");
  EXPECT_PRED2(says, with(14, number(1, 4)), "found the CRC-32 1 in the header of the member a.npy; expected ");
  EXPECT_PRED2(says, with(18, number(5, 4)),
               "found the stored size 5 in the header of the member a.npy; expected " + size);
  EXPECT_PRED2(says, with(22, number(5, 4)), "found the size 5 in the header of the member a.npy; expected " + size);
  EXPECT_PRED2(says, with(18, number(0, 4)), "found the stored size 0 in the header");
  EXPECT_PRED2(says, with(18, number(0xffffffff, 4)), "found the stored size 0 in the header");  // the extra field's
  EXPECT_PRED2(says, with(26, number(4, 2)), "found the name a.np in the header of the member a.npy");
}

// Written to a pipe: the header comes before the numbers are known, and a descriptor behind the bytes has them.
TEST_F(npz_test, reads_descriptors_behind_the_bytes) {
  const std::string crc = crc_of(a_), bytes = a_.bytes;
  const auto archive = [&](const std::string& descriptor) {
    std::string header = local_header({"a.npy", bytes, 0, 8}).replace(14, 12, 12, '\0');
    std::string file = zip({{"a.npy", bytes, 0, 8}});
    const std::size_t table = file.find("PK\x01\x02"), end = file.find("PK\x05\x06");
    const std::string start = header + bytes + descriptor;
    return start + file.substr(table, end - table) + file.substr(end, 16) + number(start.size(), 4) + number(0, 2);
  };
  const auto sizes = [&](int width) { return number(bytes.size(), width) + number(bytes.size(), width); };
  for (const std::string& signature : {std::string(), std::string("PK\x07\x08")}) {
    for (const int width : {4, 8}) {
      const std::string path = write("x.npz", archive(signature + crc + sizes(width)));
      EXPECT_EQ(read_all<double>(*open_source(path, std::nullopt)), six_);
      EXPECT_PRED2(says, message_for(archive(signature + number(7, 4) + sizes(width)), "a"),
                   "in the data descriptor of the member a.npy; expected the CRC-32 ");
      EXPECT_PRED2(says, message_for(archive(signature + crc + number(7, width) + number(7, width)), "a"),
                   "in the data descriptor of the member a.npy; expected the CRC-32 ");
    }
  }
  EXPECT_PRED2(says, message_for(archive(""), "a"), "in the data descriptor of the member a.npy");
}

// A comment is any bytes, and so may hold what looks like the end of an archive; a record of the end is one whose
// comment reaches to the file's.
TEST_F(npz_test, finds_the_end_behind_comments_that_look_like_one) {
  const std::string whole = zip({a_}), end = whole.substr(whole.find("PK\x05\x06"));
  for (const std::string& comment : {"PK\x05\x06" + std::string(30, '\0'), end + "more",
                                     "PK\x05\x06" + std::string(16, '\0') + number(9, 2) + "four"}) {
    const std::string path = write("x.npz", zip({a_}, false, comment));
    EXPECT_EQ(read_all<double>(*open_source(path, std::nullopt)), six_);
  }
}

TEST_F(npz_test, refuses_zip64_fields_that_are_cut_off) {
  std::string file = zip({a_}, true);
  const std::size_t field = file.find(number(1, 2) + number(24, 2), file.find("PK\x01\x02"));
  for (const int bytes : {0, 7, 8, 16, 23}) {
    file.replace(field + 2, 2, number(static_cast<std::uint64_t>(bytes), 2));
    EXPECT_PRED2(says, message_for(file), "its zip64 field is cut off") << bytes;
  }
}

}  // namespace
}  // namespace multifold::inline v0_1::io
