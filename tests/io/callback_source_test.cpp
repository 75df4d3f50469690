#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <span>
#include <stdexcept>

#include "io/scratch.hpp"
#include "multifold/source.hpp"

namespace multifold::inline v0_1::io {
namespace {

// Brings 0, 1, 2, ... up to `count`, at most `step` at a time.
chunk_callback counting(std::int64_t count, std::int64_t step) {
  return [=](std::int64_t first, std::span<std::byte> chunk) {
    const auto room = static_cast<std::int64_t>(chunk.size() / sizeof(std::int32_t));
    const std::int64_t bring = std::min({room, step, count - first});
    std::vector<std::int32_t> values(static_cast<std::size_t>(bring));
    std::iota(values.begin(), values.end(), static_cast<std::int32_t>(first));
    std::copy_n(std::as_bytes(std::span(values)).begin(), values.size() * sizeof(std::int32_t), chunk.begin());
    return bring;
  };
}

std::vector<std::int32_t> up_to(std::int64_t count) {
  std::vector<std::int32_t> values(static_cast<std::size_t>(count));
  std::iota(values.begin(), values.end(), 0);
  return values;
}

array_layout numbers(std::int64_t count) { return {dtype::i32, {count}, false}; }

TEST(callback_source, fills_chunks_from_parts_of_any_size) {
  for (const std::int64_t step : {1, 3, 100, 1000}) {
    for (const std::int64_t chunk : {1, 7, 64, 5000}) {
      for (const std::int64_t length : {std::int64_t{-1}, std::int64_t{257}}) {
        const auto in = make_source("numbers", numbers(length), counting(257, step));
        EXPECT_FALSE(in->random_access());
        EXPECT_EQ(read_all<std::int32_t>(*in, chunk), up_to(257));
        EXPECT_EQ(in->layout().extents, (std::vector<std::int64_t>{257}));
      }
    }
  }
}

TEST(callback_source, asks_for_no_more_than_the_shape_says) {
  const auto in = make_source("numbers", {dtype::i32, {10, 4}, false}, counting(1000, 1000));
  EXPECT_EQ(read_all<std::int32_t>(*in, 64), up_to(40));
}

TEST(callback_source, takes_any_order_if_it_may) {
  const auto in = make_source("numbers", numbers(100), counting(100, 9), true);
  EXPECT_TRUE(in->random_access());
  std::int32_t value = 0;
  EXPECT_EQ(in->read(73, std::as_writable_bytes(std::span(&value, 1))), 1);
  EXPECT_EQ(value, 73);
  EXPECT_EQ(in->read(2, std::as_writable_bytes(std::span(&value, 1))), 1);
  EXPECT_EQ(value, 2);
  EXPECT_EQ(in->read(100, std::as_writable_bytes(std::span(&value, 1))), 0);
}

TEST(callback_source, takes_streams_in_order_alone) {
  const auto in = make_source("numbers", numbers(100), counting(100, 9));
  std::int32_t value = 0;
  EXPECT_EQ(error_of<unsupported_error>([&] { in->read(1, std::as_writable_bytes(std::span(&value, 1))); }),
            "numbers: element 1 was asked for, 0 is next");
}

TEST(callback_source, tells_what_goes_wrong) {
  const auto read = [](array_layout layout, chunk_callback next) {
    const auto in = make_source("numbers", std::move(layout), std::move(next));
    read_all<std::int32_t>(*in);
  };
  EXPECT_EQ(error_of<format_error>([&] { read(numbers(10), counting(7, 5)); }),
            "numbers: the elements end after 7; expected shape (10,) of i32");
  EXPECT_EQ(error_of<format_error>([&] { read(numbers(10), [](auto, auto) { return 11; }); }),
            "numbers: found 11 elements brought at 0; expected 0 to 10");
  EXPECT_EQ(error_of<format_error>([&] { read(numbers(10), [](auto, auto) { return -1; }); }),
            "numbers: found -1 elements brought at 0; expected 0 to 10");
  EXPECT_EQ(error_of<shape_error>([&] { make_source("numbers", numbers(10), {}); }),
            "numbers: found no function that brings the elements");
  EXPECT_EQ(error_of<shape_error>([&] { make_source("numbers", numbers(-1), counting(1, 1), true); }),
            "numbers: random access needs a length that is known");
  EXPECT_THROW(read(numbers(10), [](auto, auto) -> std::int64_t { throw std::domain_error("the network is down"); }),
               std::domain_error);
}

}  // namespace
}  // namespace multifold::inline v0_1::io
