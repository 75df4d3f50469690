#include <gtest/gtest.h>

#include <numeric>

#include "io/scratch.hpp"
#include "io/standard_stream.hpp"
#include "multifold/source.hpp"

namespace multifold::inline v0_1::io {
namespace {

class concatenate_test : public with_folder {
 protected:
  // Files a, b, ... of int32 that count on from one to the next.
  std::unique_ptr<source> joined(const std::vector<std::string>& shapes, bool fortran_order = false) {
    std::vector<std::unique_ptr<source>> parts;
    std::int32_t next = 0;
    for (const std::string& shape : shapes) {
      const std::string name = path(std::string(1, static_cast<char>('a' + parts.size())));
      std::int64_t count = 1;
      parts.push_back(nullptr);
      const std::string header = dict("<i4", shape, fortran_order);
      const auto extents = numbers_in(shape);
      for (const std::int64_t extent : extents) count *= extent;
      std::vector<std::int32_t> values(static_cast<std::size_t>(count));
      std::iota(values.begin(), values.end(), next);
      next += static_cast<std::int32_t>(count);
      write(std::filesystem::path(name).filename().string(), npy(header, raw(values)));
      parts.back() = open_npy(name);
    }
    return concatenate(std::move(parts));
  }

  static std::vector<std::int64_t> numbers_in(const std::string& shape) {
    std::vector<std::int64_t> numbers;
    for (std::size_t at = shape.find_first_of("0123456789"); at != std::string::npos;
         at = shape.find_first_of("0123456789", at)) {
      std::size_t length = 0;
      numbers.push_back(std::stoll(shape.substr(at), &length));
      at += length;
    }
    return numbers;
  }

  static std::vector<std::int32_t> up_to(std::int32_t count) {
    std::vector<std::int32_t> values(static_cast<std::size_t>(count));
    std::iota(values.begin(), values.end(), 0);
    return values;
  }

