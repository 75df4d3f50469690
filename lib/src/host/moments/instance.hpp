// Makes the folds of moments over one dtype. For instance files.
#pragma once

#include <new>

#include "host/kernels/instances.hpp"
#include "host/kernels/whole_row.hpp"
#include "host/moments/integers/columns.hpp"
#include "host/moments/integers/lower.hpp"
#include "host/moments/narrow.hpp"
#include "host/moments/narrow_lower.hpp"

namespace multifold::inline v0_1::host {

template <class Op>
void clear_moments(const void* op, std::byte* acc, std::int64_t count) {
  auto* const a = reinterpret_cast<typename Op::accumulator*>(acc);
  for (std::int64_t i = 0; i < count; ++i) new (a + i) typename Op::accumulator(static_cast<const Op*>(op)->identity());
}

template <class Op>
void merge_partials(const void* op, std::byte* into, const std::byte* from, std::int64_t count) {
  auto* const a = reinterpret_cast<typename Op::accumulator*>(into);
  const auto* const b = reinterpret_cast<const typename Op::accumulator*>(from);
  for (std::int64_t i = 0; i < count; ++i) static_cast<const Op*>(op)->merge(a[i], b[i]);
}

// Integers.
template <class Op>
MULTIFOLD_INLINE void integer_columns(const void* op, const columns_work& w) {
  gather_columns(*static_cast<const Op*>(op), reinterpret_cast<typename Op::accumulator*>(w.acc), w);
}
template <class Op>
[[gnu::flatten]] void integer_columns_portable(const void* op, const columns_work& w) {
  integer_columns<Op>(op, w);
}
template <class Op>
MULTIFOLD_AVX2 void integer_columns_avx2(const void* op, const columns_work& w) {
  integer_columns<Op>(op, w);
}
template <class Op>
MULTIFOLD_AVX512 void integer_columns_avx512(const void* op, const columns_work& w) {
  integer_columns<Op>(op, w);
}

template <class Op>
inline constexpr kernel_set integer_kernels_portable = {moment_rows<Op, gather_portable<Op>>::rows,
                                                        integer_columns_portable<Op>};
template <class Op>
inline constexpr kernel_set integer_kernels_avx2 = {moment_rows<Op, gather_avx2<Op>>::rows, integer_columns_avx2<Op>};
template <class Op>
inline constexpr kernel_set integer_kernels_avx512 = {moment_rows<Op, gather_avx512<Op>>::rows,
                                                      integer_columns_avx512<Op>};

template <class T, moment_set Set, class Op = integer_gather<T, Set>>
inline constexpr fold_table integer_table = {sizeof(typename Op::accumulator),
                                             clear_moments<Op>,
                                             merge_partials<Op>,
                                             lower_integers<T, Set>,
                                             reduce_row<Op>,
                                             nullptr,
                                             {{MULTIFOLD_OF_LEVELS(integer_kernels, Op)}}};

template <class T, moment_set Set>
fold integer_fold_of(const exact_moments<T, Set>& moments) {
  using op_type = integer_gather<T, Set>;
  static_assert(sizeof(op_type) <= sizeof(fold::op) && alignof(typename op_type::accumulator) <= 16);
  fold f{};
  new (f.op) op_type{moments};
  f.table = &integer_table<T, Set>;
  f.lane_width = integer_lane_count / 2;
  f.rows_below = integer_lane_count / 4;
  return f;
}

// The narrow operation, and what it has by level.
template <class T, moment_set Set>
std::uint64_t lanes_portable(const moment_gather<T, Set>& op, moment_partial<carrier_of<T>, Set>* acc,
                             std::int64_t step, const lane_rows<T>& rows, int n) {
  return gather_lanes<false>(op, acc, step, rows, n);
}
template <class T, moment_set Set>
MULTIFOLD_AVX2 std::uint64_t lanes_avx2(const moment_gather<T, Set>& op, moment_partial<carrier_of<T>, Set>* acc,
                                        std::int64_t step, const lane_rows<T>& rows, int n) {
  return gather_lanes<true>(op, acc, step, rows, n);
}
template <class T, moment_set Set>
MULTIFOLD_AVX512 std::uint64_t lanes_avx512(const moment_gather<T, Set>& op, moment_partial<carrier_of<T>, Set>* acc,
                                            std::int64_t step, const lane_rows<T>& rows, int n) {
  return gather_lanes<true>(op, acc, step, rows, n);
}
template <class T, moment_set Set>
MULTIFOLD_AVX2 outcome lower_avx2(const void* op, const lower_work& w) {
  return lower_partials<T, Set>(op, w);
}

template <class T, moment_set Set, class Op = exact_moments<T, Set>>
inline constexpr moment_level<T, Set> moments_portable = {gather_portable<Op>, lanes_portable<T, Set>,
                                                          lower_partials<T, Set>};
template <class T, moment_set Set, class Op = exact_moments<T, Set>>
inline constexpr moment_level<T, Set> moments_avx2 = {gather_avx2<Op>, lanes_avx2<T, Set>, lower_avx2<T, Set>};
template <class T, moment_set Set, class Op = exact_moments<T, Set>>
inline constexpr moment_level<T, Set> moments_avx512 = {gather_avx512<Op>, lanes_avx512<T, Set>, lower_avx2<T, Set>};
template <class T, moment_set Set>
inline constexpr moment_level<T, Set> moment_levels[simd_levels] = {MULTIFOLD_OF_LEVELS(moments, T, Set)};

template <class Op>
outcome lower_by_level(const void* op, const lower_work& w) {
  return static_cast<const Op*>(op)->level->lower(op, w);
}

template <class T, moment_set Set>
inline constexpr kernel_set narrow_kernel_set = {narrow_kernels<T, Set>::rows, narrow_kernels<T, Set>::columns};

template <class T, moment_set Set, class Op = moment_gather<T, Set>>
inline constexpr fold_table narrow_table = {
    sizeof(typename Op::accumulator),
    clear_moments<Op>,
    merge_partials<Op>,
    lower_by_level<Op>,
    reduce_row_that_spills<Op>,
    give_arena<Op>,
    {{narrow_kernel_set<T, Set>, narrow_kernel_set<T, Set>, narrow_kernel_set<T, Set>}}};

template <class T, moment_set Set>
fold narrow_fold_of(const exact_moments<T, Set>& moments) {
  using op_type = moment_gather<T, Set>;
  static_assert(sizeof(op_type) <= sizeof(fold::op) && alignof(typename op_type::accumulator) <= 16);
  fold f{};
  new (f.op) op_type{moments, nullptr, &moment_levels<T, Set>[static_cast<std::size_t>(simd_in_use())]};
  f.table = &narrow_table<T, Set>;
  f.lane_width = moment_lane_count / 2;
  f.rows_below = moment_lane_count / 4;
  return f;
}

template <storage_type T>
fold moments_fold_of(const reduction& what) {
  fold f{};
  visit_fold<op_family::moments, T>(what, [&]<moment_set Set>(const exact_moments<T, Set>& op) {
    if constexpr (floating_storage<T>) f = narrow_fold_of(op);
    else f = integer_fold_of(op);
  });
  return f;
}

}  // namespace multifold::inline v0_1::host
