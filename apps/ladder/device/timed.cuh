// Time by the GPU's own clock.
#pragma once

#include "multifold/cuda/event.hpp"
#include "rungs/common.cuh"

namespace multifold::ladder::gpu {

class stopwatch {
 public:
  /// Seconds between the begin and the end of what `work` enqueues on `stream`, for whose end it waits.
  template <class Work>
  double seconds_of(cudaStream_t stream, const Work& work) const {
    begin_.record(stream);
    work();
    end_.record(stream);
    end_.synchronise();
    return 1e-3 * end_.elapsed_ms_since(begin_);
  }

 private:
  cuda::event begin_{cuda::event::timing::on}, end_{cuda::event::timing::on};
};

}  // namespace multifold::ladder::gpu
