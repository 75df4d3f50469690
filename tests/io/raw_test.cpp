#include <gtest/gtest.h>

#include "io/scratch.hpp"
#include "io/standard_stream.hpp"
#include "multifold/source.hpp"

namespace multifold::inline v0_1::io {
namespace {

class raw_test : public with_folder {
 protected:
  std::string numbers() const { return write("x.raw", raw(three_)); }
  const std::vector<float> three_{1, 2, 3};
};

raw_options shaped(std::vector<std::int64_t> extents, std::int64_t offset_bytes = 0, dtype type = dtype::f32) {
  return {type, std::move(extents), true, offset_bytes};
}

raw_options from(std::int64_t offset_bytes, dtype type = dtype::f32) { return {type, {}, false, offset_bytes}; }

TEST_F(raw_test, is_as_long_as_the_file) {
  const auto in = open_raw(numbers(), {});
  EXPECT_EQ(in->name(), path("x.raw"));
  EXPECT_TRUE(in->random_access());
  EXPECT_EQ(in->layout().extents, std::vector<std::int64_t>{3});
  EXPECT_EQ(read_all<float>(*in, 2), three_);
  EXPECT_EQ(read_all<float>(*in, 3), three_);
}

TEST_F(raw_test, starts_at_any_byte) {
  write("x.raw", "?" + raw(three_));
  EXPECT_EQ(read_all<float>(*open_raw(path("x.raw"), from(1))), three_);
  EXPECT_EQ(read_all<float>(*open_raw(path("x.raw"), shaped({3, 1}, 1))), three_);
}

TEST_F(raw_test, reads_bfloat16_and_scalars_and_empty_shapes) {
  write("b.raw", std::string("\x80\x3f", 2));
  const auto scalar = open_raw(path("b.raw"), shaped({}, 0, dtype::bf16));
  EXPECT_TRUE(scalar->layout().extents.empty());
  EXPECT_EQ(read_all<std::uint16_t>(*scalar), std::vector<std::uint16_t>{0x3f80});
  EXPECT_TRUE(read_all<float>(*open_raw(write("empty", ""), shaped({0, 3}))).empty());
}

TEST_F(raw_test, reads_nothing_past_the_end_and_whole_elements_only) {
  const auto in = open_raw(numbers(), {});
  std::array<std::byte, 6> chunk{};
  EXPECT_EQ(in->read(2, chunk), 1);
  EXPECT_EQ(in->read(3, chunk), 0);
  EXPECT_EQ(in->read(99, chunk), 0);
  EXPECT_EQ(in->read(0, std::span(chunk).first(3)), 0);
  EXPECT_PRED2(says, error_of<shape_error>([&] { in->read(-1, chunk); }), "element -1 was asked for");
}

TEST_F(raw_test, refuses_sizes_that_do_not_fit) {
  const std::string file = numbers();
  const auto message = [&](const raw_options& options) {
    return error_of<format_error>([&] { open_raw(file, options); });
  };
  const auto misfit = [&](const raw_options& options) {
    return error_of<shape_error>([&] { open_raw(file, options); });
  };
  EXPECT_EQ(misfit(shaped({4})),
            file + ": byte 12: found 12 bytes of data from byte 0 to the end; expected 16, for shape (4,) of f32");
  EXPECT_EQ(misfit(shaped({2})),
            file + ": byte 8: found 12 bytes of data from byte 0 to the end; expected 8, for shape (2,) of f32");
  EXPECT_PRED2(says, misfit(shaped({})), "expected 4, for shape () of f32");
  EXPECT_EQ(message(from(2)),
            file + ": byte 12: the file ends 2 bytes into an element; expected a multiple of 4 after byte 2, for f32");
  EXPECT_EQ(message(from(12)),
            file + ": byte 12: the file ends here; expected elements of f32, or raw_options::extents 0");
  EXPECT_EQ(message(from(13)), file + ": byte 12: the file ends before the offset of 13 bytes");
  EXPECT_EQ(error_of<format_error>([&] { open_raw(write("empty", ""), {}); }),
            path("empty") + ": byte 0: the file is empty; expected elements of f32, or raw_options::extents 0");
}

TEST_F(raw_test, refuses_options_that_make_no_sense) {
  const std::string file = numbers();
  const auto message = [&](const raw_options& options) {
    return error_of<shape_error>([&] { open_raw(file, options); });
  };
  EXPECT_EQ(message(from(-4)), file + ": offset -4 is negative; expected 0 or more bytes");
  EXPECT_EQ(message(shaped({-1})), file + ": shape (-1,) has a negative extent");
  EXPECT_PRED2(says, message(shaped({1LL << 32, 1LL << 31})), "more than 2^63 - 1 elements");
  EXPECT_PRED2(says, message(shaped({1LL << 62})), "shape (4611686018427387904,) of f32 has more than 2^63 - 1 bytes");
}

TEST_F(raw_test, notices_a_file_that_shrinks) {
  const auto in = open_raw(numbers(), {});
  std::filesystem::resize_file(path("x.raw"), 5);
  EXPECT_EQ(
      error_of<format_error>([&] { read_all<float>(*in); }),
      path("x.raw") + ": byte 5: the file has shrunk since it was opened; expected 12 bytes, for shape (3,) of f32");
}

TEST_F(raw_test, reads_past_four_gibibytes) {
  const std::string file = write("sparse", "");
  const std::int64_t size = (std::int64_t{5} << 30) + 1;
  std::filesystem::resize_file(file, static_cast<std::uintmax_t>(size));
  std::fstream(file, std::ios::binary | std::ios::in | std::ios::out).seekp(size - 1).put('!');
  const auto in = open_raw(file, from(0, dtype::u8));
  EXPECT_EQ(in->layout().extents[0], size);
  std::array<std::byte, 2> last{};
  EXPECT_EQ(in->read(size - 2, last), 2);
  EXPECT_EQ(last[1], std::byte{'!'});
}

TEST_F(raw_test, learns_the_length_of_standard_input_at_its_end) {
  for (const std::int64_t chunk : {1, 2, 3, 4}) {
    const piped standard_input("skip" + raw(three_));
    const auto in = open_raw("-", from(4));
    EXPECT_EQ(in->name(), "-");
    EXPECT_FALSE(in->random_access());
    EXPECT_EQ(in->layout().extents, std::vector<std::int64_t>{-1});
    EXPECT_EQ(read_all<float>(*in, chunk), three_);
    EXPECT_EQ(in->layout().extents, std::vector<std::int64_t>{3});
  }
}

TEST_F(raw_test, refuses_standard_input_of_the_wrong_length) {
  const auto message = [](const std::string& bytes, const raw_options& options) {
    const piped standard_input(bytes);
    return error_of<format_error>([&] { read_all<float>(*open_raw("-", options)); });
  };
  EXPECT_EQ(message("123456", {}),
            "standard input: byte 6: the data end 2 bytes into an element; expected a multiple of 4, for f32");
  EXPECT_EQ(message("", {}), "standard input: byte 0: found no data; expected elements of f32");
  EXPECT_EQ(message("12345678", shaped({3})),
            "standard input: byte 8: the data end; expected 12 bytes, for shape (3,) of f32");
  EXPECT_EQ(message("12345678", shaped({1})),
            "standard input: byte 4: the data go on; expected their end after shape (1,) of f32");
  // An array of no elements ends where it is opened, and what does not fit then is the shape.
  const piped one_byte("1");
  EXPECT_PRED2(says, error_of<shape_error>([] { open_raw("-", shaped({0})); }), "byte 0: the data go on");
  EXPECT_EQ(message("12", from(3)), "standard input: byte 2: the file ends before the offset of 3 bytes");
}

TEST_F(raw_test, reads_a_file_that_is_standard_input_from_where_it_stands) {
  const redirected standard_input(STDIN_FILENO, ::open(numbers().c_str(), O_RDONLY));
  ::lseek(STDIN_FILENO, 4, SEEK_SET);
  const auto in = open_raw("-", {});
  EXPECT_TRUE(in->random_access());
  EXPECT_EQ(read_all<float>(*in), (std::vector<float>{2, 3}));
}

TEST_F(raw_test, takes_part_of_a_device) {
  const auto in = open_raw("/dev/zero", shaped({1000}, 8));
  EXPECT_EQ(read_all<float>(*in, 300), std::vector<float>(1000));
}

TEST_F(raw_test, says_when_standard_input_is_closed) {
  const int before = ::dup(STDIN_FILENO);
  ::close(STDIN_FILENO);
  const std::string message = error_of<io_error>([] { open_raw("-", {}); });
  ::dup2(before, STDIN_FILENO);
  ::close(before);
  EXPECT_EQ(message, "standard input: Bad file descriptor; expected a file to read");
}

}  // namespace
}  // namespace multifold::inline v0_1::io
