// The seam between the run-time dispatch and the compiled instances, one family and element type each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "multifold/array.hpp"
#include "multifold/cuda/bound_recipe.hpp"
#include "multifold/ops/visit.hpp"
#include "multifold/plan.hpp"

namespace multifold::inline v0_1::cuda::detail {

/// A reduction to results, or of a chunk into accumulators.
struct call {
  operands data;
  void* results;
  bool merge;
  std::int64_t first_index;
  bound_recipe& steps;
  const std::int64_t* count = nullptr;  // device; elements of the only row, if it is not the plan that says
};

/// The type of the instance for elements of T: integers are compiled for one dtype of each size, and tallies for each
/// size.
template <op_family Family, class T>
using instance_of = std::conditional_t<Family == op_family::tally, bits_carrier<T>, order_carrier<T>>;

template <op_family Family, class T>
void enqueue(const plan& p, const call& c);

/// Passes that `p` describes over accumulators alone: batches of one, lowered to results.
template <op_family Family, class T>
void lower(const reduction& what, const void* accumulators, std::int64_t count, std::int64_t length, void* results,
           std::uint32_t* status_word, work_queue& queue);

/// Results of `p` that wait, to their places.
void place_any_results(const plan& p, const void* waiting, void* results, bound_recipe& steps);

}  // namespace multifold::inline v0_1::cuda::detail

namespace multifold::inline v0_1::cuda::moments {

/// What groups of lanes gather elements of T as, and sums in memory are lowered as: integers as 64 bits, with a sign or
/// without. Sums of both kinds are the same words.
template <storage_type T>
using group_carrier_of = std::conditional_t<floating_storage<T>, carrier_of<T>, std::int64_t>;
static_assert(sizeof(carried_sums<std::int64_t, moment_set::description>) ==
              sizeof(carried_sums<std::uint64_t, moment_set::description>));

/// The same for op_family::moments: long rows, and any batches in tiles, of elements that T carries in order, which partial
/// moments of a carrier follow; and any batches of pass `index`, or those that are left to it, of elements that T carries.
template <storage_type T>
void enqueue_tiles(const plan& p, const detail::call& c);
template <storage_type Carrier>
void merge_partials(const plan& p, const detail::call& c, unsigned* lost, const void* partials);
template <storage_type T>
void enqueue_groups(const plan& p, std::size_t index, const detail::call& c);
template <storage_type T>
void lower(const reduction& what, const void* sums, std::int64_t count, void* results, std::uint32_t* status_word,
           work_queue& queue);

}  // namespace multifold::inline v0_1::cuda::moments
