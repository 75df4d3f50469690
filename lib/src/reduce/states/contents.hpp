// What a state holds, and its bytes. The format: docs/states.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/state_record.hpp"
#include "multifold/state.hpp"

namespace multifold::inline v0_1::detail {

/// Operations whose results come of the same accumulators. The numbers are those of files.
enum class state_family : std::uint8_t {
  sums = 1,
  products = 2,
  minima = 3,
  maxima = 4,
  first_minima = 5,
  first_maxima = 6,
  tallies = 7,
  magnitudes = 8,
  squares = 9,
  spreads = 10,
  pairs = 11,
  joints = 12,
  descriptions = 13,
};

inline constexpr std::size_t most_state_extents = 255;  // one byte of the file tells how many

state_family state_family_of(op_kind op) noexcept;

/// Records lie in row-major order of the extents.
struct state_contents {
  state_family family;
  dtype element;
  nan_policy nan;
  std::vector<std::int64_t> extents;
  std::int64_t count = 0;       // elements of each result; 0 where they differ
  std::vector<index_run> runs;  // ascending, apart from each other; of families with indices alone
  std::vector<std::byte> records;
  std::vector<std::int64_t> counts = {};  // of each result where they differ, as those of segments; else empty

  bool operator==(const state_contents&) const = default;
  bool has(op_kind op) const noexcept { return state_family_of(op) == family; }
  /// What one of its operations folds.
  reduction what() const;
  bool keeps_indices() const noexcept;
  /// Whether it is one exact sum of floating point, which is written as exact/blob.hpp has it, and does not know how
  /// NaN was treated.
  bool is_exact_sum() const noexcept;
  std::int64_t count_of(std::int64_t result) const {
    return counts.empty() ? count : counts[static_cast<std::size_t>(result)];
  }
  record_context context(std::int64_t result = 0) const { return {count_of(result), nan, runs}; }
  /// Calls `visit(result, place of its record)` for all.
  template <class Visit>
  void for_each_record(std::int64_t bytes, const Visit& visit) const {
    std::int64_t result = 0;
    for (std::size_t at = 0; at < records.size(); at += static_cast<std::size_t>(bytes)) visit(result++, at);
  }
  std::string name() const;
};

/// What of `nan` matters to the state of `op`.
nan_policy kept_policy(op_kind op, dtype element, nan_policy nan) noexcept;

/// Without elements. Throws: as the constructor of state.
state_contents empty_contents(op_kind op, dtype element, std::vector<std::int64_t> extents, nan_policy nan);

/// Of one exact sum, from its blob. Throws: format_error.
state_contents contents_of_sum(std::span<const std::byte> blob);

/// Of what an engine has left of `what`: the blob of one exact sum (as_state), or records, over `count` elements each.
state_contents kept_contents(const reduction& what, const std::vector<std::int64_t>& extents, std::int64_t count,
                             std::span<const std::byte> left);

/// Says how many elements each result has: one number where all have as many, so that equal elements are equal bytes.
void set_counts(state_contents& contents, std::vector<std::int64_t> counts);

std::vector<std::byte> encode(const state_contents& contents);

/// Throws: format_error.
state_contents decode_state(std::span<const std::byte> in);

/// Whether `in` starts as the state of one exact sum does.
bool is_exact_blob(std::span<const std::byte> in) noexcept;

/// Throws: as state::move.
void move(state_contents& contents, std::int64_t by);

void merge(state_contents& into, const state_contents& other);

reduce_result finish(const state_contents& from, op_kind op, const finish_options& options);

/// Puts the state into `result` in the place of what an engine has left there and, unless the state alone is wanted, its
/// values, or into memory of the caller's.
void keep(const state_contents& kept, const reduction& what, bool only_state, std::span<std::byte> into,
          reduce_result& result);

}  // namespace multifold::inline v0_1::detail
