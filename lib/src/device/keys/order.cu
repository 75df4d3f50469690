// What elements in another order take: copies in that order, and the way back to their positions.
#include "device/keys/call.hpp"
#include "multifold/summary.hpp"
#include "multifold/types/scalar.hpp"

namespace multifold::inline v0_1::cuda::keys {
namespace {

constexpr int order_threads = 256, items_a_thread = 8;

// Stores are coalesced; what threads read lies anywhere, so that each has some reads in flight.
template <class Word, class Number>
__global__ void __launch_bounds__(order_threads)
    gather_items(const Word* from, const Number* order, Word* to, std::int64_t count) {
  constexpr std::int64_t tile = order_threads * items_a_thread;
  for (std::int64_t low = blockIdx.x * tile; low < count; low += gridDim.x * tile) {
    Word word[items_a_thread];
#pragma unroll
    for (int k = 0; k < items_a_thread; ++k) {
      const std::int64_t i = low + k * order_threads + threadIdx.x;
      if (i < count) word[k] = from[order[i]];
    }
#pragma unroll
    for (int k = 0; k < items_a_thread; ++k) {
      const std::int64_t i = low + k * order_threads + threadIdx.x;
      if (i < count) to[i] = word[k];
    }
  }
}

template <class Word>
void gather_words(const void* from, const element_numbers& order, void* to, std::int64_t count,
                  const engine_traits& gpu, work_queue& queue) {
  const unsigned blocks = blocks_for(count, order_threads * items_a_thread, gpu);
  const auto* const first = static_cast<const Word*>(from);
  auto* const out = static_cast<Word*>(to);
  if (order.wide) {
    launch_kernel(queue, gather_items<Word, std::uint64_t>, blocks, order_threads, 0, first,
                  static_cast<const std::uint64_t*>(order.at), out, count);
  } else {
    launch_kernel(queue, gather_items<Word, std::uint32_t>, blocks, order_threads, 0, first,
                  static_cast<const std::uint32_t*>(order.at), out, count);
  }
}

// -1 stays what it is. Of groups without a value there may be anything.
__device__ std::int64_t position(const group_places& places, std::int64_t group, std::int64_t index) {
  const std::int64_t begin = places.offsets[group], length = places.offsets[group + 1] - begin;
  if (index < 0 || index >= length) return -1;
  const std::int64_t place = begin + index;
  if (places.order.at == nullptr) return place;
  return places.order.wide ? static_cast<std::int64_t>(static_cast<const std::uint64_t*>(places.order.at)[place])
                           : static_cast<const std::uint32_t*>(places.order.at)[place];
}

__global__ void __launch_bounds__(order_threads)
    positions_of_extrema(const __grid_constant__ group_places places, const std::int64_t* inside, std::byte* results,
                         dtype type, std::uint32_t* status_word) {
  const std::int64_t step = std::int64_t{gridDim.x} * order_threads;
  for (std::int64_t g = std::int64_t{blockIdx.x} * order_threads + threadIdx.x; g < places.groups; g += step) {
    const std::int64_t found = position(places, g, inside[g]);
    if (found < 0) continue;  // noted as empty
    const status s = store(scalar::of_integer(found, 1), type, results + g * item_bytes(type));
    if (s != status::ok) atomicMax(status_word, static_cast<std::uint32_t>(s));
  }
}

__global__ void __launch_bounds__(order_threads)
    positions_of_summaries(const __grid_constant__ group_places places, summary* all) {
  const std::int64_t step = std::int64_t{gridDim.x} * order_threads;
  for (std::int64_t g = std::int64_t{blockIdx.x} * order_threads + threadIdx.x; g < places.groups; g += step) {
    all[g].argmin = position(places, g, all[g].argmin);
    all[g].argmax = position(places, g, all[g].argmax);
  }
}

}  // namespace

void gather(const void* from, const element_numbers& order, void* to, std::int64_t item_bytes, std::int64_t count,
            const engine_traits& gpu, work_queue& queue) {
  if (item_bytes == 1) gather_words<std::uint8_t>(from, order, to, count, gpu, queue);
  else if (item_bytes == 2) gather_words<std::uint16_t>(from, order, to, count, gpu, queue);
  else if (item_bytes == 4) gather_words<std::uint32_t>(from, order, to, count, gpu, queue);
  else gather_words<std::uint64_t>(from, order, to, count, gpu, queue);
}

void put_positions(const group_places& places, const std::int64_t* inside, void* results, dtype type,
                   std::uint32_t* status_word, const engine_traits& gpu, work_queue& queue) {
  launch_kernel(queue, positions_of_extrema, blocks_for(places.groups, order_threads, gpu), order_threads, 0, places,
                inside, static_cast<std::byte*>(results), type, status_word);
}

void put_positions_of_summaries(const group_places& places, void* summaries, const engine_traits& gpu,
                                work_queue& queue) {
  launch_kernel(queue, positions_of_summaries, blocks_for(places.groups, order_threads, gpu), order_threads, 0, places,
                static_cast<summary*>(summaries));
}

}  // namespace multifold::inline v0_1::cuda::keys
