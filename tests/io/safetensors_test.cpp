#include <gtest/gtest.h>

#include "io/formats/safetensors/header.hpp"
#include "io/scratch.hpp"
#include "io/standard_stream.hpp"
#include "io/zip.hpp"
#include "multifold/source.hpp"
#include "random_bits.hpp"

namespace multifold::inline v0_1::io {
namespace {

std::string safetensors(std::string_view header, std::string_view data) {
  return number(header.size(), 8).append(header).append(data);
}

class safetensors_test : public with_folder {
 protected:
  std::string message_for(const std::string& file, const std::string& array = "") const {
    return refusal_of("x.safetensors", file, array);
  }

  const std::vector<float> three_{7, 8, 9};
  const std::vector<std::int8_t> two_{-1, 5};
  // The order of the header is not that of the data, and one tensor is not aligned.
  const std::string good_ =
      safetensors(R"({"__metadata__":{"format":"pt","by":"a \"test\""},)"
                  R"( "b": {"dtype":"F32", "shape":[3,1], "data_offsets":[2, 14]},)"
                  R"("a.weight":{"shape":[2],"data_offsets":[0,2],"dtype":"I8"},)"
                  R"("\u00e9\ud83d\ude00\n":{"dtype":"BOOL","shape":[],"data_offsets":[14,15]},"none":)"
                  R"({"dtype":"BF16","shape":[0, 4],"data_offsets":[15,15]}}   )",
                  raw(two_) + raw(three_) + "\1");
};

TEST_F(safetensors_test, reads_tensors_by_name) {
  const std::string path = write("x.safetensors", good_);
  EXPECT_EQ(arrays_in(path), (std::vector<std::string>{path + ":a.weight", path + ":b",
                                                       path + ":\xc3\xa9\xf0\x9f\x98\x80\n", path + ":none"}));
  const auto b = open_source(path + ":b", std::nullopt);
  EXPECT_EQ(b->name(), path + ":b");
  EXPECT_TRUE(b->random_access());
  EXPECT_EQ(b->layout().type, dtype::f32);
  EXPECT_EQ(b->layout().extents, (std::vector<std::int64_t>{3, 1}));
  EXPECT_EQ(read_all<float>(*b, 2), three_);
  EXPECT_EQ(read_all<std::int8_t>(*open_source(path + ":a.weight", std::nullopt)), two_);
  EXPECT_TRUE(open_source(arrays_in(path)[2], std::nullopt)->layout().extents.empty());
  EXPECT_EQ(open_source(path + ":none", std::nullopt)->layout().extents, (std::vector<std::int64_t>{0, 4}));
  EXPECT_EQ(message_for(good_, "c"),
            ": found no array c in it; expected one of a.weight, b, "
            "\\xc3\\xa9\\xf0\\x9f\\x98\\x80\\x0a, none");
}

TEST_F(safetensors_test, knows_every_type_that_is_reduced_and_names_the_others) {
  const auto one = [](const std::string& type, int bytes) {
    return safetensors(
        R"({"x":{"dtype":")" + type + R"(","shape":[1],"data_offsets":[0,)" + std::to_string(bytes) + "]}}",
        std::string(static_cast<std::size_t>(bytes), '\1'));
  };
  const std::pair<const char*, dtype> types[] = {
      {"BOOL", dtype::boolean}, {"I8", dtype::i8},   {"I16", dtype::i16}, {"I32", dtype::i32}, {"I64", dtype::i64},
      {"U8", dtype::u8},        {"U16", dtype::u16}, {"U32", dtype::u32}, {"U64", dtype::u64}, {"F16", dtype::f16},
      {"BF16", dtype::bf16},    {"F32", dtype::f32}, {"F64", dtype::f64}};
  for (const auto& [name, type] : types) {
    const std::string path = write("x.safetensors", one(name, static_cast<int>(item_bytes(type))));
    EXPECT_EQ(open_source(path, std::nullopt)->layout().type, type) << name;
  }
  for (const std::string name : {"F8_E4M3", "C64", "f32", "FLOAT32", "", "INT8"}) {
    EXPECT_EQ(message_for(one(name, 1)),
              ": found a tensor of " + name + "; expected bool, i8 to i64, u8 to u64, f16, bf16, f32 or f64");
    EXPECT_THROW(open_source(path("x.safetensors"), std::nullopt), unsupported_error);
  }
}

TEST_F(safetensors_test, refuses_tensors_whose_sizes_disagree) {
  const auto with = [&](const std::string& tensor, std::size_t bytes) {
    return message_for(safetensors(R"({"x":{"dtype":"F32",)" + tensor + "}}", std::string(bytes, '\1')));
  };
  EXPECT_PRED2(says, with(R"("shape":[3],"data_offsets":[0,8])", 8),
               "found 8 bytes of data from byte 0 to the end; "
               "expected 12, for shape (3,) of f32");
  EXPECT_PRED2(says, with(R"("shape":[3],"data_offsets":[0,12])", 11),
               "found 11 bytes of data; expected 12, for 1 tensor");
  EXPECT_PRED2(says, with(R"("shape":[3],"data_offsets":[0,12])", 13), "found 13 bytes of data; expected 12");
  EXPECT_PRED2(says, with(R"("shape":[3],"data_offsets":[1,13])", 13),
               "found the tensor x at byte 1 of the data; expected");
  EXPECT_PRED2(says, with(R"("shape":[4294967296,4294967296],"data_offsets":[0,4])", 4), "more than 2^63 - 1 elements");
  const std::string overlap = R"({"x":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},)"
                              R"("y":{"dtype":"U8","shape":[4],"data_offsets":[3,7]}})";
  EXPECT_PRED2(says, message_for(safetensors(overlap, "0123456")),
               "found the tensor y at byte 3 of the data; expected it "
               "where the one before ends, at 4");
}

