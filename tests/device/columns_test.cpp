// Wide columns, which threads walk down: every width around those of a block's threads, rows that begin anywhere in a
// word, columns that threads share and that are dealt to several blocks, and an array that ends with the last of them.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "device/interpreted.hpp"

namespace multifold::device_tests {
namespace {

class columns : public device_test {
 protected:
  // Any bits, but of integers whose sum, or product, would not fit.
  std::vector<std::byte> elements_for(const reduction& what, std::int64_t count) {
    std::vector<std::byte> bytes(static_cast<std::size_t>(count * item_bytes(what.input)));
    for (std::byte& each : bytes) each = static_cast<std::byte>(rng());
    const bool product = what.op == op_kind::prod;
    if (is_floating(what.input) || item_bytes(what.input) < 8 || !(product || what.op == op_kind::sum)) return bytes;
    for (std::size_t i = 0; i < bytes.size(); i += sizeof(std::int64_t)) {
      const std::int64_t any = static_cast<std::int64_t>(rng() % 64),
                         sign = what.input == dtype::i64 && any % 2 == 0 ? -1 : 1;
      const std::int64_t x = sign * (!product ? any << 40 : any == 5 ? 3 : 1);
      std::memcpy(bytes.data() + i, &x, sizeof x);
    }
    return bytes;
  }
  // By a card of so few SMs; `gap` elements stand behind each row, and the array begins `shift` elements behind a line.
  void expect_same(const reduction& what, std::int64_t outer, std::int64_t length, std::int64_t inner,
                   std::int64_t gap = 0, std::int64_t shift = 0, int units = 2) {
    const std::int64_t item = item_bytes(what.input), row = inner + gap;
    const auto bytes = elements_for(what, outer * length * row - gap);
    array_view view = make_view(bytes.data(), what.input, {outer, length, inner});
    view.strides = {length * row, row, 1};
    engine_traits card = cuda::device_traits();
    card.units = units;
    const plan p = make_plan(what, normalise(view, {1}, order_of(what.op)), {}, card);
    ASSERT_EQ(p.passes.front().kind, kernel::columns) << explain(p);
    const device_array there(bytes, shift * item);
    ASSERT_EQ(run_on_device(p, there.data()), run_interpreted(p, {bytes.data()})) << explain(p);
  }

  random_engine rng{53};
};
class columns_Sanitized : public columns {};

// Those that plans read so.
std::vector<reduction> reductions_of(dtype type) {
  const std::int64_t item = item_bytes(type);
  std::vector<op_kind> ops{op_kind::argmin, op_kind::argmax, op_kind::any, op_kind::all, op_kind::count_nonzero};
  if (item >= 4) ops.insert(ops.end(), {op_kind::min, op_kind::max});
  if (item == 8) ops.push_back(op_kind::prod);
  if (!is_floating(type)) ops.insert(ops.end(), {op_kind::sum, op_kind::mean});
  std::vector<reduction> all;
  for (const op_kind op : ops) {
    all.push_back(make_reduction(op, type));
    if (is_floating(type)) all.push_back(make_reduction(op, type, nan_policy::omit));
  }
  return all;
}

constexpr dtype dtypes[] = {dtype::boolean, dtype::i8,  dtype::u8,  dtype::i16,  dtype::u16, dtype::i32, dtype::u32,
                            dtype::i64,     dtype::u64, dtype::f16, dtype::bf16, dtype::f32, dtype::f64};

TEST_F(columns, short_ones) {
  for (const dtype type : dtypes) {
    for (const reduction& what : reductions_of(type)) {
      for (const std::int64_t length : {32, 33, 35, 39, 47, 63}) {
        const std::int64_t inner = 512 / item_bytes(type) + length;
        ASSERT_NO_FATAL_FAILURE(expect_same(what, 3, length, inner, length % 3, length % 4));
      }
    }
  }
}

TEST_F(columns, of_every_width) {
  for (const dtype type : dtypes) {
    for (const op_kind op : {op_kind::argmin, op_kind::count_nonzero}) {
      const reduction what = make_reduction(op, type);
      for (std::int64_t more = 0; more < 20; ++more) {
        ASSERT_NO_FATAL_FAILURE(expect_same(what, 2, 36, 512 / item_bytes(type) + more));
        ASSERT_NO_FATAL_FAILURE(expect_same(what, 1, 33, 2040 / item_bytes(type) + more, 0, more % 3));
      }
    }
  }
}

// Of so many rows that threads share a column, and some are in several parts.
TEST_F(columns, that_threads_share) {
  for (const dtype type : dtypes) {
    for (const reduction& what : reductions_of(type)) {
      const std::int64_t inner = 520 / item_bytes(type) + 3;
      ASSERT_NO_FATAL_FAILURE(expect_same(what, 2, 331, inner, 1, 1));
      ASSERT_NO_FATAL_FAILURE(expect_same(what, 1, 1003, inner, 0, 3, 8));
    }
  }
}

// More rows than lanes hold in their narrowest form.
TEST_F(columns, long_ones) {
  for (const dtype type : {dtype::u8, dtype::boolean, dtype::i16, dtype::bf16}) {
    for (const op_kind op : {op_kind::argmax, op_kind::count_nonzero})
      ASSERT_NO_FATAL_FAILURE(expect_same(make_reduction(op, type), 1, 20'011, 520 / item_bytes(type), 0, 0, 1));
  }
}

TEST_F(columns_Sanitized, at_the_ends_of_their_memory) {
  for (const dtype type : dtypes) {
    const std::int64_t inner = 513 / item_bytes(type) + 1;
    for (const reduction& what : reductions_of(type)) ASSERT_NO_FATAL_FAILURE(expect_same(what, 1, 33, inner));
    for (const op_kind op : {op_kind::argmin, op_kind::count_nonzero})
      ASSERT_NO_FATAL_FAILURE(expect_same(make_reduction(op, type), 1, 301, inner));
  }
}

}  // namespace
}  // namespace multifold::device_tests
