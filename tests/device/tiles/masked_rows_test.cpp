// Short rows of narrow elements, of which vectors are taken whose ends belong to other rows: every length, beginnings
// anywhere in a vector, and neighbours that would change the result.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "device/interpreted.hpp"

namespace multifold::device_tests {
namespace {

class masked_rows : public device_test {
 protected:
  // Any bits; of floating point NaN, too, one row in some.
  std::vector<std::byte> random_bytes(std::int64_t count) {
    std::vector<std::byte> bytes(static_cast<std::size_t>(count));
    for (std::byte& each : bytes) each = static_cast<std::byte>(rng());
    return bytes;
  }
  // The rows begin `shift` elements behind a line boundary.
  void expect_same(const reduction& what, std::int64_t batches, std::int64_t length, std::int64_t shift) {
    const std::int64_t item = item_bytes(what.input);
    const auto bytes = random_bytes(batches * length * item);
    const array_view view = make_view(bytes.data(), what.input, {batches, length});
    const plan p = make_plan(what, normalise(view, {1}, order_of(what.op)), {}, cuda::device_traits());
    const device_array there(bytes, shift * item);
    ASSERT_EQ(run_on_device(p, there.data()), run_interpreted(p, {bytes.data()})) << explain(p);
  }

  random_engine rng{37};
};

std::vector<reduction> reductions_of(dtype type) {
  std::vector<reduction> all;
  for (const op_kind op : {op_kind::min, op_kind::max, op_kind::any, op_kind::all, op_kind::count_nonzero})
    all.push_back(make_reduction(op, type));
  if (is_floating(type)) {
    for (const op_kind op : {op_kind::min, op_kind::max}) all.push_back(make_reduction(op, type, nan_policy::omit));
  } else {
    for (const op_kind op : {op_kind::sum, op_kind::mean}) all.push_back(make_reduction(op, type));
  }
  return all;
}

constexpr dtype narrow[] = {dtype::boolean, dtype::i8,   dtype::u8,  dtype::i16, dtype::u16,
                            dtype::f16,     dtype::bf16, dtype::i32, dtype::u32, dtype::f32};

TEST_F(masked_rows, of_every_length) {
  for (const dtype type : narrow) {
    for (const reduction& what : reductions_of(type)) {
      for (std::int64_t length = 1; length <= 100; ++length)
        ASSERT_NO_FATAL_FAILURE(expect_same(what, 37, length, length % 17)) << length;
    }
  }
}

TEST_F(masked_rows, of_many_vectors) {
  for (const dtype type : narrow) {
    for (const reduction& what : reductions_of(type)) {
      for (const std::int64_t length : {127, 255, 391, 1000, 4099, 20011})
        ASSERT_NO_FATAL_FAILURE(expect_same(what, 23, length, length % 13)) << length;
    }
  }
}

// All elements as great as can be, and as small: what is neutral must not be better.
class masked_rows_Sanitized : public masked_rows {};

TEST_F(masked_rows_Sanitized, of_one_value) {
  for (const dtype type : narrow) {
    const std::int64_t item = item_bytes(type);
    for (const int value : {0x00, 0x01, 0x7f, 0x80, 0xff}) {
      for (const std::int64_t length : {std::int64_t{45}, std::int64_t{301}}) {
        const std::vector<std::byte> bytes(static_cast<std::size_t>(19 * length * item), static_cast<std::byte>(value));
        const array_view view = make_view(bytes.data(), type, {19, length});
        const device_array there(bytes, item);
        for (const reduction& what : reductions_of(type)) {
          const plan p = make_plan(what, normalise(view, {1}, order_of(what.op)), {}, cuda::device_traits());
          ASSERT_EQ(run_on_device(p, there.data()), run_interpreted(p, {bytes.data()})) << explain(p);
        }
      }
    }
  }
}

}  // namespace
}  // namespace multifold::device_tests
