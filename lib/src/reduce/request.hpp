// What the caller asked for, checked and completed, before an engine is chosen. Private to the API.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "multifold/reduce.hpp"

namespace multifold::inline v0_1::detail {

struct request {
  reduction what;
  batches form;
  std::vector<std::int64_t> result_extents;
  accuracy achieved;
  std::int64_t elements;      // -1 if a stream will tell
  const void* data;           // of the first array; null for sources
  std::span<std::byte> into;  // where the caller wants the results, or nothing
  bool random_access = true;  // of sources
  bool only_state = false;
  std::vector<std::int64_t> kept_extents;  // of a state: without the axes that are reduced
  std::int64_t bytes() const {
    return elements < 0 ? INT64_MAX : elements * item_bytes(what.input) * (takes_two_arrays(what.op) ? 2 : 1);
  }
};

/// Throws shape_error for axes that do not fit, unsupported_error for options that contradict each other.
request make_request(op_kind op, const array_view& view, const reduce_options& options);

/// What the options make of `op` over `input`. Throws: unsupported_error for options that contradict each other.
reduction make_checked_reduction(op_kind op, dtype input, const reduce_options& options);

/// As a person writes it: 1, 0.5.
std::string text_of(const correction& c);

/// What a result of it may be off by.
accuracy achieved_by(const reduction& what);

/// Throws: unsupported_error for what has no state.
void check_state(const reduction& what, accuracy achieved);

/// `into`, or nothing if that is nothing. Throws: shape_error unless it holds so many results.
std::span<std::byte> checked_place(const reduction& what, std::int64_t results, std::span<std::byte> into);

/// Unless two arrays can be reduced together, throws shape_error or unsupported_error with `who` in front.
void check_pair(op_kind op, const array_view& x, const array_view& y, const std::string& who = "");

/// Unless their strides are the same where they matter, throws unsupported_error.
void check_same_order(op_kind op, const array_view& x, const array_view& y, const std::string& who = "");

/// Both for sources, which are named.
void check_pair(op_kind op, const source& x, const source& y);

/// Throws unsupported_error for a negative number of either.
void check_resources(int threads, std::int64_t memory_bytes);

/// Throws unsupported_error unless `op` takes as many arrays as were given.
void check_arrays(op_kind op, int given);

/// Before anything is read: a stream of unknown length is one long row. Throws: shape_error for other axes.
void check_unknown_length(op_kind op, const array_layout& layout, const reduce_options& options);

/// Whether any part of the plan is not left open.
bool is_forced(const plan_options& options);

/// Throws unsupported_error if a plan is forced on what is read in chunks.
void refuse_forced_chunks(op_kind op, const plan_options& options);

/// The view of a source's elements in memory order: no data, strides of its order. A stream of unknown length counts
/// as one element here.
array_view view_of(const array_layout& layout);

}  // namespace multifold::inline v0_1::detail
