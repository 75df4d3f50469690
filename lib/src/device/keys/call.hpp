// The seam between the functions for keys and their kernels: what is found out about keys, their order, and what has
// it.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "multifold/cuda/work_queue.hpp"
#include "multifold/dtype.hpp"
#include "multifold/plan.hpp"
#include "multifold/reduction.hpp"

namespace multifold::inline v0_1::cuda::keys {

/// Keys are sorted, and kept in shared memory, in 32 bits.
inline constexpr std::int64_t most_groups = std::int64_t{1} << 31;

struct key_list {
  const void* keys;
  bool wide;  // 64 bits each, in place of 32
  std::int64_t count, groups;
};

/// What is found out about keys; cleared before.
struct key_report {
  unsigned long long bad;  // how many keys there are from the first one on that is no group; 0 if all are
  unsigned empty;          // groups from the first one on that has no elements; 0 if all have some
  unsigned falls;          // whether a key is less than the one before it
  unsigned stop;           // whether offsets have no meaning any more
  unsigned arrivals;
};

/// Where the groups of keys that ascend begin, and the end of the last one: groups + 1 offsets; zeros if there is a bad
/// key, or one that falls.
void find_offsets(const key_list& list, std::int64_t* offsets, key_report* report, const engine_traits& gpu,
                  work_queue& queue);

/// The numbers of elements in some order, of 32 bits or, of long arrays, 64.
struct element_numbers {
  void* at;
  bool wide;

  std::int64_t item_bytes() const { return wide ? 8 : 4; }
  static bool is_wide(std::int64_t elements) { return elements > std::int64_t{1} << 32; }
};

/// Looks for bad keys, and copies keys of 64 bits into `narrow`, and the numbers of elements into `numbers`, unless
/// these are null. With a report on the same keys in another order, `only_if_bad`: nothing, unless that has a bad one.
void check_keys(const key_list& list, std::uint32_t* narrow, const element_numbers& numbers, key_report* report,
                const engine_traits& gpu, work_queue& queue, const key_report* only_if_bad = nullptr);

/// Keys, and with them values of `item_bytes` (1, 2, 4 or 8), into ascending order of their bits from first_bit on, by
/// a stable sort: equal ones keep the order of their values.
struct sort_call {
  const std::uint32_t* keys;
  std::uint32_t* sorted_keys;
  const void* values;
  void* sorted_values;
  std::int64_t item_bytes, count, groups;
  int first_bit = 0;
};
std::int64_t sort_workspace_bytes(const sort_call& c);
void sort(const sort_call& c, void* workspace, std::int64_t workspace_bytes, cudaStream_t stream);

/// to[i] = from[order[i]]: items of 1, 2, 4 or 8 bytes.
void gather(const void* from, const element_numbers& order, void* to, std::int64_t item_bytes, std::int64_t count,
            const engine_traits& gpu, work_queue& queue);

/// Positions in groups become those in the array.
struct group_places {
  const std::int64_t* offsets;
  element_numbers order;  // null where elements are in order as they are
  std::int64_t groups;
};
/// Results of argmin and argmax of every group: `inside` may be the same memory as `results` of i64.
void put_positions(const group_places& places, const std::int64_t* inside, void* results, dtype type,
                   std::uint32_t* status_word, const engine_traits& gpu, work_queue& queue);
/// The positions in summaries.
void put_positions_of_summaries(const group_places& places, void* summaries, const engine_traits& gpu,
                                work_queue& queue);

/// Exact sums or means of every group in one read. Keys are in any order where there are few groups, else 32 bits wide,
/// and those of the same key / most_groups_of_windows lie together, in the order of that.
struct group_sum_call {
  const void* data;
  dtype type;
  key_list list;
  op_kind op;
  bool omit_nan;
  initial_value initial;
  dtype result;
  void* results;
  int* quantum;
  std::int64_t* words;  // group_sum_bytes, cleared
  key_report* report;
  std::uint32_t* status_word;
};
inline constexpr int part_bits = 12;
inline constexpr std::int64_t most_groups_of_windows = 1 << part_bits;
/// Whether there is such a way for so few groups, and for more, of which each has some elements in the mean.
inline bool has_windows(const reduction& what, std::int64_t groups) {
  return gathers_exactly(what) && (what.op == op_kind::sum || what.op == op_kind::mean) &&
         item_bytes(what.input) <= 4 && groups > 0 && groups <= most_groups_of_windows;
}
inline bool has_windows_in_parts(const reduction& what, std::int64_t elements, std::int64_t groups) {
  constexpr std::int64_t least_length = 64;
  return has_windows(what, 1) && groups > most_groups_of_windows && elements / least_length >= groups;
}
std::int64_t group_sum_bytes(std::int64_t groups);
void sum_groups(const group_sum_call& c, const engine_traits& gpu, work_queue& queue);

/// Blocks of kernels with grid-stride loops, in which each thread takes some items at a time.
inline unsigned blocks_for(std::int64_t items, int items_a_block, const engine_traits& gpu) {
  constexpr std::int64_t blocks_of_sm = 8;
  const std::int64_t wanted = (items + items_a_block - 1) / items_a_block, most = gpu.units * blocks_of_sm;
  return static_cast<unsigned>(wanted < 1 ? 1 : wanted < most ? wanted : most);
}

}  // namespace multifold::inline v0_1::cuda::keys
