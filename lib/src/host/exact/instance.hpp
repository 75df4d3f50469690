// Makes the fold of an exact sum over one dtype. For instance files.
#pragma once

#include <new>

#include "host/exact/columns.hpp"
#include "host/exact/elements.hpp"
#include "host/exact/half_sum.hpp"
#include "host/exact/lower.hpp"
#include "host/kernels/instances.hpp"
#include "host/kernels/kernels.hpp"
#include "host/kernels/whole_row.hpp"

namespace multifold::inline v0_1::host {

template <class T>
void add_portable(exact_sum<T>& sum, const packed<T>* x, std::int64_t count) {
  add_any(sum, x, count);
}
template <class T>
MULTIFOLD_AVX2 void add_avx2(exact_sum<T>& sum, const packed<T>* x, std::int64_t count) {
  add_any(sum, x, count);
}
template <class T>
MULTIFOLD_AVX512 void add_avx512(exact_sum<T>& sum, const packed<T>* x, std::int64_t count) {
  add_any(sum, x, count);
}

template <simd_level Level, class T>
MULTIFOLD_INLINE exact_pair sum_tile(const packed<T>* x, std::int64_t count) {
  if constexpr (std::is_same_v<T, f16>) return sum_of_halves<Level>(x, count);
  else return pair_sum(x, count);
}

template <class T>
exact_pair tile_portable(const packed<T>* x, std::int64_t count) {
  return sum_tile<simd_level::portable>(x, count);
}
template <class T>
MULTIFOLD_AVX2 exact_pair tile_avx2(const packed<T>* x, std::int64_t count) {
  return sum_tile<simd_level::avx2>(x, count);
}
template <class T>
MULTIFOLD_AVX512 exact_pair tile_avx512(const packed<T>* x, std::int64_t count) {
  return sum_tile<simd_level::avx512>(x, count);
}

template <class T>
inline constexpr exact_kernels<T> exact_portable = {add_portable<T>, tile_portable<T>};
template <class T>
inline constexpr exact_kernels<T> exact_avx2 = {add_avx2<T>, tile_avx2<T>};
template <class T>
inline constexpr exact_kernels<T> exact_avx512 = {add_avx512<T>, tile_avx512<T>};
template <class T>
inline constexpr exact_kernels<T> exact_kernels_of[simd_levels] = {MULTIFOLD_OF_LEVELS(exact, T)};

template <class Op>
void clear_exact(const void* op, std::byte* acc, std::int64_t count) {
  auto* const a = reinterpret_cast<typename Op::accumulator*>(acc);
  for (std::int64_t i = 0; i < count; ++i) new (a + i) typename Op::accumulator(static_cast<const Op*>(op)->identity());
}

template <class Op>
void merge_exact(const void* op, std::byte* into, const std::byte* from, std::int64_t count) {
  auto* const a = reinterpret_cast<typename Op::accumulator*>(into);
  const auto* const b = reinterpret_cast<const typename Op::accumulator*>(from);
  for (std::int64_t i = 0; i < count; ++i) static_cast<const Op*>(op)->merge(a[i], b[i]);
}

template <class T, bool Omit, class Op = exact_gather<T, Omit>>
inline constexpr fold_table exact_table = {sizeof(typename Op::accumulator),
                                           clear_exact<Op>,
                                           merge_exact<Op>,
                                           lower_exactly<T, Omit>,
                                           reduce_row_that_spills<Op>,
                                           give_arena<Op>,
                                           {{MULTIFOLD_OF_LEVELS(kernels, Op)}}};

template <class T, bool Omit>
fold exact_fold() {
  using op_type = exact_gather<T, Omit>;
  static_assert(sizeof(op_type) <= sizeof(fold::op));
  fold f{};
  new (f.op) op_type{nullptr, &exact_kernels_of<T>[static_cast<std::size_t>(simd_in_use())]};
  f.table = &exact_table<T, Omit>;
  return f;
}

template <class T>
fold exact_fold_of(const reduction& what) {
  return what.nan == nan_policy::omit ? exact_fold<T, true>() : exact_fold<T, false>();
}

}  // namespace multifold::inline v0_1::host
