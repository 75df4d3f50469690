// Copies of an item, word by word: neighbouring threads write neighbouring words, however long the item is.
#include "multifold/cuda/fill_items.hpp"

#include <algorithm>

namespace multifold::cuda {
namespace {

constexpr unsigned fill_threads = 256;

__global__ void __launch_bounds__(fill_threads)
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

}  // namespace

void fill_items(const sparse_item& item, void* items, std::int64_t count, work_queue& queue) {
  if (count == 0) return;
  const std::int64_t blocks = std::min((count + fill_threads - 1) / fill_threads, std::int64_t{1} << 20);
  launch_kernel(queue, fill_identity, static_cast<unsigned>(blocks), fill_threads, 0,
                static_cast<std::uint32_t*>(items), count * item.words, item);
}

}  // namespace multifold::cuda
