// Exact sums of groups in one read, whatever the order of keys: each block has windows in shared memory for up to 4096
// groups. Where there are more groups, keys are sorted by what is above 12 bits first.
#include <algorithm>

#include "device/keys/windows.cuh"
#include "multifold/ops/exact_sum.hpp"
#include "multifold/ops/finish_scalar.hpp"
#include "multifold/types/scalar.hpp"

namespace multifold::inline v0_1::cuda::keys {
namespace {

constexpr int sum_blocks_of_sm = 2;
constexpr int finish_threads = 128, sample_threads = 1024, samples_a_thread = 32;

// Where there are few groups, and many elements that fit no window, blocks would wait for each other.
MULTIFOLD_HD constexpr int word_copies_of(std::int64_t groups) {
  constexpr std::int64_t most_copies = 32, together = 4096;
  const std::int64_t copies = groups > 0 ? together / groups : 1;
  return static_cast<int>(copies < 1 ? 1 : copies < most_copies ? copies : most_copies);
}

// Where the quantum lies, in places of the least float: below the greatest element of a sample.
template <floating_storage T>
__global__ void __launch_bounds__(sample_threads) choose_quantum(const T* data, std::int64_t count, int* quantum) {
  __shared__ int greatest;
  if (threadIdx.x == 0) greatest = 0;
  __syncthreads();
  int mine = 0;
  const std::int64_t step = max(count / (sample_threads * samples_a_thread), std::int64_t{1});
  for (int k = 0; k < samples_a_thread; ++k) {
    const std::int64_t i = (std::int64_t{k} * sample_threads + threadIdx.x) * step;
    if (i >= count) break;
    const int field = __float_as_uint(as_float(data[i])) >> 23 & 0xff;
    if (field < 0xff) mine = max(mine, field);
  }
  mine = __reduce_max_sync(kernels::whole_warp, mine);
  if (threadIdx.x % 32 == 0) atomicMax(&greatest, mine);
  __syncthreads();
  if (threadIdx.x == 0) *quantum = min(max(greatest - 1 - most_shift, least_quantum), most_quantum);
}

template <floating_storage T, class Key>
__device__ bool has_bad_key(const sum_arguments& args, const thread_elements<T, Key>& mine, std::int64_t low) {
  bool has = false;
#pragma unroll
  for (int k = 0; k < elements_a_thread; ++k)
    has = has || (mine.key[k] >= args.groups && low + mine.place(k) < args.elements);
  return has;
}
template <floating_storage T, class Key>
__device__ void note_bad_keys(const sum_arguments& args, const thread_elements<T, Key>& mine, std::int64_t low) {
#pragma unroll
  for (int k = 0; k < elements_a_thread; ++k) {
    if (mine.key[k] >= args.groups) note_bad(args, low + mine.place(k));
  }
}

// A grid-stride loop over tiles where windows have all groups. Else keys come in the order of what is above the groups
// of a window, a part: then a block takes tiles that follow each other, and hands windows over between parts.
template <floating_storage T, class Key, bool Parts>
__global__ void __launch_bounds__(sum_threads, sum_blocks_of_sm)
    add_to_windows(const T* data, const Key* keys, const __grid_constant__ sum_arguments args) {
  __shared__ unsigned least;
  constexpr unsigned none = 0xffffffffu;
  const int slots = args.window_groups * args.copies, thread = static_cast<int>(threadIdx.x);
  const windows w = windows_of_block(args);
  const int quantum = *args.quantum;
  const std::int64_t tiles = (args.elements + tile_elements - 1) / tile_elements;
  const std::int64_t share = Parts ? (tiles + gridDim.x - 1) / gridDim.x : 1, step = Parts ? 1 : gridDim.x;
  const std::int64_t begin = blockIdx.x * share, end = Parts ? min(begin + share, tiles) : tiles;
  unsigned part = 0;
  const auto clear = [&] {
    for (int i = thread; i < ((slots + 1) * slot_bytes + 3) / 4; i += sum_threads) w.low[i] = 0;
    __syncthreads();
  };
  const auto hand_over = [&] {
    __syncthreads();
    for (int slot = thread; slot < slots; slot += sum_threads) {
      if ((w.touched[slot] | w.present[slot]) == 0) continue;
      const std::int64_t group = std::int64_t{part} * args.window_groups + slot / args.copies;
      std::int64_t* const to = words_of(args, group);
      const auto value = static_cast<std::int64_t>(std::uint64_t{w.high[slot]} << 32 | w.low[slot]);
      exact::add_quanta(to, value, quantum + first_place);
      exact::add_word(to + words::not_negative_zero, w.touched[slot]);
      exact::add_word(to + counted, args.counts ? std::int64_t{w.count[slot]} : 1);
    }
    __syncthreads();
  };
  const auto part_of = [&](std::uint32_t key) {
    return key < args.groups ? key / static_cast<unsigned>(most_groups_of_windows) : none;
  };
  clear();
  int tiles_of_window = 0;
  for (std::int64_t t = begin; t < end; t += step) {
    if (tiles_of_window == tiles_a_window) {
      hand_over();
      clear();
      tiles_of_window = 0;
    }
    ++tiles_of_window;
    const std::int64_t low = t * tile_elements;
    thread_elements<T, Key> mine;
    mine.load(data, keys, low, args.elements);
    const auto sums_of = [&](unsigned each) {
      const std::uint32_t first = each * static_cast<unsigned>(args.window_groups);
      return tile_sums<T, Key>{
          args, w, mine, first, tile_sums<T, Key>::limit_of(args, first), quantum, thread % args.copies};
    };
    const auto add = [&] { sums_of(part).add_all(); };
    if constexpr (!Parts) {
      if (!sums_of(0).takes_all()) note_bad_keys(args, mine, low);
      add();
    } else {
      const bool whole = __syncthreads_and(sums_of(part).takes_all()) != 0;
      // Where keys have moved, all that can be said is that there is a bad one.
      if (!whole && has_bad_key(args, mine, low)) atomicMax(&args.report->bad, 1ull);
#pragma unroll 1
      for (unsigned from = 0;; from = part + 1) {  // one part after the other, or the one that it is
        if (!whole) {
          unsigned next = none;
#pragma unroll
          for (int k = 0; k < elements_a_thread; ++k) {
            const unsigned other = part_of(mine.key[k]);
            if (other >= from) next = min(next, other);
          }
          __syncthreads();
          if (thread == 0) least = none;
          __syncthreads();
          if (next != none) atomicMin(&least, next);
          __syncthreads();
          next = least;
          if (next == none) break;
          if (next != part) {
            hand_over();
            clear();
            tiles_of_window = 1;
            part = next;
          }
        }
        add();
        if (whole) break;
      }
    }
  }
  hand_over();
}

// Words are read by neighbouring threads, and then used by one each.
__global__ void __launch_bounds__(finish_threads) finish_group_sums(const __grid_constant__ group_sum_call call) {
  __shared__ std::int64_t words_of_block[finish_threads * group_words];
  const std::int64_t first = std::int64_t{blockIdx.x} * finish_threads, g = first + threadIdx.x;
  const int copies = word_copies_of(call.list.groups), thread = static_cast<int>(threadIdx.x);
  const auto here = static_cast<int>(min(std::int64_t{finish_threads}, call.list.groups - first));
  for (int i = thread; i < here * group_words; i += finish_threads) {
    const std::int64_t* const w = call.words + (first + i / group_words) * copies * group_words + i % group_words;
    std::int64_t sum = 0;
#pragma unroll 8
    for (int copy = 0; copy < copies; ++copy) sum += w[copy * group_words];
    words_of_block[i] = sum;
  }
  __syncthreads();
  if (thread >= here) return;
  std::int64_t* const w = words_of_block + thread * group_words;
  std::int64_t count = w[counted];
  if (count == 0) atomicMax(&call.report->empty, static_cast<unsigned>(call.list.groups - g));
  // Marks are no more than there are elements.
  w[words::not_negative_zero] = w[words::not_negative_zero] != 0;
  if (call.op == op_kind::sum) count += w[words::nan] + w[words::positive_infinity] + w[words::negative_infinity];
  const exact_sum<float> sum = exact::sum_of<float>(w, count, nan_policy::propagate);
  const status s = store(finish_scalar(call.op, sum, call.initial), call.result,
                         static_cast<std::byte*>(call.results) + g * item_bytes(call.result));
  if (s != status::ok) atomicMax(call.status_word, static_cast<std::uint32_t>(s));
}

template <floating_storage T, class Key, bool Parts>
void enqueue(const group_sum_call& c, const sum_arguments& args, const engine_traits& gpu, work_queue& queue) {
  const auto* const data = static_cast<const T*>(c.data);
  const std::int64_t tiles = (args.elements + tile_elements - 1) / tile_elements;
  const auto blocks = static_cast<unsigned>(std::min<std::int64_t>(tiles, std::int64_t{gpu.units} * sum_blocks_of_sm));
  launch_kernel(queue, choose_quantum<T>, 1, sample_threads, 0, data, args.elements, c.quantum);
  launch_kernel(queue, add_to_windows<T, Key, Parts>, blocks, sum_threads, static_cast<unsigned>(shared_bytes(args)),
                data, static_cast<const Key*>(c.list.keys), args);
}

template <floating_storage T>
void enqueue_keys(const group_sum_call& c, const sum_arguments& args, const engine_traits& gpu, work_queue& queue) {
  if (c.list.groups > most_groups_of_windows) enqueue<T, std::int32_t, true>(c, args, gpu, queue);
  else if (c.list.wide) enqueue<T, std::int64_t, false>(c, args, gpu, queue);
  else enqueue<T, std::int32_t, false>(c, args, gpu, queue);
}

}  // namespace

std::int64_t group_sum_bytes(std::int64_t groups) { return groups * word_copies_of(groups) * group_words * 8; }

void sum_groups(const group_sum_call& c, const engine_traits& gpu, work_queue& queue) {
  int copies = 1;
  while (copies < 32 && 2 * copies * c.list.groups <= most_groups_of_windows) copies *= 2;
  const auto window_groups = static_cast<int>(std::min(c.list.groups, most_groups_of_windows));
  const sum_arguments args{c.list.count,          c.list.groups, window_groups, copies,  word_copies_of(c.list.groups),
                           c.op == op_kind::mean, c.omit_nan,    c.quantum,     c.words, c.report};
  if (c.type == dtype::f32) enqueue_keys<float>(c, args, gpu, queue);
  else if (c.type == dtype::f16) enqueue_keys<f16>(c, args, gpu, queue);
  else enqueue_keys<bf16>(c, args, gpu, queue);
  launch_kernel(queue, finish_group_sums, static_cast<unsigned>((c.list.groups + finish_threads - 1) / finish_threads),
                finish_threads, 0, c);
}

}  // namespace multifold::inline v0_1::cuda::keys
