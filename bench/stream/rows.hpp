// Sums of short rows on their way through the GPU: copies in, kernels, and results out, all at the same time.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "multifold/cuda/buffer.hpp"
#include "multifold/cuda/error.hpp"
#include "multifold/cuda/reduce_async.hpp"
#include "multifold/cuda/stream.hpp"
#include "multifold/cuda/traits.hpp"

namespace bench {

/// Rows of `length` f32, in chunks of `each` bytes that streams take in turn.
class row_stream {
 public:
  row_stream(std::int64_t each, std::int64_t length, int streams)
      : chunk_bytes_(each), plan_(plan_of(each / 4 / length, length)) {
    for (int i = 0; i < streams; ++i) places_.emplace_back(each, plan_);
  }

  std::int64_t result_bytes() const { return plan_.form.results() * 4; }  // of a chunk

  /// Both arrays are pinned; `bytes` are whole chunks.
  void run(const std::byte* array, std::int64_t bytes, std::byte* results) const {
    for (std::int64_t i = 0; i < bytes / chunk_bytes_; ++i) {
      const place& p = places_[static_cast<std::size_t>(i) % places_.size()];
      const cudaStream_t on = p.stream.get();
      multifold::cuda::check(cudaMemcpyAsync(p.data.data(), array + i * chunk_bytes_,
                                             static_cast<std::size_t>(chunk_bytes_), cudaMemcpyHostToDevice, on));
      multifold::cuda::reduce_async(plan_, p.data.data(), p.sums.data(), p.workspace.bytes(), on);
      multifold::cuda::check(cudaMemcpyAsync(results + i * result_bytes(), p.sums.data(),
                                             static_cast<std::size_t>(result_bytes()), cudaMemcpyDeviceToHost, on));
    }
    for (const place& p : places_) p.stream.synchronise();
  }

 private:
  struct place {
    place(std::int64_t bytes, const multifold::plan& p)
        : data(bytes), sums(p.form.results() * 4), workspace(p.workspace_bytes()) {}
    multifold::cuda::stream stream;
    multifold::cuda::device_buffer data, sums, workspace;
  };

  static multifold::plan plan_of(std::int64_t rows, std::int64_t length) {
    const auto view = multifold::make_view(nullptr, multifold::dtype::f32, {rows, length});
    return multifold::make_plan(multifold::make_reduction(multifold::op_kind::sum, multifold::dtype::f32),
                                multifold::normalise(view, {1}, multifold::element_order::any), {},
                                multifold::cuda::device_traits());
  }

  std::int64_t chunk_bytes_;
  multifold::plan plan_;
  std::vector<place> places_;
};

}  // namespace bench