TEST_F(safetensors_test, names_the_byte_of_every_mistake) {
  const auto with = [&](const std::string& header) { return message_for(safetensors(header, "")); };
  EXPECT_EQ(with(R"({"x" 1})"), ": byte 13: found 1}; expected ':' after a name");
  EXPECT_PRED2(says, with(R"({"x":1})"), "expected '{' before a tensor's dtype, shape and data_offsets");
  EXPECT_PRED2(says, with(R"({"x":{"dtype":"F32"}})"), "expected dtype, shape and data_offsets before this");
  EXPECT_PRED2(says, with(R"({"x":{"dtype":"F32","dtype":"F32"}})"), "expected the key dtype only once");
  EXPECT_PRED2(says, with(R"({"x":{"color":"red"}})"), "before this, not 'color'");
  EXPECT_PRED2(says, with(R"({"x":{"shape":[-1]}})"), "expected a number that is not negative");
  EXPECT_PRED2(says, with(R"({"x":{"shape":[1,]}})"), "expected a number that is not negative");
  EXPECT_PRED2(says, with(R"({"x":{"shape":[99999999999999999999]}})"), "a number that fits 64 bits");
  EXPECT_PRED2(says, with(R"({"x":{"data_offsets":[4,0]}})"), "two data_offsets before this, ascending");
  EXPECT_PRED2(says, with(R"({"x":{"data_offsets":[4]}})"), "two data_offsets before this, ascending");
  EXPECT_PRED2(says, with(R"({"x":{"data_offsets":[4,5,6]}})"), "at most 2 numbers here");
  EXPECT_PRED2(says, with(R"({"__metadata__":{"x":3}})"), "a value of the metadata in double quotes");
  EXPECT_PRED2(says, with(R"({"x)"), "expected '\"' at the end of a string");
  EXPECT_PRED2(says, with("{\"x\n\""), "expected '\"' at the end of a string");
  EXPECT_PRED2(says, with(R"({"\x41":)"), "after a backslash");
  EXPECT_PRED2(says, with(R"({"\u00g0":)"), "after a backslash");
  EXPECT_PRED2(says, with(R"({"\ud800":)"), "the second half of a surrogate pair");
  for (const char* const second : {R"(\u0041)", R"(\ud800)", R"(\udbff)", R"(\ue000)"}) {
    EXPECT_PRED2(says, with(R"({"\ud83d)" + std::string(second) + R"(":)"), "the second half of a surrogate pair");
  }
  EXPECT_PRED2(says, with(R"({"\udc00":)"), "without its first");
  EXPECT_PRED2(says, with("{} x"), "nothing but spaces after the header");
  EXPECT_PRED2(says, with("{}"), "found no array in it");
  const std::string tensor = R"({"dtype":"U8","shape":[0],"data_offsets":[0,0]})";
  EXPECT_PRED2(says, with(R"({"x":)" + tensor + R"(,"x":)" + tensor + "}"), "found the tensor x twice");
}

TEST_F(safetensors_test, refuses_lengths_beyond_the_file_and_the_format) {
  EXPECT_EQ(message_for(number(1000, 8) + "{}"),
            ": byte 0: found a header length of 1000; expected at most 2, up to the end of the file");
  const std::string path = write("x.safetensors", number(90'000'000, 8) + "{");
  std::filesystem::resize_file(path, 300'000'000);
  EXPECT_PRED2(says, error_of<format_error>([&] { open_source(path, std::nullopt); }), "byte 9: found \\x00\\x00");
}

TEST_F(safetensors_test, refuses_every_truncation_and_survives_any_bytes) {
  for (std::size_t bytes = 9; bytes < good_.size(); ++bytes) {
    const std::string path = write("x.safetensors", good_.substr(0, bytes));
    error_of<format_error>([&] { arrays_in(path); });
  }
  test::random_bits random(20240229);
  for (int round = 0; round < 3000; ++round) {
    std::string file = good_;
    for (int i = 0; i < 1 + round % 3; ++i) file[random() % file.size()] = static_cast<char>(random());
    const std::string path = write("x.safetensors", file);
    try {
      for (const std::string& name : arrays_in(path)) {
        const auto in = open_source(name, std::nullopt);
        if (in->layout().type == dtype::f32) read_all<float>(*in);
      }
    } catch (const error&) {
    }
  }
}

TEST_F(safetensors_test, leaves_pipes_to_others) {
  const piped standard_input(good_);
  EXPECT_PRED2(says, error_of<unsupported_error>([] { open_source("-", std::nullopt); }),
               "found safetensors, which are read from files alone");
}

}  // namespace
}  // namespace multifold::inline v0_1::io
