// A stream, and the times of what is enqueued on it.
#pragma once

#include <algorithm>
#include <vector>

#include "median.hpp"
#include "multifold/cuda/event.hpp"
#include "multifold/cuda/stream.hpp"

namespace bench {

class stream_timer {
 public:
  cudaStream_t stream() const { return stream_.get(); }

  /// Seconds of each of so many rounds of work().
  template <class Work>
  std::vector<double> seconds_of(int rounds, const Work& work) {
    std::vector<double> all;
    for (int i = 0; i < rounds; ++i) {
      begin_.record(stream());
      work();
      end_.record(stream());
      end_.synchronise();
      all.push_back(1e-3 * end_.elapsed_ms_since(begin_));
    }
    return all;
  }

 private:
  multifold::cuda::stream stream_;
  multifold::cuda::event begin_{multifold::cuda::event::timing::on}, end_{multifold::cuda::event::timing::on};
};

/// From the first quartile to the third, in percent of the median.
inline double spread_percent(std::vector<double> all) {
  std::sort(all.begin(), all.end());
  return 100 * (all[all.size() * 3 / 4] - all[all.size() / 4]) / median(all);
}

}  // namespace bench
