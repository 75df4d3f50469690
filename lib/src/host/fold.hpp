// One operation over one dtype, with its kernels, behind plain function pointers: what the engine and the chunk
// pipeline are written in, so that neither is compiled once per operation.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "host/exact/sum_arena.hpp"
#include "host/simd.hpp"
#include "multifold/plan.hpp"
#include "plan/outcome.hpp"

namespace multifold::inline v0_1::host {

using multifold::detail::outcome, multifold::detail::shared_outcome;

/// `rows` runs of `length` contiguous elements. Element k of row r has the index
/// `index + r * index_row_step + k * index_step` in its batch; row r is merged into accumulator `r * acc_step`.
struct rows_work {
  const std::byte* data;
  std::int64_t length;
  std::int64_t rows;
  std::int64_t row_stride;  // elements
  std::byte* acc;
  std::int64_t acc_step;  // accumulators; 0 where all rows belong to one batch
  std::int64_t index, index_row_step, index_step;
  std::ptrdiff_t other;  // bytes from an element to its partner in a second array, if there is one
};

/// `rows` runs of `width` contiguous elements: element j of every row is merged into accumulator j.
struct columns_work {
  const std::byte* data;
  std::int64_t width;
  std::int64_t rows;
  std::int64_t row_stride;  // elements
  std::byte* acc;
  std::int64_t index, index_row_step;
  std::ptrdiff_t other;
};

/// How accumulators become results: `out_step` bytes lie between neighbours. Outcomes count them from 0.
struct lower_work {
  const reduction* what;
  const std::byte* acc;
  std::int64_t results;
  std::int64_t count;  // elements of a batch
  std::byte* out;
  std::int64_t out_step;
  const std::int64_t* counts = nullptr;  // of each batch where they differ, and none is 0; else null

  std::int64_t count_of(std::int64_t batch) const { return counts != nullptr ? counts[batch] : count; }
};

/// `count` neighbours, of one array or of two, as one result at `out`.
struct whole_row {
  const reduction* what;
  operands data;
  std::int64_t count;
  std::byte* out;
};

struct kernel_set {
  void (*rows)(const void* op, const rows_work& work);
  void (*columns)(const void* op, const columns_work& work);
};

struct fold;

/// The functions of one operation. Accumulators are addressed by bytes, `acc_bytes` apart and aligned to 16. They may
/// be moved by copying their bits. `clear` takes raw memory; what `merge` reads and `lower` lowers is not used again,
/// or cleared before it is.
struct fold_table {
  std::int64_t acc_bytes;
  void (*clear)(const void* op, std::byte* acc, std::int64_t count);
  void (*merge)(const void* op, std::byte* into, const std::byte* from, std::int64_t count);  // element by element
  outcome (*lower)(const void* op, const lower_work& work);
  outcome (*row)(const fold& f, const whole_row& work);  // with all that it takes on the stack
  void (*give_arena)(fold& f);                           // null where accumulators never spill
  std::array<kernel_set, simd_levels> kernels;
};

/// A fold that is ready to run: the operation's state, its functions, and the kernels of the level in use.
struct fold {
  alignas(16) std::byte op[32];
  const fold_table* table;
  kernel_set kernels;
  std::int64_t item;            // bytes of an element
  bool any_order;               // the same bits in whatever order elements are merged
  std::int64_t lane_width = 0;  // fewer columns than this leave lanes of its kernels idle, however long they are
  std::int64_t rows_below = 0;  // fewer than this are quicker as rows
  simd_level level;
  std::shared_ptr<spill_arena> arena;  // where accumulators of exact sums keep what does not fit them, if they do

  std::int64_t acc_bytes() const { return table->acc_bytes; }
  void clear(std::byte* acc, std::int64_t count) const { table->clear(op, acc, count); }
  void merge(std::byte* into, const std::byte* from, std::int64_t count) const { table->merge(op, into, from, count); }
  outcome lower(const lower_work& work) const { return table->lower(op, work); }
  outcome row(const whole_row& work) const { return table->row(*this, work); }
  void rows(const rows_work& work) const { kernels.rows(op, work); }
  void columns(const columns_work& work) const { kernels.columns(op, work); }
};

/// The fold of `what` at simd_in_use().
fold make_fold(const reduction& what);

/// The same without an arena: its accumulators must not be used, only `row`. Allocates nothing.
fold make_row_fold(const reduction& what);

}  // namespace multifold::inline v0_1::host
