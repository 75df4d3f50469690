// Names of the element types, and the rules for the dtypes of results.
#include "multifold/dtype.hpp"
#include "core/every.hpp"

#include <gtest/gtest.h>

#include "multifold/ops.hpp"

namespace multifold {
namespace {

using test::all_dtypes;

TEST(dtype, names_are_read_back) {
  for (const dtype type : all_dtypes) EXPECT_EQ(parse_dtype(name(type)), type);
  EXPECT_EQ(parse_dtype("float32"), dtype::f32);
  EXPECT_EQ(parse_dtype("uint8"), dtype::u8);
  EXPECT_EQ(parse_dtype("bool"), dtype::boolean);
  EXPECT_EQ(parse_dtype("bfloat16"), dtype::bf16);
  for (const char* wrong : {"", "f", "F32", "f32 ", "float", "int128", "complex64"}) EXPECT_FALSE(parse_dtype(wrong));
}

TEST(dtype, visiting_agrees_with_the_tables) {
  for (const dtype type : all_dtypes) {
    visit_dtype(type, [&]<class T>() {
      EXPECT_EQ(dtype_of<T>, type);
      EXPECT_EQ(static_cast<std::int64_t>(sizeof(T)), item_bytes(type));
      EXPECT_EQ(floating_storage<T>, is_floating(type));
      EXPECT_EQ(std::is_unsigned_v<T>, is_unsigned(type));
    });
  }
}

TEST(dtype, operations_are_read_back) {
  for (int i = 0; i <= static_cast<int>(op_kind::count_nonzero); ++i) {
    const auto op = static_cast<op_kind>(i);
    EXPECT_EQ(parse_op(name(op)), op);
    EXPECT_FALSE(description(op).empty());
  }
  for (const char* wrong : {"", "Sum", "sum ", "average"}) EXPECT_FALSE(parse_op(wrong));
}

TEST(dtype, results_have_the_dtypes_of_the_contract) {
  EXPECT_EQ(default_result_dtype(op_kind::sum, dtype::boolean), dtype::i64);
  EXPECT_EQ(default_result_dtype(op_kind::sum, dtype::i8), dtype::i64);
  EXPECT_EQ(default_result_dtype(op_kind::prod, dtype::u16), dtype::u64);
  EXPECT_EQ(default_result_dtype(op_kind::mean, dtype::i32), dtype::f64);
  for (const dtype type : all_dtypes) {
    EXPECT_EQ(default_result_dtype(op_kind::min, type), type);
    EXPECT_EQ(default_result_dtype(op_kind::max, type), type);
    EXPECT_EQ(default_result_dtype(op_kind::argmin, type), dtype::i64);
    EXPECT_EQ(default_result_dtype(op_kind::argmax, type), dtype::i64);
    EXPECT_EQ(default_result_dtype(op_kind::any, type), dtype::boolean);
    EXPECT_EQ(default_result_dtype(op_kind::all, type), dtype::boolean);
    EXPECT_EQ(default_result_dtype(op_kind::count_nonzero, type), dtype::i64);
    for (const op_kind op : all_ops) EXPECT_TRUE(result_dtype_allowed(op, type, default_result_dtype(op, type)));
    if (!is_floating(type)) continue;
    for (const op_kind op : {op_kind::sum, op_kind::prod, op_kind::mean}) {
      EXPECT_EQ(default_result_dtype(op, type), type);
    }
  }
}

TEST(dtype, a_real_value_is_never_cut_to_an_integer) {
  EXPECT_FALSE(result_dtype_allowed(op_kind::sum, dtype::f32, dtype::i64));
  EXPECT_FALSE(result_dtype_allowed(op_kind::mean, dtype::i32, dtype::i32));
  EXPECT_FALSE(result_dtype_allowed(op_kind::max, dtype::bf16, dtype::u8));
  EXPECT_TRUE(result_dtype_allowed(op_kind::argmax, dtype::bf16, dtype::u8));
  EXPECT_TRUE(result_dtype_allowed(op_kind::count_nonzero, dtype::f64, dtype::u8));
  EXPECT_TRUE(result_dtype_allowed(op_kind::sum, dtype::i32, dtype::u8));
  EXPECT_TRUE(result_dtype_allowed(op_kind::sum, dtype::i32, dtype::f16));
}

}  // namespace
}  // namespace multifold
