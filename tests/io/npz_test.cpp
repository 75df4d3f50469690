#include <gtest/gtest.h>

#include <random>

#include "io/scratch.hpp"
#include "io/standard_stream.hpp"
#include "io/zip.hpp"
#include "multifold/source.hpp"

namespace multifold::io {
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
  EXPECT_EQ(message_for(with(8, 0), "a"),
            ":a: found it compressed (deflate); write it by numpy.savez, or decompress it: unzip -p " + path("x.npz") +
                " a.npy | multifold OP -");
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
  std::mt19937 random(20240229);
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
      try {
        for (const std::string& name : arrays_in(path)) {
          const auto in = open_source(name, std::nullopt);
          if (in->layout().type == dtype::f64) read_all<double>(*in);
        }
      } catch (const error&) {
        ++refused;
      }
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
  EXPECT_PRED2(says, with(end + 4, number(1, 2)), "found a piece of a zip archive; expected all of it");
  EXPECT_PRED2(says, with(8, number(1 << 20, 8), true), "the zip archive ends before its zip64 end record");
  EXPECT_PRED2(says, with(8, number(0, 8), true), "byte 0: found 50 4b 03 04; expected the zip64 end record");
}

}  // namespace
}  // namespace multifold::io
