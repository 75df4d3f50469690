// Reductions over the ranks of an MPI program: the arrays of all of them as one, to the bits of one process.
//
//   const reduce_result total = reduce(op_kind::sum, my_part, MPI_COMM_WORLD);  // on every rank, the same bits
//   const state of_all = allreduce(reduce_to_state(op_kind::var, my_part), MPI_COMM_WORLD);
//
// Headers only, over the C functions of MPI-3 or newer: programs compile them against the MPI that they link.
#pragma once

#include <mpi.h>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "multifold/error.hpp"
#include "multifold/mpi/channel.hpp"
#include "multifold/mpi/outcome.hpp"
#include "multifold/reduce.hpp"
#include "multifold/running.hpp"
#include "multifold/source.hpp"
#include "multifold/state.hpp"
#include "multifold/view.hpp"

namespace multifold::inline v0_1 {

namespace detail::mpi {

/// What indices of the elements of a rank count from.
enum class rank_order : std::uint8_t {
  as_they_are,
  end_to_end,  // the last element of the rank before it
};

inline packet packed(const rank_outcome& from, const std::string& who) {
  rank_failure failure = from.failure;
  if (from.value) {
    try {
      return {failure_kind::none, from.value->bytes()};
    } catch (...) {
      failure = current_failure(who);
    }
  }
  packet made{failure.kind, std::vector<std::byte>(failure.text.size())};
  std::memcpy(made.body.data(), failure.text.data(), failure.text.size());
  return made;
}

inline rank_outcome unpacked(const packet& from, const std::string& who) {
  if (from.kind == failure_kind::none) return attempt(who, [&] { return state(from.body); });
  return {std::nullopt, {from.kind, {reinterpret_cast<const char*>(from.body.data()), from.body.size()}}};
}

/// Those of the ranks from `rank` on and of `next` on, or the failure of the first that failed.
inline rank_outcome merged_outcome(rank_outcome first, rank_outcome second, int rank, int next, rank_order order) {
  if (!first.value) return first;
  if (!second.value) return second;
  return attempt("rank " + std::to_string(next) + ", merged into rank " + std::to_string(rank), [&] {
    if (order == rank_order::end_to_end) second.value->move(first.value->end());
    first.value->merge(*second.value);
    return std::move(*first.value);
  });
}

/// The state of all ranks, on each of them: up a binomial tree, whose nodes have neighbouring ranks in their order, and
/// down by MPI_Bcast. Failures go the same way. Throws: the first rank's failure, on every rank.
inline state merge_ranks(rank_outcome mine, const channel& ranks, rank_order order) {
  const int rank = ranks.rank();
  const std::string who = "rank " + std::to_string(rank);
  for (std::int64_t step = 1; step < ranks.size(); step *= 2) {
    if ((rank & step) != 0) {
      ranks.send(packed(mine, who), static_cast<int>(rank - step));
      break;
    }
    if (rank + step >= ranks.size()) continue;
    const int next = static_cast<int>(rank + step);
    rank_outcome other = unpacked(ranks.receive(next), "rank " + std::to_string(next));
    mine = merged_outcome(std::move(mine), std::move(other), rank, next, order);
  }
  if (ranks.size() > 1) {
    const packet all = ranks.broadcast(rank == 0 ? packed(mine, who) : packet{});
    if (rank != 0 || all.kind != failure_kind::none) mine = unpacked(all, who);
  }
  if (!mine.value) throw_failure(mine.failure);
  return std::move(*mine.value);
}

template <class Make>
state allreduce_made(const Make& make, MPI_Comm comm, rank_order order) {
  const channel ranks(comm);
  return merge_ranks(attempt("rank " + std::to_string(ranks.rank()), make), ranks, order);
}

/// `read` reduces what this rank has, of `rank` axes, with the options that it is given.
template <class Read>
reduce_result reduce_ranks(op_kind op, std::int64_t rank, const reduce_options& options, MPI_Comm comm,
                           const Read& read) {
  reduce_result made;
  finish_options last{options.result, options.correction, options.initial, {}};
  const auto make = [&] {
    if (options.only_state)
      throw unsupported_error("only_state leaves no value: allreduce gives the state of all ranks");
    reduce_options kept = options;
    kept.keep_state = kept.only_state = true;
    kept.into = {};
    kept.initial = {};  // once, in the end
    if (options.keepdims) last.keep_axes = options.axes.of(rank);
    made = read(kept);
    return state(made.state);
  };
  const state whole = allreduce_made(make, comm, rank_order::end_to_end);
  reduce_result result = whole.finish(op, last);
  if (options.into.data() != nullptr) {
    if (options.into.size() != result.data.size()) {
      throw shape_error("`into` has " + std::to_string(options.into.size()) + " bytes; the results take " +
                        std::to_string(result.data.size()));
    }
    if (!result.data.empty()) std::memcpy(options.into.data(), result.data.data(), result.data.size());
    result.data.clear();
  }
  made.type = result.type;
  made.extents = std::move(result.extents);
  made.data = std::move(result.data);
  made.state = options.keep_state ? whole.bytes() : std::vector<std::byte>();
  made.achieved = result.achieved;
  made.count = result.count;
  return made;
}

}  // namespace detail::mpi

// Of all functions below, which are collective: every rank of `comm` calls them, and in the same order.
//
// Numerics: the bits of one process that has all elements, whatever the number of ranks, and the same on all of them.
// Memory:   the state (state.hpp), three times while it is merged; host memory.
// Throws:   on every rank, the error of the first rank that has one, with its number: where what a rank has is no
//           state, cannot be had, or is of another operation, dtype, treatment of NaN or extents than those before it
//           (format_error, which names both). What the library throws keeps its type, all else is an error.
//           An error of MPI is an error with its text, on ranks whose communicator returns it (MPI_ERRORS_RETURN);
//           others end as MPI has it. After one of MPI, other ranks may wait in vain.
// Cost:     2 log2(ranks) messages one after the other, of the bytes of the state, in chunks of 1 GiB. The first call
//           on a communicator duplicates it, so that no message gets among those of the program; the duplicate is
//           freed with it.

/// The state of the elements of all ranks. What keeps indices counts them as the states do: state::move says where each
/// part begins; where ranks follow each other, reduce() does.
inline state allreduce(const state& mine, MPI_Comm comm) {
  return detail::mpi::allreduce_made([&] { return mine; }, comm, detail::mpi::rank_order::as_they_are);
}

/// The same of what `make` returns. Where it throws, all ranks do:
///
///   allreduce([&] { return reduce_to_state(op_kind::var, *open_npy(path)); }, comm)
template <std::invocable Make>
requires std::same_as<std::invoke_result_t<const Make&>, state> state allreduce(const Make& make, MPI_Comm comm) {
  return detail::mpi::allreduce_made(make, comm, detail::mpi::rank_order::as_they_are);
}

/// Gives every rank the elements of all of them: what is added to it later counts for the rank alone, and again for
/// each rank if it is called once more.
template <storage_type T>
void allreduce(running<T>& total, MPI_Comm comm) {
  const auto make = [&] { return state(total.save()); };
  total = running<T>(detail::mpi::allreduce_made(make, comm, detail::mpi::rank_order::as_they_are).bytes());
}

/// Reduces the arrays of all ranks as one, in which that of a rank begins where that of the rank before it ends.
/// Shapes: the results have the same extents on all ranks. Parts are cuts along the slowest axis that is reduced, which
///         argmin, argmax and describe count elements by; to all others the order of elements is the same. A rank
///         without elements has an extent of 0 there.
/// Memory: options.into has the results of the rank that names it.
/// Throws: on every rank, too, as reduce() and state::finish: unsupported_error for what has no state (docs/states.md),
///         for options.where and only_state; shape_error for no elements on any rank, where these have no value.
/// Returns: as reduce(); engine, plan, bytes, seconds and note are those of this rank, `count` that of all.
inline reduce_result reduce(op_kind op, const array_view& array, MPI_Comm comm, const reduce_options& options = {}) {
  return detail::mpi::reduce_ranks(op, array.rank(), options, comm,
                                   [&](const reduce_options& kept) { return reduce(op, array, kept); });
}

/// dot and cov of two arrays on each rank.
inline reduce_result reduce(op_kind op, const array_view& x, const array_view& y, MPI_Comm comm,
                            const reduce_options& options = {}) {
  return detail::mpi::reduce_ranks(op, x.rank(), options, comm,
                                   [&](const reduce_options& kept) { return reduce(op, x, y, kept); });
}

/// The same of a source on each rank, in bounded memory: a file a rank, say.
inline reduce_result reduce(op_kind op, source& input, MPI_Comm comm, const reduce_options& options = {}) {
  const auto rank = static_cast<std::int64_t>(input.layout().extents.size());
  return detail::mpi::reduce_ranks(op, rank, options, comm,
                                   [&](const reduce_options& kept) { return reduce(op, input, kept); });
}

}  // namespace multifold::inline v0_1
