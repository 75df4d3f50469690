// Small arrays go straight to a row of the CPU engine, all others the way of any array.
#include "multifold/ranges.hpp"

#include <cstddef>
#include <cstring>
#include <type_traits>
#include <vector>

#include "host/short_row.hpp"
#include "multifold/error.hpp"
#include "multifold/exact.hpp"
#include "reduce/engines.hpp"
#include "reduce/linked.hpp"

namespace multifold::inline v0_1::detail {
namespace {

std::int64_t signed_count(std::size_t count) { return static_cast<std::int64_t>(count); }

void reduce_as_arrays(const span_operands& s, void* result) {
  const array_view x = make_view(s.x, s.type, {signed_count(s.count)});
  const array_view y = make_view(s.y, s.type, {signed_count(s.y_count)});
  reduce_views(s.op, x, takes_two_arrays(s.op.kind) ? &y : nullptr, s.taken, result);
}

// Of any dtype: their bytes are a number.
constexpr std::size_t most_short_row = INT64_C(1) << 40;

// What is wrong, or has no value, is left to those who say why.
bool is_short_row(const span_operands& s, const reduction& what) {
  const bool two = takes_two_arrays(s.op.kind);
  if (s.count == 0 || s.x == nullptr || (two && (s.y == nullptr || s.count != s.y_count))) return false;
  if (!s.taken.is_valid() || s.count > most_short_row) return false;
  return host::is_for_one_thread(what, true, signed_count(s.count) * item_bytes(s.type)) && host_takes_small_arrays();
}

}  // namespace

void reduce_spans(const span_operands& s, void* result) {
  reduction what = make_reduction(s.op.kind, s.type);
  what.correction = s.taken.held();
  if (is_short_row(s, what)) host::run_row(what, {s.x, s.y}, signed_count(s.count), result);
  else reduce_as_arrays(s, result);
}

void reduce_views(linked_op op, const array_view& x, const array_view* y, const correction& taken, void* result) {
  reduce_options options;
  options.correction = taken;
  const std::int64_t bytes = op.kind == op_kind::describe ? static_cast<std::int64_t>(sizeof(summary))
                                                          : item_bytes(default_result_dtype(op.kind, x.type));
  options.into = {static_cast<std::byte*>(result), static_cast<std::size_t>(bytes)};
  if (y != nullptr) reduce_linked(op.kind, x, *y, options);
  else reduce_linked(op.kind, x, options);
}

void reduce_extremes(linked_op, const array_view& x, void* least, void* greatest) {
  constexpr op_kind extremes[] = {op_kind::min, op_kind::max};
  const std::vector<reduce_result> both = reduce_linked(extremes, x, {});
  std::memcpy(least, both[0].data.data(), both[0].data.size());
  std::memcpy(greatest, both[1].data.data(), both[1].data.size());
}

namespace {

template <storage_type T>
void subtract_elements(const void* a, const void* b, void* result) {
  const T x = *static_cast<const T*>(a), y = *static_cast<const T*>(b);
  if constexpr (is_floating(dtype_of<T>)) {  // whatever rounding the caller's thread has set
    using layout = float_layout<T>;
    exact_sum<T> difference;
    difference.add(x);
    difference.add(
        bit_copy<T>(static_cast<typename layout::bits_type>(bit_copy<typename layout::bits_type>(y) ^ layout::sign)));
    *static_cast<T*>(result) = round_to<T>(difference);
  } else if constexpr (std::is_same_v<T, bool8>) {
    *static_cast<std::int64_t*>(result) = (x.bits != 0 ? 1 : 0) - (y.bits != 0 ? 1 : 0);
  } else {
    const int128_t difference = static_cast<int128_t>(x) - static_cast<int128_t>(y);
    if constexpr (is_unsigned(dtype_of<T>)) {
      *static_cast<std::uint64_t*>(result) = static_cast<std::uint64_t>(difference);
    } else {
      if (difference > INT64_MAX) throw overflow_error("the difference of the extremes does not fit i64");
      *static_cast<std::int64_t*>(result) = static_cast<std::int64_t>(difference);
    }
  }
}

}  // namespace

void subtract(dtype type, const void* a, const void* b, void* result) {
  visit_dtype(type, [&]<class T>() { subtract_elements<T>(a, b, result); });
}

}  // namespace multifold::inline v0_1::detail
