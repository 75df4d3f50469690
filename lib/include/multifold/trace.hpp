// What a pipeline of chunks did, and when: for pictures of it, and for those who wonder where the time goes.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>

namespace multifold::inline v0_1 {

enum class trace_kind : std::uint8_t {
  read,       // a chunk out of its source into a buffer
  reduce,     // the elements in a buffer, by a thread or by a GPU
  copy,       // a chunk to the GPU
  copy_back,  // the results of a chunk from the GPU
};

/// One interval of time in which one thread, or one part of a GPU, was busy with one chunk. Times of a GPU are its own
/// timestamps, brought to this clock: they may be wrong by some microseconds.
struct trace_event {
  trace_kind kind;
  int worker;  // number of the thread, from 0 on; -1: the GPU, in which each kind has a lane of its own
  // Number of the chunk in the array, from 0 on; if both engines share it, among those of the engine. -1: the result of
  // a stream that has ended.
  std::int64_t chunk;
  std::int64_t bytes;
  std::chrono::steady_clock::time_point start, end;
};

/// Called when such an interval has ended, by the thread that was busy, and so by several at once; those of a GPU when
/// their buffers are needed again, in no particular order. What it throws ends the reduction.
/// Cost: two looks at the clock an event, or two timed CUDA events; nothing where there is no sink.
using trace_sink = std::function<void(const trace_event&)>;

}  // namespace multifold::inline v0_1
