// Status words grow downwards from the results, so that one copy brings all that was written, and nothing else.
#include "stream/device/results/outbox.hpp"

#include <cuda_runtime_api.h>

#include <cstring>

#include "multifold/cuda/error.hpp"
#include "stream/result_order.hpp"

namespace multifold::inline v0_1::stream {
namespace {

using word = std::uint32_t;

constexpr std::int64_t word_bytes = sizeof(word);
constexpr std::int64_t most_statuses = status_bytes / word_bytes;

// In a buffer.
std::int64_t place_of_status(std::int64_t number) { return status_bytes - (number + 1) * word_bytes; }

void copy_back(void* to, const void* from, std::int64_t bytes, cudaStream_t stream) {
  cuda::check(cudaMemcpyAsync(to, from, static_cast<std::size_t>(bytes), cudaMemcpyDeviceToHost, stream));
}

}  // namespace

void result_target::note(status s) {
  status seen = worst.load(std::memory_order_relaxed);
  while (s > seen && !worst.compare_exchange_weak(seen, s)) {
  }
}

device_outbox::device_outbox(result_target& to, std::int64_t room)
    : to_(to),
      room_(room),
      device_(status_bytes + room * to.item),
      pinned_(status_bytes + (to.direct ? 0 : room * to.item)),
      returned_(to.timed(), cuda::event::waiting::sleep) {
  if (to.tracer != nullptr) started_.emplace(to.timed());
}

bool device_outbox::has_room(host::interval which) const {
  if (held_.begin == held_.end) return which.end - which.begin <= room_;
  return which.begin == held_.end && which.end - held_.begin <= room_ && statuses_ < most_statuses;
}

std::byte* device_outbox::place(host::interval which) {
  if (held_.begin == held_.end) held_ = {which.begin, which.begin};
  std::byte* const at = device_.data() + status_bytes + (held_.end - held_.begin) * to_.item;
  held_.end = which.end;
  return at;
}

void device_outbox::note_status(const void* status_word, cudaStream_t kernels) {
  cuda::check(cudaMemcpyAsync(device_.data() + place_of_status(statuses_), status_word, word_bytes,
                              cudaMemcpyDeviceToDevice, kernels));
  ++statuses_;
}

void device_outbox::send(std::int64_t chunk, cudaStream_t kernels, cudaStream_t back) {
  const std::int64_t bytes = (held_.end - held_.begin) * to_.item;
  if (bytes == 0) return;
  ready_.record(kernels);
  ready_.hold_back(back);
  if (started_) started_->record(back);
  const std::int64_t words = statuses_ * word_bytes, first = status_bytes - words;
  if (to_.direct) {
    if (words > 0) copy_back(pinned_.data() + first, device_.data() + first, words, back);
    copy_back(to_.results + held_.begin * to_.item, device_.data() + status_bytes, bytes, back);
  } else {
    copy_back(pinned_.data() + first, device_.data() + first, words + bytes, back);
  }
  returned_.record(back);
  chunk_ = chunk;
  sent_ = true;
}

void device_outbox::deliver() {
  if (!sent_) return;
  returned_.synchronise();
  if (started_)
    to_.tracer->tell(trace_kind::copy_back, chunk_, (held_.end - held_.begin) * to_.item, *started_, returned_);
  for (std::int64_t i = 0; i < statuses_; ++i) {
    word s = 0;
    std::memcpy(&s, pinned_.data() + place_of_status(i), sizeof s);
    to_.note(static_cast<status>(s));
  }
  if (!to_.direct) put_in_order(to_.nest, held_, pinned_.data() + status_bytes, to_.item, to_.results, to_.threads);
  held_ = {0, 0};
  statuses_ = 0;
  sent_ = false;
}

}  // namespace multifold::inline v0_1::stream
