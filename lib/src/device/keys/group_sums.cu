// Exact sums of a few thousand groups in one read, whatever the order of keys: each block keeps a window of every
// group's sum in shared memory.
//
// A window is an integer of 64 bits that counts quanta of 2^q. Elements that are multiples of the quantum, and below
// 2^(q + element_bits), are added to the two halves of their group's window by atomics; the low half returns what it
// was, and so the carry. What does not fit, rare in data whose greatest magnitudes a sample has seen, is added to the
// group's words in device memory (exact/words.cuh), and so are windows in the end. Every addition is exact, so neither
// the sample nor the order of additions shows in the result.
#include <algorithm>

#include "device/exact/words.cuh"
#include "device/keys/call.hpp"
#include "multifold/cuda/kernels/exchange.cuh"
#include "multifold/ops/exact_sum.hpp"
#include "multifold/ops/finish_scalar.hpp"
#include "multifold/scalar.hpp"

namespace multifold::cuda::keys {
namespace {

using words = exact::words<float>;

constexpr int sum_threads = 512, elements_a_thread = 8, tile_elements = sum_threads * elements_a_thread;
// An element has up to 24 + most_shift bits, so that a block adds up 2^20 of them and the sum stays below 2^62.
constexpr int most_shift = 18, tiles_a_window = (1 << 20) / tile_elements;
constexpr int sum_blocks_of_sm = 3;
constexpr int finish_threads = 128, sample_threads = 1024, samples_a_thread = 32;

// Words of a group: those of exact sums, and how many elements there are that words know nothing of.
constexpr int group_words = words::count + 1, counted = words::count;

template <floating_storage T>
__device__ float as_float(T x) {
  if constexpr (std::is_same_v<T, float>) return x;
  else return to_float(x);
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
  if (threadIdx.x == 0) *quantum = max(greatest - 1 - most_shift, 0);
}

// One element in quanta, if it fits.
__device__ bool in_quanta(std::uint32_t bits, int quantum, std::int64_t& value) {
  const int field = static_cast<int>(bits >> 23 & 0xff), shift = max(field, 1) - 1 - quantum;
  const std::uint32_t significand = (bits & 0x7fffff) | (field != 0 ? 0x800000u : 0);
  std::uint64_t magnitude = 0;
  bool fits = shift <= most_shift;
  if (shift >= 0) {
    magnitude = static_cast<std::uint64_t>(significand) << (shift & 31);
  } else {
    const int down = min(-shift, 31);
    magnitude = significand >> down;
    fits = magnitude << down == significand;
  }
  const auto sign = -static_cast<std::int64_t>(bits >> 31);
  value = (static_cast<std::int64_t>(magnitude) ^ sign) - sign;
  return fits && field != 0xff;
}

// Windows of a block: low halves, high halves, counts where they are asked for, and then a byte each that says whether
// there was anything but -0, and whether there was anything. Groups have `copies` of all, for lanes that have the same.
struct windows {
  std::uint32_t *low, *high, *count;
  unsigned char *touched, *present;
  int slots;

  __device__ windows(std::uint32_t* memory, int slots)
      : low(memory),
        high(low + slots),
        count(high + slots),
        touched(reinterpret_cast<unsigned char*>(count + slots)),
        present(touched + slots),
        slots(slots) {}

