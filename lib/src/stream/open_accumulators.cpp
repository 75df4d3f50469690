// Many results are the work of several threads.
#include "stream/open_accumulators.hpp"

#include <algorithm>
#include <atomic>

#include "host/exact/whole_accumulators.hpp"
#include "host/threads/crew.hpp"

namespace multifold::inline v0_1::stream {
namespace {

constexpr std::int64_t block = 4096;

template <class Work>
void for_blocks(std::int64_t results, int threads, const Work& work) {
  const std::int64_t blocks = (results - 1) / block + 1;
  std::atomic<std::int64_t> next{0};
  host::run_crew(static_cast<int>(std::min<std::int64_t>(threads, blocks)), [&](int) {
    for (std::int64_t i = next++; i < blocks; i = next++) {
      work(host::interval{i * block, std::min((i + 1) * block, results)});
    }
  });
}

}  // namespace

void open_accumulators::merge_whole(const reduction& what, const std::byte* from) const {
  const std::int64_t each = accumulator_bytes(what);
  for_blocks(array.results, threads, [&](host::interval some) {
    host::merge_whole(fold, what, first + some.begin * fold.acc_bytes(), from + some.begin * each,
                      some.end - some.begin);
  });
}

void open_accumulators::lower(result_sink& sink, std::int64_t count) const {
  for_blocks(array.results, threads, [&](host::interval some) {
    sink.lower(fold, array.nest, first + some.begin * fold.acc_bytes(), some, count);
  });
}

}  // namespace multifold::inline v0_1::stream
