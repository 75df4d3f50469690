// Bytes that are no state are refused, and say where and why.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "multifold/multifold.hpp"
#include "reduce/states/signed_state.hpp"

namespace multifold {
namespace {

using test_states::bytes, test_states::message_of, test_states::signed_again, test_states::with;

reduce_options over(std::vector<std::int64_t> axes) {
  reduce_options options;
  options.axes = std::move(axes);
  options.engine = engine_choice::host;
  return options;
}

const std::vector<float> x{3, -1, 4, -1, 5, -9};
const array_view table = make_view(x.data(), {2, 3});

// A few of each layout.
std::vector<bytes> some_states() {
  const std::vector<std::int16_t> integers{1, -2, 3, 4, -5, 6};
  const array_view whole = make_view(integers.data(), {2, 3});
  std::vector<bytes> made;
  for (const op_kind op : all_ops) {
    made.push_back(reduce_to_state(op, whole, over({1})).bytes());
    if (op != op_kind::prod) made.push_back(reduce_to_state(op, table, over({1})).bytes());
  }
  for (const op_kind op : two_array_ops) made.push_back(reduce_to_state(op, table, table).bytes());
  made.push_back(reduce_to_state(op_kind::describe, table).bytes());
  made.push_back(reduce_to_state(op_kind::sum, table).bytes());
  return made;
}

TEST(bad_states, that_are_cut_or_changed_anywhere_are_refused) {
  for (const bytes& good : some_states()) {
    const state of(good);
    EXPECT_EQ(of.bytes(), good);
    for (std::size_t size = 0; size < good.size(); ++size) {
      EXPECT_THROW(state(std::span(good).first(size)), format_error) << of.name() << " cut to " << size;
    }
    bytes longer = good;
    longer.push_back(std::byte{0});
    EXPECT_THROW((state(longer)), format_error) << of.name();
    for (std::size_t at = 0; at < good.size(); ++at) {
      bytes bad = good;
      bad[at] ^= std::byte{1};
      EXPECT_THROW((state(bad)), format_error) << of.name() << " changed at " << at;
    }
  }
}

// With a checksum that fits, what is read is either the only form of some value, or refused.
TEST(bad_states, that_are_signed_are_read_as_they_are_or_refused) {
  for (const bytes& good : some_states()) {
    for (std::size_t at = 0; at + 8 < good.size(); ++at) {
      for (const unsigned flip : {1u, 0x80u, 0xffu}) {
        bytes bad = good;
        bad[at] ^= static_cast<std::byte>(flip);
        bad = signed_again(std::move(bad));
        try {
          const state read(bad);
          EXPECT_EQ(read.bytes(), bad) << read.name() << " changed at " << at;
        } catch (const format_error&) {
        }
      }
    }
  }
}

std::string refusal(const bytes& state_bytes) {
  return message_of<format_error>([&] { state(std::span(state_bytes)); });
}

TEST(bad_states, say_what_is_wrong) {
  const bytes good = reduce_to_state(op_kind::argmax, table, over({1})).bytes();
  ASSERT_EQ(good.size(), 40 + 8 + 16 + 2 * 20 + 8);
  EXPECT_EQ(refusal(with(good, 8, 2, 3)),
            "state, byte 8: found version 3, expected version 1 or 2; a newer multifold wrote this");
  EXPECT_EQ(refusal(with(good, 8, 2, 0)), "state, byte 8: found version 0, expected version 1 or 2");
  EXPECT_EQ(refusal(with(good, 10, 1, 14)), "state, byte 10: found 14, expected a family from 1 to 13");
  EXPECT_EQ(refusal(with(good, 11, 1, 0)), "state, byte 11: found 0, expected 1 to 13");
  EXPECT_EQ(refusal(with(good, 12, 1, 2)),
            "state, byte 12: found 2, expected 0 (NaN propagates) or 1 (NaN is omitted)");
  EXPECT_EQ(refusal(with(good, 13, 1, 255)), "state, byte 104: found the end, expected 255 extents");
  EXPECT_EQ(refusal(with(good, 14, 1, 1)), "state, byte 14: found 1, expected 0");
  EXPECT_EQ(refusal(with(good, 16, 8, UINT64_MAX)),
            "state, byte 112: found the end, expected 18446744073709551615 bytes");
  EXPECT_EQ(refusal(with(good, 24, 8, UINT64_MAX)), "state, byte 24: found -1 elements, expected 0 or more");
  EXPECT_EQ(refusal(with(good, 24, 8, 4)), "state, byte 24: found 4 elements, expected 3, as the runs have");
  EXPECT_EQ(refusal(with(good, 32, 8, INT64_MAX)),
            "state, byte 104: found the end, expected 9223372036854775807 runs of indices");
  EXPECT_EQ(refusal(with(good, 40, 8, INT64_MAX)),
            "state, byte 64: found 40 bytes, expected 9223372036854775807 records of 20");
  EXPECT_EQ(refusal(with(good, 40, 8, UINT64_MAX)), "state, byte 40: found an extent of -1, expected 0 or more");
  EXPECT_EQ(refusal(with(good, 48, 8, INT64_MAX)),
            "state, byte 48: found 3 elements from 9223372036854775807 on, expected 1 or more, behind element -1 and "
            "apart from it");
  EXPECT_EQ(refusal(with(good, 64, 4, 3)), "state, byte 64: found 3, expected 0 (none), 1 (a number) or 2 (NaN)");
  EXPECT_EQ(refusal(with(good, 76, 8, 3)), "state, byte 76: found index 3, expected that of an element");
  EXPECT_EQ(refusal(with(good, 72, 4, 1)),
            "state, byte 72: found 1, expected 0, as the only form of this value has it");
  EXPECT_EQ(refusal(bytes(good.begin(), good.begin() + 20)),
            "state, byte 20: found the end, expected 48 bytes or more");
  bytes corrupt = good;
  corrupt[70] ^= std::byte{1};
  EXPECT_NE(refusal(corrupt).find("; the state is corrupted"), std::string::npos);
}

TEST(bad_states, extents_have_a_product) {
  constexpr std::int64_t large = std::int64_t{1} << 62;
  const state none(op_kind::any, dtype::f32, {large, 4, 0});
  EXPECT_EQ(state(none.bytes()).extents(), none.extents());
  EXPECT_EQ(refusal(with(none.bytes(), 56, 8, 1)), "state, byte 40: found more than 2^63 - 1 results, expected fewer");
}

TEST(bad_states, counts_do_not_overflow) {
  state most(with(state(op_kind::any, dtype::f32).bytes(), 24, 8, INT64_MAX));
  EXPECT_EQ(most.count(), INT64_MAX);
  const bytes before = most.bytes();
  EXPECT_THROW(most.merge(most), overflow_error);
  EXPECT_EQ(most.bytes(), before);
}

}  // namespace
}  // namespace multifold
