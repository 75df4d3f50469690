// What the GPU engine enqueues for a plan, and the slices of the workspace that it uses: values that are made from the
// plan on demand, and that enqueueing, topologies and the size of the workspace are read from.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "multifold/export.hpp"
#include "multifold/plan.hpp"

namespace multifold::inline v0_1 {

/// Every slice of a workspace, and the workspace itself, starts at a multiple of so many bytes.
inline constexpr std::int64_t slice_alignment = 256;

/// The grid of a kernel with a thread, or a share of a block, for each of `items`, and its usual block.
inline constexpr int item_threads = 256;
constexpr std::int64_t item_blocks(std::int64_t items, std::int64_t items_a_block = item_threads) noexcept {
  return std::min((items + items_a_block - 1) / items_a_block, std::int64_t{1} << 20);
}

enum class slice_use : std::uint8_t {
  status,         // the status word
  waiting,        // results in the order of their batches
  lost,           // a bit a batch, of those that have to be read again
  words,          // sums in which the parts of a batch meet, or sums of parts
  arrivals,       // a counter a batch, of parts that have ended
  marked,         // exact rows of f64: a counter a batch, of parts with marked tiles, and two more
  claims,         // exact rows: a counter a batch, of tiles that parts have asked for
  tile_marks,     // exact rows of f64: a byte a tile
  part_extremes,  // descriptions: of every part
  partials,       // accumulators
};

MULTIFOLD_EXPORT std::string_view name(slice_use use) noexcept;

/// A memset, or a kernel.
enum class step_kind : std::uint8_t {
  clear,
  fill_identity,
  block_rows,
  columns,
  tiles,
  tile_sums,
  row_sums,
  strided,
  partials,
  bin_rows,
  bin_parts,
  pair_rows,
  wide_rows,
  block_sums,
  block_parts,
  part_sums,
  part_lanes,
  moment_groups,
  sum_groups,
  place_results
};

MULTIFOLD_EXPORT std::string_view name(step_kind kind) noexcept;

/// What becomes of a call's results.
enum class recipe_end : std::uint8_t {
  results,       // put in their places, and failures noted in the status word
  fold_results,  // the same of an operation of the user's own, which notes nothing
  accumulators,  // merged into accumulators
};

/// A pass by its index; plan::again behind the others.
inline const pass& pass_at(const plan& p, std::size_t index) {
  return index < p.passes.size() ? p.passes[index] : *p.again;
}

/// The slices are in the order of their places, the steps in the order in which they are enqueued.
class recipe {
 public:
  struct slice {
    slice_use use;
    std::uint8_t pass;  // that uses it, as of pass_at; 0 for the first two uses
    std::int64_t offset, bytes;
  };

  struct step {
    static constexpr std::uint8_t no_pass = 255;

    step_kind kind;
    std::uint8_t pass;                 // that the kernel runs, as of pass_at; no_pass for others
    std::uint8_t first_slice, slices;  // of a memset: it goes from the first one to the end of the last one
    bool early;                        // may be started before the kernel in front of it has ended
    int threads;                       // a block
    std::int64_t blocks;
  };

  std::span<const slice> slices() const noexcept { return {slices_, slice_count_}; }
  std::span<const step> steps() const noexcept { return {steps_, step_count_}; }
  std::span<const slice> cleared_by(const step& s) const noexcept { return slices().subspan(s.first_slice, s.slices); }
  std::int64_t cleared_bytes(const step& s) const noexcept {
    const auto cleared = cleared_by(s);
    return cleared.back().offset + cleared.back().bytes - cleared.front().offset;
  }
  std::int64_t workspace_bytes() const noexcept { return end_; }

 private:
  friend class recipe_builder;
  // Not cleared: a recipe is made for every call that enqueues a reduction.
  recipe() noexcept {}

  static constexpr std::size_t most = 64;
  std::size_t slice_count_ = 0, step_count_ = 0;
  std::int64_t end_ = 0;
  slice slices_[most];
  step steps_[most];
};

/// Of `p`; a plan for the host engine has no steps. Cost: a fraction of a microsecond; nothing is allocated, unless
/// results wait. Throws: unsupported_error for more passes than make_plan makes, or more runs of results than kernels
/// take.
MULTIFOLD_EXPORT recipe recipe_of(const plan& p, recipe_end end = recipe_end::results);

}  // namespace multifold::inline v0_1
