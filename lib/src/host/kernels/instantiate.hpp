// Makes folds out of operations: compiles the kernels of every SIMD level for each op of a family. For instance files.
#pragma once

#include <new>
#include <type_traits>

#include "host/kernels/instances.hpp"
#include "host/kernels/kernels.hpp"
#include "host/kernels/lower.hpp"
#include "host/kernels/whole_row.hpp"

namespace multifold::inline v0_1::host {

template <class Op>
void clear_accumulators(const void* op, std::byte* acc, std::int64_t count) {
  auto* const a = reinterpret_cast<typename Op::accumulator*>(acc);
  const auto identity = static_cast<const Op*>(op)->identity();
  for (std::int64_t i = 0; i < count; ++i) new (a + i) typename Op::accumulator(identity);
}

template <class Op>
void merge_accumulators(const void* op, std::byte* into, const std::byte* from, std::int64_t count) {
  auto* const a = reinterpret_cast<typename Op::accumulator*>(into);
  const auto* const b = reinterpret_cast<const typename Op::accumulator*>(from);
  for (std::int64_t i = 0; i < count; ++i) a[i] = static_cast<const Op*>(op)->combine(a[i], b[i]);
}

template <class Op>
inline constexpr fold_table table_of = {sizeof(typename Op::accumulator),
                                        clear_accumulators<Op>,
                                        merge_accumulators<Op>,
                                        lower_accumulators<Op>,
                                        reduce_row<Op>,
                                        nullptr,
                                        {{MULTIFOLD_OF_LEVELS(kernels, Op)}}};

template <fold_op Op>
fold fold_of(const Op& op) {
  static_assert(sizeof(Op) <= sizeof(fold::op) && std::is_trivially_copyable_v<Op>);
  static_assert(alignof(typename Op::accumulator) <= 16);
  fold f{};
  new (f.op) Op(op);
  f.table = &table_of<Op>;
  return f;
}

/// Calls fold_of with the struct of `what`, which must be of this family and of one of the element types Ts.
template <op_family Family, storage_type... Ts>
fold fold_among(const reduction& what) {
  fold f{};
  const auto make = [&](const auto& op) { f = fold_of(op); };
  ((what.input == dtype_of<Ts> ? visit_fold<Family, Ts>(what, make) : void()), ...);
  return f;
}

template <op_family Family>
fold fold_of_integers(const reduction& what) {
  return fold_among<Family, bool8, std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t,
                    std::uint32_t, std::uint64_t>(what);
}

template <op_family Family>
fold fold_of_reals(const reduction& what) {
  return fold_among<Family, f16, bf16, float, double>(what);
}

}  // namespace multifold::inline v0_1::host
