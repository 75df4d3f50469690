// What segments and groups have on the GPU: one axis of neighbours, there or copied there. Private to the device
// engine.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <optional>

#include "multifold/cuda/buffer.hpp"
#include "multifold/cuda/error.hpp"
#include "reduce/segments/request.hpp"

namespace multifold::inline v0_1::detail {

/// Whether the array has one axis, of neighbours, or there is nothing to reduce.
inline bool cuts_neighbours(const segment_request& r) {
  return r.results == 0 ||
         (r.form.results() == 1 && r.form.reduced.size() == 1 && (r.extent <= 1 || r.form.reduced[0].stride == 1));
}

/// Memory that the device reads: that of the caller, or a copy.
class on_device {
 public:
  on_device(const void* data, place where, std::int64_t bytes, cudaStream_t stream) : data_(data) {
    if (where == place::device || bytes == 0 || data == nullptr) return;
    copy_.emplace(bytes);
    cuda::check(cudaMemcpyAsync(copy_->data(), data, static_cast<std::size_t>(bytes), cudaMemcpyHostToDevice, stream));
    data_ = copy_->data();
  }
  /// One of the arrays of a request, which may be null.
  on_device(const segment_request& r, const void* array, cudaStream_t stream)
      : on_device(first_of(r, array), r.where, r.extent * item_bytes(r.what.input), stream) {}
  const void* data() const { return data_; }

 private:
  static const void* first_of(const segment_request& r, const void* array) {
    if (array == nullptr) return nullptr;
    return static_cast<const std::byte*>(array) + r.form.offset * item_bytes(r.what.input);
  }

  const void* data_;
  std::optional<cuda::device_buffer> copy_;
};

}  // namespace multifold::inline v0_1::detail