  __device__ void add(int slot, std::int64_t value) const {
    const auto added = static_cast<std::uint32_t>(value);
    const std::uint32_t old = atomicAdd(low + slot, added);
    // What a window is before anything is added.
    if (old == 0) touched[slot] = 1;
    const auto carried = static_cast<std::uint32_t>(value >> 32) + (old + added < added ? 1u : 0u);
    if (carried != 0) atomicAdd(high + slot, carried);
  }
};
constexpr int slot_bytes = 3 * 4 + 2;
constexpr std::uint32_t negative_zero = 0x80000000u;

// -0, and what does not fit a window.
__device__ __noinline__ void add_apart(const windows& w, int slot, std::int64_t* to, std::uint32_t bits) {
  w.present[slot] = 1;
  if (bits != negative_zero) exact::add_element(to, __uint_as_float(bits));
}

struct sum_arguments {
  std::int64_t elements;
  int groups, copies;  // of each group, a power of two
  bool counts;         // whether elements are counted
  bool omit;           // NaN
  const int* quantum;
  std::int64_t* words;  // group_words a group, cleared
  key_report* report;
};

// Lanes take neighbours. Where a warp's elements are all of one group, as in runs, they are summed in registers first.
template <floating_storage T, class Key>
__global__ void __launch_bounds__(sum_threads, sum_blocks_of_sm)
    add_to_windows(const T* data, const Key* keys, const __grid_constant__ sum_arguments args) {
  extern __shared__ std::uint32_t memory[];
  const int slots = args.groups * args.copies, thread = static_cast<int>(threadIdx.x);
  const windows w(memory, slots);
  const int quantum = *args.quantum, copy = thread % args.copies;
  const auto clear = [&] {
    for (int i = thread; i < (slots * slot_bytes + 3) / 4; i += sum_threads) memory[i] = 0;
    __syncthreads();
  };
  const auto hand_over = [&] {
    __syncthreads();
    for (int slot = thread; slot < slots; slot += sum_threads) {
      std::int64_t* const to = args.words + std::int64_t{slot / args.copies} * group_words;
      const auto value = static_cast<std::int64_t>(std::uint64_t{w.high[slot]} << 32 | w.low[slot]);
      exact::add_quanta(
          to, value,
          quantum + multifold::detail::float_layout<float>::least_exponent - exact_traits<float>::unit_exponent);
      exact::add_word(to + words::not_negative_zero, w.touched[slot]);
      exact::add_word(to + counted, args.counts ? std::int64_t{w.count[slot]} : (w.touched[slot] | w.present[slot]));
    }
    __syncthreads();
  };
  clear();
  std::int64_t first_bad = args.elements;
  const std::int64_t step = std::int64_t{gridDim.x} * tile_elements;
  int tiles = 0;
  for (std::int64_t low = std::int64_t{blockIdx.x} * tile_elements; low < args.elements; low += step) {
    if (tiles == tiles_a_window) {
      hand_over();
      clear();
      tiles = 0;
    }
    ++tiles;
    Key key[elements_a_thread];
    T x[elements_a_thread];
#pragma unroll
    for (int k = 0; k < elements_a_thread; ++k) {
      const std::int64_t i = low + k * sum_threads + thread;
      const bool there = i < args.elements;
      key[k] = there ? keys[i] : Key{-1};
      x[k] = there ? data[i] : T{};
    }
    const bool in_runs = __all_sync(kernels::whole_warp, key[0] == __shfl_sync(kernels::whole_warp, key[0], 0)) != 0;
#pragma unroll
    for (int k = 0; k < elements_a_thread; ++k) {
      const std::uint32_t bits = __float_as_uint(as_float(x[k]));
      const bool known = key[k] >= 0 && key[k] < args.groups;
      if (!known) first_bad = min(first_bad, low + k * sum_threads + thread);
      const int group = known ? static_cast<int>(key[k]) : 0, slot = group * args.copies + copy;
      std::int64_t value = 0;
      const bool fits = in_quanta(bits, quantum, value) && bits != negative_zero;
      if (in_runs) {
        const int first = __shfl_sync(kernels::whole_warp, group, 0);
        if (__all_sync(kernels::whole_warp, known && fits && group == first)) {
#pragma unroll 1
          for (int mask = 16; mask > 0; mask /= 2) value += __shfl_xor_sync(kernels::whole_warp, value, mask);
          if (thread % 32 == 0) {
            w.add(slot, value);
            if (args.counts) atomicAdd(w.count + slot, 32u);
          }
          continue;
        }
      }
      if (!known || (args.omit && (bits & 0x7fffffff) > 0x7f800000)) continue;
      if (args.counts) atomicAdd(w.count + slot, 1u);
      if (fits) w.add(slot, value);
      else add_apart(w, slot, args.words + std::int64_t{group} * group_words, bits);
    }
  }
  hand_over();
  if (first_bad < args.elements)
    atomicMax(&args.report->bad, static_cast<unsigned long long>(args.elements - first_bad));
}

__global__ void __launch_bounds__(finish_threads) finish_group_sums(const __grid_constant__ group_sum_call call) {
  const std::int64_t g = std::int64_t{blockIdx.x} * finish_threads + threadIdx.x;
  if (g >= call.list.groups) return;
  std::int64_t* const w = call.words + g * group_words;
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

template <floating_storage T, class Key>
void enqueue(const group_sum_call& c, const sum_arguments& args, const engine_traits& gpu, work_queue& queue) {
  const auto* const data = static_cast<const T*>(c.data);
  const auto bytes = static_cast<unsigned>((args.groups * args.copies * slot_bytes + 3) / 4 * 4);
  const std::int64_t tiles = (args.elements + tile_elements - 1) / tile_elements;
  const auto blocks = static_cast<unsigned>(std::min<std::int64_t>(tiles, std::int64_t{gpu.units} * sum_blocks_of_sm));
  launch_kernel(queue, choose_quantum<T>, 1, sample_threads, 0, data, args.elements, c.quantum);
  launch_kernel(queue, add_to_windows<T, Key>, blocks, sum_threads, bytes, data, static_cast<const Key*>(c.list.keys),
                args);
}

template <floating_storage T>
void enqueue_keys(const group_sum_call& c, const sum_arguments& args, const engine_traits& gpu, work_queue& queue) {
  if (c.list.wide) enqueue<T, std::int64_t>(c, args, gpu, queue);
  else enqueue<T, std::int32_t>(c, args, gpu, queue);
}

}  // namespace

std::int64_t group_sum_bytes(std::int64_t groups) { return groups * group_words * 8; }

void sum_groups(const group_sum_call& c, const engine_traits& gpu, work_queue& queue) {
  int copies = 1;
  while (copies < 32 && 2 * copies * c.list.groups <= most_groups_of_windows) copies *= 2;
  const sum_arguments args{
      c.list.count, static_cast<int>(c.list.groups), copies, c.op == op_kind::mean, c.omit_nan, c.quantum, c.words,
      c.report};
  if (c.type == dtype::f32) enqueue_keys<float>(c, args, gpu, queue);
  else if (c.type == dtype::f16) enqueue_keys<f16>(c, args, gpu, queue);
  else enqueue_keys<bf16>(c, args, gpu, queue);
  launch_kernel(queue, finish_group_sums, static_cast<unsigned>((c.list.groups + finish_threads - 1) / finish_threads),
                finish_threads, 0, c);
}

}  // namespace multifold::cuda::keys
