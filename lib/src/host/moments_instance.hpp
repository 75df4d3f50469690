// Makes the folds of moments over one dtype. For instance files.
#pragma once

#include <new>

#include "host/instances.hpp"
#include "host/moments_lower.hpp"
#include "host/moments_rows.hpp"

namespace multifold::host {

template <class Op>
void clear_moments(const void* op, std::byte* acc, std::int64_t count) {
  auto* const a = reinterpret_cast<typename Op::accumulator*>(acc);
  for (std::int64_t i = 0; i < count; ++i) new (a + i) typename Op::accumulator(static_cast<const Op*>(op)->identity());
}

template <class Op>
void merge_moments(const void*, std::byte* into, const std::byte* from, std::int64_t count) {
  auto* const a = reinterpret_cast<typename Op::accumulator*>(into);
  const auto* const b = reinterpret_cast<const typename Op::accumulator*>(from);
  for (std::int64_t i = 0; i < count; ++i) a[i].merge(b[i]);
}

template <class Op, stretch_kernel<Op> Gather>
inline constexpr kernel_set moment_kernel_set = {moment_kernels<Op, Gather>::rows, moment_kernels<Op, Gather>::columns};

template <class Op>
inline constexpr fold_table moments_table = {
    sizeof(typename Op::accumulator),
    clear_moments<Op>,
    merge_moments<Op>,
    lower_moments<Op>,
    {{moment_kernel_set<Op, gather_portable<Op>>, moment_kernel_set<Op, gather_avx2<Op>>,
      moment_kernel_set<Op, gather_avx512<Op>>}}};

template <storage_type T>
fold moments_fold_of(const reduction& what) {
  fold f{};
  visit_fold<op_family::moments, T>(what, [&](const auto& op) {
    using Op = std::remove_cvref_t<decltype(op)>;
    static_assert(sizeof(Op) <= sizeof(fold::op) && alignof(typename Op::accumulator) <= 16);
    new (f.op) Op(op);
    f.table = &moments_table<Op>;
  });
  return f;
}

}  // namespace multifold::host
