// Batches of any strides as lanes go through them: which elements a lane has, and how it asks for them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "device/moments/parts/lane_loads.cuh"
#include "device/moments/tiles/output.cuh"

namespace multifold::cuda::moments {

/// What a kernel of lanes is told.
template <floating_storage T, moment_set Set, class Output = moment_output<carrier_of<T>, Set>>
struct lane_arguments {
  const T *x, *y;
  std::int64_t length;  // of a batch
  lane_walk walk;
  kernels::part_terms terms;
  moment_part<Set>* meet;  // of each share of each result, if there are several
  unsigned* arrivals;      // of each box, zero before the kernel
  Output output;
};

/// Outputs of another kind are of exact sums, which are `absolute` but for signs.
template <floating_storage T, moment_set Set, class Output = moment_output<carrier_of<T>, Set>>
struct lane_pieces {
  static constexpr bool is_signed = !std::is_same_v<Output, moment_output<carrier_of<T>, Set>>;
  using arguments = lane_arguments<T, Set, Output>;
  static constexpr bool two = reads_two_arrays(Set), describes = Set == moment_set::description;
  /// Whether elements are taken as words. The places of extremes are looked up one by one.
  static constexpr bool words = sizeof(T) == 2 && !describes;
  using lane_type = kernels::part_lane<T, Set, is_signed, words && two ? 1 : kernels::vectors_looked_at<T, Set>>;
  using part_type = moment_part<Set>;
  /// Whether most results are certain with little ado, for which no elements that are on their way have to wait.
  static constexpr bool quick = !describes && !lane_type::joint;
  static constexpr int width = lane_type::width, in_flight = lane_type::vectors, step = in_flight * width;
  using loaded =
      std::conditional_t<words, loaded_words<T, two, in_flight>, loaded_elements<T, two, in_flight>>;
  /// Of a lane, which are sums of one batch or of two.
  static constexpr int columns = loaded::columns;
  using slots_type = raw_memory<part_type, part_threads>;

  /// What a lane has of a part, and the number of its first element in the batch.
  struct piece : lane_cursor {
    std::int64_t first = 0;
  };

  const arguments& args;
  const lane_walk& walk;
  int items;          // shares of boxes
  int column, phase;  // of those of a block, which this thread has
  int steps;          // that a lane takes for a part
  lane_steps by;

  __device__ explicit lane_pieces(const arguments& args)
      : args(args),
        walk(args.walk),
        items(walk.boxes * walk.shares),
        steps((walk.lane_rows + step - 1) / step),
        by{walk.walk_stride * walk.walk_phases * static_cast<std::int64_t>(sizeof(T)),
           reinterpret_cast<std::intptr_t>(args.y) - reinterpret_cast<std::intptr_t>(args.x)} {
    const int thread = static_cast<int>(threadIdx.x), side = walk.beside ? walk.phases : walk.width;
    const int outer = thread / side, inner = thread - outer * side;
    column = walk.beside ? outer : inner;
    phase = walk.beside ? inner : outer;
  }
  /// What sums of lanes are off by, which two trees of lanes and the shares that a lane merges add to.
  static kernels::part_terms terms_of(const lane_walk& walk) {
    constexpr std::int64_t trees = 24;
    return kernels::part_terms(std::int64_t{walk.lane_rows + step} * walk.share,
                               trees + (walk.shares + walk.phases - 1) / walk.phases);
  }
  /// Shares are numbered with boxes fastest.
  __device__ int share_of(int item) const { return walk.shares == 1 ? 0 : item / walk.boxes; }
  __device__ int end_of(int share) const { return min((share + 1) * walk.share, walk.parts); }
  /// A lane's batch, or word of batches; -1 if there is none.
  __device__ int batch_of(int box) const {
    const std::int64_t batch = std::int64_t{box} * walk.step + column;
    return batch < walk.batches && column < walk.width && phase < walk.phases ? static_cast<int>(batch) : -1;
  }
  /// A result of the first lane of a batch; -1 if there is none. `odd`: as of its pieces.
  __device__ int result_of(int box, int half, int odd) const {
    const int batch = batch_of(box);
    if (batch < 0 || phase != 0) return -1;
    if (!words || walk.beside) return half == 0 ? batch : -1;
    if (column >= walk.step) return -1;
    return static_cast<int>(multifold::detail::result_of_word(walk, batch, half, walk.by_kind ? 0 : odd));
  }

  __device__ piece piece_of(int box, int part) const {
    piece of;
    const int batch = batch_of(box);
    if (box >= walk.boxes || batch < 0) return of;
    const int odd = words ? static_cast<int>(reinterpret_cast<std::uintptr_t>(args.x) / sizeof(T) % 2) : 0;
    const auto found = multifold::detail::lane_piece_of(walk, batch, phase, part, odd);
    of.at = reinterpret_cast<const std::byte*>(args.x + found.offset);
    of.left = found.left;
    of.first = found.index;
    if constexpr (words) of.word = found.word, of.odd = found.odd;
    return of;
  }
  /// The first part of an item.
  __device__ piece first_of(int item) const {
    if (item >= items) return {};
    const int share = share_of(item);
    return piece_of(item - share * walk.boxes, share * walk.share);
  }

  __device__ __forceinline__ void load(loaded& v, const lane_cursor& c) const {
#pragma unroll
    for (int k = 0; k < in_flight; ++k) v.load(k, c, by, walk);
  }
};

}  // namespace multifold::cuda::moments
