// Copies of an item, word by word in a grid-stride loop: stores are coalesced, however long the item is.
#include "multifold/cuda/fill_items.hpp"

namespace multifold::inline v0_1::cuda {
namespace kernels {

__global__ void __launch_bounds__(item_threads)
    fill_identity(std::uint32_t* data, std::int64_t count, const __grid_constant__ sparse_item item) {
  const std::int64_t threads = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const int step = static_cast<int>(threads % item.words);
  int place = static_cast<int>(i % item.words);
  for (; i < count; i += threads) {
    std::uint32_t word = 0;
    for (int k = 0; k < item.others; ++k) {
      if (place == item.place[k]) word = item.word[k];
    }
    data[i] = word;
    place += step;
    if (place >= item.words) place -= item.words;
  }
}

}  // namespace kernels

void fill_items(const sparse_item& item, void* items, std::int64_t count, work_queue& queue) {
  if (count == 0) return;
  launch_kernel(queue, kernels::fill_identity, static_cast<unsigned>(item_blocks(count)), item_threads, 0,
                static_cast<std::uint32_t*>(items), count * item.words, item);
}

void fill_items(const sparse_item& item, void* items, std::int64_t count, bound_recipe& steps) {
  steps.launch(step_kind::fill_identity, kernels::fill_identity, 0, static_cast<std::uint32_t*>(items),
               count * item.words, item);
}

}  // namespace multifold::inline v0_1::cuda
