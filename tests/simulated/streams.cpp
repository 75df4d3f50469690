// Streams, events and copies.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <thread>
#include <utility>

#include "simulated_gpu.hpp"

using clock_type = std::chrono::steady_clock;

// What an event stands for since it was last recorded.
struct moment {
  bool came = false;
  clock_type::time_point when;
};

struct CUevent_st {
  std::shared_ptr<moment> recorded;
  bool timed;
};

struct CUstream_st {
  CUstream_st() : thread([this] { run(); }) {}
  ~CUstream_st() {
    {
      const std::lock_guard guard(simulated::lock());
      leaving = true;
    }
    simulated::happened().notify_all();
    thread.join();
  }

  void run() {
    std::mt19937 dawdles(static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(this) >> 4));
    std::unique_lock guard(simulated::lock());
    while (true) {
      simulated::happened().wait(guard, [&] { return leaving || !work.empty(); });
      if (work.empty()) return;
      const std::function<void()> next = std::move(work.front());
      work.pop_front();
      guard.unlock();
      if (dawdles() % 4 == 0) std::this_thread::sleep_for(std::chrono::microseconds(dawdles() % 300));
      next();
      guard.lock();
      ++done;
      simulated::happened().notify_all();
    }
  }

  void drain() {
    std::unique_lock guard(simulated::lock());
    simulated::happened().wait(guard, [this, all = given] { return done >= all; });
  }

  std::deque<std::function<void()>> work;
  static inline std::atomic<std::int64_t> made{0};
  const std::int64_t number = ++made;
  std::int64_t given = 0, done = 0;
  bool leaving = false;
  std::thread thread;
};

namespace simulated {
namespace {

std::set<cudaStream_t> streams;

// The default stream, which waits for no other here: all others are made with cudaStreamNonBlocking.
cudaStream_t real(cudaStream_t stream) {
  static auto* const default_stream = [] {
    auto* const made = new CUstream_st;
    const std::lock_guard guard(lock());
    streams.insert(made);
    return made;
  }();
  return stream == nullptr || stream == cudaStreamLegacy ? default_stream : stream;
}

}  // namespace

// Neither is ever destroyed: when the program ends, the default stream's thread still waits.
std::mutex& lock() {
  static auto& only = *new std::mutex;
  return only;
}

std::condition_variable& happened() {
  static auto& only = *new std::condition_variable;
  return only;
}

void enqueue(cudaStream_t stream, std::function<void()> work) {
  stream = real(stream);
  const std::lock_guard guard(lock());
  stream->work.push_back(std::move(work));
  ++stream->given;
  happened().notify_all();
}

// Streams may be destroyed meanwhile, by other threads.
void drain() {
  std::unique_lock guard(lock());
  std::map<std::int64_t, std::int64_t> wanted;
  for (const cudaStream_t each : streams) wanted[each->number] = each->given;
  happened().wait(guard, [&] {
    return std::all_of(streams.begin(), streams.end(), [&](cudaStream_t each) {
      const auto found = wanted.find(each->number);
      return found == wanted.end() || each->done >= found->second;
    });
  });
}

namespace {

std::atomic<std::int64_t> called{0}, broken_from{INT64_MAX};

}  // namespace

void break_at(std::int64_t call) { broken_from = call; }
void repair() {
  broken_from = INT64_MAX;
  called = 0;
}
std::int64_t calls() { return called; }
cudaError_t next_call() { return called++ >= broken_from ? cudaErrorLaunchFailure : cudaSuccess; }

}  // namespace simulated

using namespace simulated;

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
  if (const cudaError_t broken = next_call(); broken != cudaSuccess) return broken;
  *stream = new CUstream_st;
  const std::lock_guard guard(lock());
  streams.insert(*stream);
  return cudaSuccess;
}

cudaError_t cudaStreamIsCapturing(cudaStream_t, cudaStreamCaptureStatus* found) {
  *found = cudaStreamCaptureStatusNone;
  return cudaSuccess;
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  stream->drain();
  {
    const std::lock_guard guard(lock());
    streams.erase(stream);
    happened().notify_all();
  }
  delete stream;
  return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  simulated::real(stream)->drain();
  return next_call();
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  if (const cudaError_t broken = next_call(); broken != cudaSuccess) return broken;
  *event = new CUevent_st{nullptr, (flags & cudaEventDisableTiming) == 0};
  return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  delete event;
  return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  if (const cudaError_t broken = next_call(); broken != cudaSuccess) return broken;
  const auto now = std::make_shared<moment>();
  {
    const std::lock_guard guard(lock());
    event->recorded = now;
  }
  enqueue(stream, [now] {
    const std::lock_guard guard(lock());
    now->came = true;
    now->when = clock_type::now();
    happened().notify_all();
  });
  return cudaSuccess;
}

static void wait_for(const std::shared_ptr<moment>& recorded) {
  std::unique_lock guard(lock());
  happened().wait(guard, [&] { return !recorded || recorded->came; });
}

static std::shared_ptr<moment> recorded_in(cudaEvent_t event) {
  const std::lock_guard guard(lock());
  return event->recorded;
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  if (const cudaError_t broken = next_call(); broken != cudaSuccess) return broken;
  wait_for(recorded_in(event));
  return cudaSuccess;
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
  if (const cudaError_t broken = next_call(); broken != cudaSuccess) return broken;
  const std::lock_guard guard(lock());
  return !event->recorded || event->recorded->came ? cudaSuccess : cudaErrorNotReady;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  if (const cudaError_t broken = next_call(); broken != cudaSuccess) return broken;
  enqueue(stream, [recorded = recorded_in(event)] { wait_for(recorded); });
  return cudaSuccess;
}

cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t start, cudaEvent_t end) {
  const std::lock_guard guard(lock());
  if (!start->timed || !end->timed || !start->recorded || !end->recorded) return cudaErrorInvalidResourceHandle;
  if (!start->recorded->came || !end->recorded->came) return cudaErrorNotReady;
  *ms = std::chrono::duration<float, std::milli>(end->recorded->when - start->recorded->when).count();
  return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
  if (const cudaError_t broken = next_call(); broken != cudaSuccess) return broken;
  const memory target = memory_at(to), origin = memory_at(from);
  const bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
  const bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
  const bool as_said = (origin == memory::device) == from_device && (target == memory::device) == to_device;
  if (kind != cudaMemcpyDefault && !as_said) return cudaErrorInvalidValue;
  enqueue(stream, [=] { std::memcpy(to, from, bytes); });
  if (target == memory::pageable || origin == memory::pageable) real(stream)->drain();  // as copies of such memory may
  return cudaSuccess;
}

cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  if (const cudaError_t broken = cudaMemcpyAsync(to, from, bytes, kind, cudaStreamLegacy); broken != cudaSuccess)
    return broken;
  return cudaStreamSynchronize(cudaStreamLegacy);
}

cudaError_t cudaMemsetAsync(void* data, int value, std::size_t bytes, cudaStream_t stream) {
  if (const cudaError_t broken = next_call(); broken != cudaSuccess) return broken;
  enqueue(stream, [=] { std::memset(data, value, bytes); });
  return cudaSuccess;
}