  std::unique_ptr<source> stream(const std::string& name, std::int32_t first, std::int32_t end, std::int64_t length) {
    return make_source(name, {dtype::i32, {length}, false},
                       [first, end](std::int64_t from, std::span<std::byte> chunk) -> std::int64_t {
                         const auto value = static_cast<std::int32_t>(first + from);
                         if (value == end) return 0;
                         std::copy_n(std::as_bytes(std::span(&value, 1)).begin(), sizeof value, chunk.begin());
                         return 1;
                       });
  }
};

TEST_F(concatenate_test, joins_the_axis_that_is_slowest_in_memory) {
  const auto rows = joined({"(2, 3)", "(0, 3)", "(5, 3)", "(1, 3)"});
  EXPECT_TRUE(rows->random_access());
  EXPECT_EQ(rows->layout().extents, (std::vector<std::int64_t>{8, 3}));
  for (const std::int64_t chunk : {1, 4, 6, 24, 100}) EXPECT_EQ(read_all<std::int32_t>(*rows, chunk), up_to(24));

  const auto columns = joined({"(3, 2)", "(3, 5)"}, true);
  EXPECT_TRUE(columns->layout().fortran_order);
  EXPECT_EQ(columns->layout().extents, (std::vector<std::int64_t>{3, 7}));
  EXPECT_EQ(read_all<std::int32_t>(*columns, 4), up_to(21));
}

TEST_F(concatenate_test, reads_any_range) {
  const auto all = joined({"(3,)", "(0,)", "(4,)", "(0,)"});
  for (std::int64_t first = 0; first <= 8; ++first) {
    for (std::int64_t count = 0; count <= 9; ++count) {
      std::vector<std::int32_t> values(static_cast<std::size_t>(count));
      const std::int64_t got = all->read(first, std::as_writable_bytes(std::span(values)));
      ASSERT_EQ(got, std::clamp<std::int64_t>(7 - first, 0, count));
      for (std::int64_t i = 0; i < got; ++i) ASSERT_EQ(values[static_cast<std::size_t>(i)], first + i);
    }
  }
}

TEST_F(concatenate_test, names_the_parts) {
  EXPECT_EQ(joined({"(2,)"})->name(), path("a"));
  EXPECT_EQ(joined({"(2,)", "(1,)"})->name(), path("a") + " and " + path("b"));
  EXPECT_EQ(joined({"(2,)", "(1,)", "(3,)"})->name(), path("a") + " and 2 more");
}

TEST_F(concatenate_test, reads_streams_in_turn) {
  for (const std::int64_t known : {0, 1}) {
    for (const std::int64_t chunk : {1, 2, 3, 5, 100}) {
      std::vector<std::unique_ptr<source>> parts;
      parts.push_back(stream("a", 0, 3, known ? 3 : -1));
      parts.push_back(stream("b", 3, 3, known ? 0 : -1));
      parts.push_back(stream("c", 3, 8, known ? 5 : -1));
      const auto all = concatenate(std::move(parts));
      EXPECT_FALSE(all->random_access());
      EXPECT_EQ(all->layout().extents[0], known ? 8 : -1);
      EXPECT_EQ(read_all<std::int32_t>(*all, chunk), up_to(8));
      EXPECT_EQ(all->layout().extents[0], 8);
    }
  }
  const piped standard_input(raw(up_to(4)));
  std::vector<std::unique_ptr<source>> parts;
  raw_options elements;
  elements.type = dtype::i32;
  parts.push_back(open_raw("-", elements));
  parts.push_back(stream("b", 4, 6, 2));
  EXPECT_EQ(read_all<std::int32_t>(*concatenate(std::move(parts)), 3), up_to(6));
}

TEST_F(concatenate_test, refuses_what_does_not_fit) {
  EXPECT_EQ(error_of<shape_error>([] { concatenate({}); }), "found no arrays to join; expected at least one");
  EXPECT_PRED2(says, error_of<shape_error>([&] { joined({"()", "()"}); }), "/a: found a scalar; expected an axis");
  const std::string message = error_of<shape_error>([&] { joined({"(2, 3)", "(2, 4)"}); });
  EXPECT_EQ(message, path("b") + ": found shape (2, 4) of i32; expected what can be joined to " + path("a") +
                         ", shape (2, 3) of i32");
  EXPECT_PRED2(says, error_of<shape_error>([&] { joined({"(2, 3)", "(6,)"}); }), "found shape (6,) of i32");
  std::vector<std::unique_ptr<source>> parts;
  for (const bool fortran_order : {true, false}) {
    parts.push_back(
        open_npy(write(fortran_order ? "f" : "c", npy(dict("<i4", "(1, 2)", fortran_order), raw(up_to(2))))));
  }
  EXPECT_PRED2(says, error_of<shape_error>([&] { concatenate(std::move(parts)); }),
               "expected what can be joined to " + path("f") + ", shape (1, 2) of i32 in Fortran order");
}

TEST_F(concatenate_test, says_which_part_is_at_fault) {
  const auto all = joined({"(3,)", "(4,)"});
  std::filesystem::resize_file(path("b"), bytes_of(path("b")).size() - 5);
  EXPECT_PRED2(says, error_of<format_error>([&] { read_all<std::int32_t>(*all); }), path("b") + ": byte ");
  std::vector<std::unique_ptr<source>> parts;
  parts.push_back(stream("short", 0, 2, 3));
  EXPECT_EQ(error_of<format_error>([&] { read_all<std::int32_t>(*concatenate(std::move(parts))); }),
            "short: the elements end after 2; expected shape (3,) of i32");
}

// A source of a user's own, which claims more elements than it brings, and says nothing.
class silent final : public source {
 public:
  const std::string& name() const noexcept override { return name_; }
  const array_layout& layout() const noexcept override { return layout_; }
  bool random_access() const noexcept override { return true; }
  std::int64_t read(std::int64_t first, std::span<std::byte> chunk) override {
    return std::min(static_cast<std::int64_t>(chunk.size()) / 4, std::max<std::int64_t>(5 - first, 0));
  }

 private:
  std::string name_ = "silent";
  array_layout layout_{dtype::i32, {7}, false};
};

TEST_F(concatenate_test, notices_parts_that_end_early_and_do_not_say_so) {
  const auto both = [&](bool last) {
    std::vector<std::unique_ptr<source>> parts;
    parts.push_back(std::make_unique<silent>());
    if (!last) parts.push_back(stream("b", 0, 3, 3));
    return concatenate(std::move(parts));
  };
  for (const bool last : {true, false}) {
    for (const std::int64_t chunk : {2, 7, 100}) {
      EXPECT_EQ(error_of<format_error>([&] { read_all<std::int32_t>(*both(last), chunk); }),
                "silent: the elements end after 5; expected shape (7,) of i32");
    }
  }
}

}  // namespace
}  // namespace multifold::inline v0_1::io
