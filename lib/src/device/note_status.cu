// One thread, and some words. It is started while the work whose status it notes still runs.
#include "device/note_status.hpp"

#include <algorithm>

#include "multifold/cuda/kernels/dependent.cuh"
#include "multifold/cuda/work_queue.hpp"

namespace multifold::inline v0_1::cuda {
namespace kernels {

using detail::most_noted_words, detail::noted_word;

struct noted_words {
  int count;
  noted_word word[most_noted_words];
};

__global__ void note_status(const __grid_constant__ noted_words words, std::uint32_t* to) {
  wait_for_previous();
  std::uint32_t worst = 0;
  for (int i = 0; i < words.count; ++i) {
    const noted_word& word = words.word[i];
    const std::uint32_t found = *word.at;
    if (found != 0) worst = max(worst, word.if_set == status::ok ? found : static_cast<std::uint32_t>(word.if_set));
  }
  *to = worst;
}

}  // namespace kernels

void detail::note_status(std::initializer_list<noted_word> words, std::uint32_t* to, cudaStream_t stream) {
  kernels::noted_words all{static_cast<int>(words.size()), {}};
  std::copy(words.begin(), words.end(), all.word);
  stream_queue queue(stream);
  launch_next_kernel(queue, kernels::note_status, 1, 1, 0, all, to);
}

}  // namespace multifold::inline v0_1::cuda
