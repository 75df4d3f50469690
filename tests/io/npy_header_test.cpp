#include "io/formats/npy/header.hpp"

#include <gtest/gtest.h>

#include "io/scratch.hpp"
#include "random_bits.hpp"

namespace multifold::inline v0_1::io {
namespace {

npy_header parse(std::string_view text) { return parse_npy_header(text, "x.npy", 10); }

using extents = std::vector<std::int64_t>;

TEST(npy_header, reads_what_numpy_writes) {
  const npy_header header = parse("{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }            \n");
  EXPECT_EQ(header.layout.type, dtype::f32);
  EXPECT_FALSE(header.layout.fortran_order);
  EXPECT_EQ(header.layout.extents, (extents{3, 4}));
  EXPECT_FALSE(header.other_byte_order);
}

TEST(npy_header, takes_keys_in_any_order_with_any_quotes_and_spaces) {
  const npy_header header = parse(" \t{\"shape\":(5 , ),\n'fortran_order' :True,\"descr\": \"|u1\"}");
  EXPECT_EQ(header.layout.type, dtype::u8);
  EXPECT_TRUE(header.layout.fortran_order);
  EXPECT_EQ(header.layout.extents, extents{5});
}

TEST(npy_header, reads_shapes_of_every_rank_and_the_long_integers_of_python_2) {
  EXPECT_EQ(parse(dict("<f8", "()")).layout.extents, extents{});
  EXPECT_EQ(parse(dict("<f8", "( )")).layout.extents, extents{});
  EXPECT_EQ(parse(dict("<f8", "(0, 3)")).layout.extents, (extents{0, 3}));
  EXPECT_EQ(parse(dict("<f8", "(3L, 4L)")).layout.extents, (extents{3, 4}));
  EXPECT_EQ(parse(dict("<f8", "(9223372036854775807,)")).layout.extents, extents{INT64_MAX});
}

TEST(npy_header, knows_every_element_type_in_every_byte_order) {
  const std::vector<std::pair<std::string, dtype>> types{
      {"b1", dtype::boolean}, {"i1", dtype::i8},  {"i2", dtype::i16}, {"i4", dtype::i32},
      {"i8", dtype::i64},     {"u1", dtype::u8},  {"u2", dtype::u16}, {"u4", dtype::u32},
      {"u8", dtype::u64},     {"f2", dtype::f16}, {"f4", dtype::f32}, {"f8", dtype::f64}};
  for (const auto& [descr, type] : types) {
    for (const std::string order : {"", "<", ">", "=", "|"}) {
      const npy_header header = parse(dict(order + descr, "()"));
      EXPECT_EQ(header.layout.type, type) << order << descr;
      EXPECT_EQ(header.other_byte_order, order == ">" && item_bytes(type) > 1) << order << descr;
    }
  }
}

TEST(npy_header, says_what_it_does_not_reduce) {
  const auto message = [](const std::string& descr) {
    return error_of<unsupported_error>([&] { parse(dict(descr, "(3,)")); });
  };
  EXPECT_EQ(message("|O"),
            "x.npy: byte 20: found descr '|O', Python objects; expected bool, i8 to i64, u8 to u64, f16, f32 or f64");
  EXPECT_PRED2(says, message("|S10"), "byte strings");
  EXPECT_PRED2(says, message("<U7"), "strings");
  EXPECT_PRED2(says, message("<c8"), "complex numbers come later");
  EXPECT_PRED2(says, message(">c16"), "complex numbers come later");
  EXPECT_PRED2(says, message("<M8[ns]"), "dates");
  EXPECT_PRED2(says, message("<m8[s]"), "time spans");
  EXPECT_PRED2(says, message("<f16"), "long doubles");
  EXPECT_PRED2(says, message("|V5"), "raw records");
  const std::string header = dict("<V2", "(3,)");
  EXPECT_PRED2(says, message("<V2"),
               "raw_options::type dtype::bf16, raw_options::offset_bytes " + std::to_string(10 + header.size()));
  EXPECT_PRED2(says, error_of<unsupported_error>([] {
                 parse("{'descr': [('x', '<f4'), ('y', '<i8')], 'fortran_order': False, 'shape': (2,), }");
               }),
               "byte 20: found the structured dtype [('x', '<f4'), ('y', '<i8')]");
  EXPECT_PRED2(says, error_of<unsupported_error>([] { parse("{'descr': ('<f4', (2,)), 'fortran_order': False}"); }),
               "structured dtype");
}

TEST(npy_header, names_the_byte_of_every_mistake) {
  const auto message = [](std::string_view text) { return error_of<format_error>([&] { parse(text); }); };
  EXPECT_EQ(message(""), "x.npy: byte 10: found the end of the header; expected '{', the start of the header's dict");
  EXPECT_PRED2(says, message("[1]"), "byte 10: found [1]; expected '{'");
  EXPECT_PRED2(says, message("{'descr' '<f4'}"), "byte 19: found '<f4'}; expected ':' after a key");
  EXPECT_PRED2(says, message("{'descr': '<f4"), "expected a descr like '<f4' in quotes");
  EXPECT_PRED2(says, message("{'descr': '\\x3cf4'}"), "without escapes");
  EXPECT_PRED2(says, message("{'descr': 7}"), "byte 20: found 7}; expected a descr");
  EXPECT_PRED2(says, message(dict("<q9", "()")), "which names no NumPy type");
  EXPECT_PRED2(says, message(dict("", "()")), "which names no NumPy type");
  EXPECT_PRED2(says, message("{'fortran_order': 1}"), "expected True or False");
  EXPECT_PRED2(says, message("{'fortran_order': Truely}"), "expected True or False");
  EXPECT_PRED2(says, message("{'color': 1}"),
               "byte 11: found the key 'color'; expected descr, fortran_order and shape");
  EXPECT_PRED2(says, message("{'shape': (), 'shape': ()}"), "found the key 'shape' a second time");
  EXPECT_PRED2(says, message("{'descr': '<f4', 'descr': '<f4'}"), "found the key 'descr' a second time");
  EXPECT_PRED2(says, message("{'fortran_order': True, 'fortran_order': False}"), "key 'fortran_order' a second time");
  EXPECT_PRED2(says, message("{'shape': [3]}"), "expected a shape like (3, 4)");
  EXPECT_PRED2(says, message("{'shape': (3)}"), "expected ',' after the only extent");
  EXPECT_PRED2(says, message("{'shape': (3, 4}"), "expected ',' or ')' after an extent");
  EXPECT_PRED2(says, message("{'shape': (3.5,)}"), "byte 21: found 3.5,)}; expected an extent");
  EXPECT_PRED2(says, message("{'shape': (-3,)}"),
               "byte 21: found the negative extent -3; expected extents of 0 or more");
  EXPECT_PRED2(says, message("{'shape': (9223372036854775808,)}"), "expected an extent that fits 64 bits");
  EXPECT_PRED2(says, message("{'descr': '<f4', 'fortran_order': False}"), "without the key 'shape'");
  EXPECT_PRED2(says, message("{'shape': (), 'fortran_order': False}"), "without the key 'descr'");
  EXPECT_PRED2(says, message("{'shape': (), 'descr': '<f4'}"), "without the key 'fortran_order'");
  EXPECT_PRED2(says, message(dict("<f4", "()") + "junk"), "found junk; expected nothing but spaces");
  EXPECT_PRED2(says, message(dict("<f4", "()") + std::string(1, '\0')), "found \\x00; expected nothing but spaces");
  std::string axes;
  for (int i = 0; i < 65; ++i) axes += "1, ";
  EXPECT_PRED2(says, message(dict("<f4", "(" + axes + ")")), "more axes than NumPy allows; expected at most 64");
}

TEST(npy_header, escapes_what_it_quotes) {
  EXPECT_PRED2(says, error_of<format_error>([] { parse("{'\x1b[31m\xff\n': 1}"); }), "\\x1b[31m\\xff\\x0a");
  EXPECT_PRED2(says, error_of<format_error>([] { parse("{'\x1b[31m': 1}"); }), "found the key '\\x1b[31m'");
}

// Mutations of good headers, and bytes at random: an answer or an error of ours, and never much time or memory.
TEST(npy_header, survives_garbage) {
  test::random_bits random(7);
  const std::string good[] = {dict("<f4", "(3, 4)"), dict(">i8", "()", true), "{\"shape\":(5L,),'descr':'|b1'}",
                              "{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': (2,), }"};
  const std::string_view alphabet = "{}()[],:'\"\\ \nTrueFalse0123456789L-<>|=fiubOSVdescrshape\x93\xff";
  for (int i = 0; i < 100'000; ++i) {
    std::string text = good[random() % 4];
    const int changes = 1 + static_cast<int>(random() % 8);
    for (int change = 0; change < changes; ++change) {
      const std::size_t place = random() % text.size();
      const char character = alphabet[random() % alphabet.size()];
      if (random() % 3 == 0) text.erase(place, random() % 4);
      if (text.empty()) text = "{";
      if (random() % 2 == 0) text.insert(place % text.size(), 1 + random() % 3, character);
      else text[place % text.size()] = static_cast<char>(random() % 5 == 0 ? random() : character);
    }
    try {
      const npy_header header = parse(text);
      for (const std::int64_t extent : header.layout.extents) ASSERT_GE(extent, 0) << text;
    } catch (const error& problem) {
      ASSERT_EQ(std::string(problem.what()).find('\n'), std::string::npos) << text;
    }
  }
}

TEST(npy_header, does_not_recurse_into_deep_nests) {
  const std::string deep = "{'descr': " + std::string(10'000'000, '[');
  EXPECT_PRED2(says, error_of<unsupported_error>([&] { parse(deep); }), "structured dtype");
  EXPECT_PRED2(says, error_of<format_error>([&] { parse("{'shape': " + std::string(10'000'000, '(')); }), "an extent");
}

TEST(npy_header, writes_what_it_reads_and_aligns_the_data) {
  for (const auto& shape : {extents{}, extents{3}, extents{0, 3}, extents(64, 1), extents{INT64_MAX, 1}}) {
    const std::string text = format_npy_header(dtype::f64, shape);
    EXPECT_EQ(text.size() % 64, 0u);
    EXPECT_EQ(text.back(), '\n');
    EXPECT_EQ(parse(std::string_view(text).substr(10)).layout.extents, shape);
  }
  EXPECT_PRED2(says, error_of<unsupported_error>([] { format_npy_header(dtype::bf16, {}); }), "write f32");
  EXPECT_PRED2(says, error_of<shape_error>([] { format_npy_header(dtype::f32, extents(65, 1)); }), "at most 64");
}

}  // namespace
}  // namespace multifold::inline v0_1::io
