#include <gtest/gtest.h>

#include "io/formats/byte_order.hpp"
#include "io/scratch.hpp"
#include "io/standard_stream.hpp"
#include "multifold/source.hpp"

namespace multifold::inline v0_1::io {
namespace {

class npy_test : public with_folder {
 protected:
  template <class Error = format_error>
  std::string message_for(std::string_view file) const {
    const std::string name = write("x.npy", file);
    const std::string message = error_of<Error>([&] { open_npy(name); });
    EXPECT_EQ(message.find(name + ": "), 0u) << message;
    return message.substr(std::min(message.size(), name.size() + 2));
  }

  const std::vector<double> six_{1, 2, 3, 4, 5, 6};
};

TEST_F(npy_test, reads_every_version) {
  for (const int major : {1, 2, 3}) {
    const auto in = open_npy(write("x.npy", npy(dict("<f8", "(2, 3)"), raw(six_), major)));
    EXPECT_TRUE(in->random_access());
    EXPECT_EQ(in->layout().type, dtype::f64);
    EXPECT_EQ(in->layout().extents, (std::vector<std::int64_t>{2, 3}));
    EXPECT_FALSE(in->layout().fortran_order);
    EXPECT_EQ(read_all<double>(*in, 4), six_);
  }
}

TEST_F(npy_test, reads_data_at_any_byte_and_headers_of_any_length) {
  for (const std::size_t padding : {0, 1, 15, 64, 70'000, 3'000'000}) {
    const std::string header = dict("<f8", "(6,)", true) + std::string(padding, ' ');
    const auto in = open_npy(write("x.npy", npy(header, raw(six_), header.size() > 0xffff ? 2 : 1)));
    EXPECT_TRUE(in->layout().fortran_order);
    EXPECT_EQ(read_all<double>(*in), six_);
  }
}

TEST_F(npy_test, turns_big_endian_elements_round) {
  std::vector<std::uint32_t> numbers(1 << 18);  // more than one block
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<std::uint32_t>(i * 2654435761u);
  std::vector<std::uint32_t> stored = numbers;
  swap_bytes(std::as_writable_bytes(std::span(stored)), 4);
  const auto in = open_npy(write("x.npy", npy(dict(">u4", "(262144,)"), raw(stored))));
  EXPECT_EQ(read_all<std::uint32_t>(*in, 262'144), numbers);
  EXPECT_EQ(read_all<std::uint32_t>(*in, 12'345), numbers);
}

TEST_F(npy_test, reads_scalars_and_empty_arrays) {
  EXPECT_EQ(read_all<double>(*open_npy(write("x.npy", npy(dict("<f8", "()"), raw(std::vector<double>{7}))))),
            std::vector<double>{7});
  const auto in = open_npy(write("x.npy", npy(dict("<f8", "(0, 3)"), "")));
  EXPECT_EQ(in->layout().extents, (std::vector<std::int64_t>{0, 3}));
  EXPECT_TRUE(read_all<double>(*in).empty());
}

TEST_F(npy_test, reads_standard_input) {
  for (const std::int64_t chunk : {1, 4, 6, 100}) {
    const piped standard_input(npy(dict("<f8", "(2, 3)"), raw(six_)));
    const auto in = open_npy("-");
    EXPECT_FALSE(in->random_access());
    EXPECT_EQ(in->layout().extents, (std::vector<std::int64_t>{2, 3}));
    EXPECT_EQ(read_all<double>(*in, chunk), six_);
  }
}

TEST_F(npy_test, refuses_a_pipe_that_is_too_short_or_too_long) {
  const auto message = [](const std::string& bytes) {
    const piped standard_input(bytes);
    return error_of<format_error>([] { read_all<double>(*open_npy("-")); });
  };
  const std::string good = npy(dict("<f8", "(6,)"), raw(six_));
  EXPECT_PRED2(says, message(good.substr(0, good.size() - 3)), "the data end; expected");
  EXPECT_PRED2(says, message(good + "x"), "the data go on; expected their end after shape (6,) of f64");
  EXPECT_PRED2(says, message(good.substr(0, 30)), "byte 30: the file ends inside its header");
  EXPECT_PRED2(says, message(good.substr(0, 9)),
               "byte 9: the file ends inside the .npy magic, version and header length");
  EXPECT_PRED2(says, message(""), "standard input: the file is empty");
  std::string liar = npy(dict("<f8", "(6,)"), "", 2);
  liar.replace(8, 4, std::string("\xff\xff\xff\x03", 4));
  EXPECT_PRED2(says, message(liar), "the file ends inside its header");
}

TEST_F(npy_test, refuses_beginnings_that_are_not_npy) {
  EXPECT_EQ(message_for(""), "the file is empty; expected .npy, or raw elements and their raw_options::type");
  EXPECT_EQ(
      message_for("hello, world"),
      "byte 0: found 68 65 6c 6c 6f 2c; expected .npy, which starts with 93 4e 55 4d 50 59; raw elements are read "
      "by raw_options");
  EXPECT_PRED2(says, message_for("a"), "byte 0: found 61; expected .npy");
  EXPECT_EQ(message_for("\x93NU"), "byte 3: the file ends inside the .npy magic, version and header length");
  EXPECT_EQ(message_for(npy("", "", 2).substr(0, 11)), "byte 11: the file ends inside the length of the .npy header");
  EXPECT_EQ(message_for(npy("{}", "", 4)), "byte 6: found .npy version 4.0; expected 1.0, 2.0 or 3.0");
  std::string minor = npy("{}", "");
  minor[7] = 1;
  EXPECT_PRED2(says, message_for(minor), "found .npy version 1.1");
  EXPECT_PRED2(says, message_for(npy("{}", "", 0)), "found .npy version 0.0");
}

TEST_F(npy_test, names_other_formats) {
  EXPECT_EQ(message_for<unsupported_error>("PK\x03\x04 and so on"),
            "byte 0: found a zip archive, perhaps .npz; archives are read from files alone, as x.npz:NAME");
  EXPECT_PRED2(says, message_for<unsupported_error>("\x1f\x8b and so on"), "found gzip-compressed data");
  EXPECT_PRED2(says, message_for<unsupported_error>("\x89HDF\r\n\x1a\n"), "found an HDF5 file");
  EXPECT_PRED2(says, message_for<unsupported_error>(std::string("\x40\0\0\0\0\0\0\0{\"weight\"", 17)),
               "found safetensors, which are read from files alone");
  EXPECT_PRED2(says, message_for(std::string("\x40\0\0\0\0\0\0\0[\"weight\"", 17)), "expected .npy");
}

TEST_F(npy_test, refuses_headers_that_are_longer_than_the_file) {
  const std::string good = npy(dict("<f8", "(6,)"), "");
  EXPECT_EQ(message_for(good.substr(0, 40)), "byte 8: found a header length of " + std::to_string(good.size() - 10) +
                                                 ", up to byte " + std::to_string(good.size()) +
                                                 "; the file ends at byte 40");
  std::string liar = npy(dict("<f8", "(6,)"), raw(six_), 2);
  liar.replace(8, 4, "\xff\xff\xff\xff");
  EXPECT_EQ(message_for(liar), "byte 8: found a header length of 4294967295; expected at most 67108864");
}

TEST_F(npy_test, refuses_shapes_that_disagree_with_the_size) {
  const std::string header = dict("<f8", "(2, 3)");
  const std::size_t data = 10 + header.size();
  EXPECT_EQ(message_for(npy(header, raw(six_).substr(0, 45))),
            "byte " + std::to_string(data + 45) + ": found 45 bytes of data from byte " + std::to_string(data) +
                " to the end; expected 48, for shape (2, 3) of f64");
  EXPECT_PRED2(says, message_for(npy(header, raw(six_) + "x")), "found 49 bytes of data");
  EXPECT_PRED2(says, message_for(npy(header, "")), "found 0 bytes of data");
  EXPECT_PRED2(says, message_for(npy(dict("<f8", "(0,)"), "x")), "found 1 byte of data");
  EXPECT_PRED2(says, message_for(npy(dict("<f8", "(4294967296, 4294967296)"), "")),
               "byte 10: found shape (4294967296, 4294967296) has more than 2^63 - 1 elements");
  EXPECT_PRED2(says, message_for(npy(dict("<f8", "(2305843009213693952,)"), "")), "has more than 2^63 - 1 bytes");
}

TEST_F(npy_test, refuses_what_cannot_be_reduced) {
  EXPECT_PRED2(says, message_for<unsupported_error>(npy(dict("|O", "(1,)"), "x")), "Python objects");
  EXPECT_PRED2(says, message_for(npy("garbage", "")), "byte 10: found garbage; expected '{'");
}

TEST_F(npy_test, opens_no_file_for_good) {
  for (int i = 0; i < 3000; ++i) EXPECT_THROW(open_npy(write("x.npy", "bad")), format_error);
}

TEST_F(npy_test, is_chosen_by_open_source) {
  const std::string file = write("x.npy", npy(dict("<f8", "(6,)"), raw(six_)));
  EXPECT_EQ(read_all<double>(*open_source(file, std::nullopt)), six_);
  EXPECT_PRED2(says, error_of<format_error>([&] { open_source(write("y", "12345678"), std::nullopt); }),
               "raw elements are read by raw_options");
  EXPECT_EQ(open_source(path("y"), raw_options{})->layout().extents, std::vector<std::int64_t>{2});
}

TEST_F(npy_test, is_not_taken_for_raw_elements) {
  const std::string header = dict("<f8", "(6,)");
  const std::string bytes = npy(header, raw(six_));
  const std::string file = write("x.npy", bytes);
  raw_options options{dtype::f64, {}, false, 0};
  EXPECT_EQ(error_of<format_error>([&] { open_source(file, options); }),
            file +
                ": byte 0: found .npy, whose header says dtype and shape; expected no raw_options, or by "
                "raw_options::offset_bytes where the raw elements start");
  options.offset_bytes = static_cast<std::int64_t>(10 + header.size());
  EXPECT_EQ(read_all<double>(*open_source(file, options)), six_);

  options.offset_bytes = 0;
  {
    const piped standard_input(bytes);
    EXPECT_PRED2(says, error_of<format_error>([&] { open_source("-", options); }),
                 "standard input: byte 0: found .npy");
  }
  const piped standard_input(raw(six_));
  EXPECT_EQ(read_all<double>(*open_source("-", options)), six_);
}

}  // namespace
}  // namespace multifold::inline v0_1::io
