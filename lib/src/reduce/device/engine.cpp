// The GPU engine, in builds that have it.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "device/capture_mode.hpp"
#include "device/note_status.hpp"
#include "multifold/cuda/buffer.hpp"
#include "multifold/cuda/environment.hpp"
#include "multifold/cuda/error.hpp"
#include "multifold/cuda/event.hpp"
#include "multifold/cuda/reduce_async.hpp"
#include "multifold/cuda/stream.hpp"
#include "multifold/cuda/traits.hpp"
#include "multifold/error.hpp"
#include "multifold/graphs/capture.hpp"
#include "multifold/graphs/graph_cache.hpp"
#include "reduce/device.hpp"
#include "reduce/device/streams.hpp"
#include "stream/device/boxes.hpp"
#include "stream/device/sharing.hpp"
#include "stream/device/state.hpp"
#include "stream/device/stream.hpp"

namespace multifold::inline v0_1::detail {

bool has_device(std::string& reason) { return !cuda::devices(reason).empty(); }

bool opens_device(std::string& reason) { return cuda::has_kernels(reason); }

std::vector<int> devices_with_kernels() {
  std::string reason;
  std::vector<int> numbers;
  for (const cuda::device_info& each : cuda::devices(reason)) numbers.push_back(each.index);
  return numbers;
}

void use_device(int device) { cuda::check(cudaSetDevice(device)); }

int device_in_use() {
  int device = 0;
  cuda::check(cudaGetDevice(&device));
  return device;
}

int device_of(const void* at) {
  cudaPointerAttributes found{};
  cuda::check(cudaPointerGetAttributes(&found, at));
  if (found.type == cudaMemoryTypeDevice || found.type == cudaMemoryTypeManaged) return found.device;
  throw unsupported_error("an array that is said to be in device memory is not");
}

engine_traits current_device() { return cuda::device_traits(); }

cuda::stream stream_behind(cudaStream_t after) {
  cuda::stream stream;
  const cuda::event before;
  before.record(after);
  before.hold_back(stream.get());
  return stream;
}

namespace {

// A stream and memory of a device, left by one state for the next: to make them takes longer than to sum a gigabyte.
struct work_place {
  explicit work_place(std::int64_t bytes) : memory(bytes) { cuda::check(cudaGetDevice(&device)); }

  int device = 0;
  cuda::device_buffer memory;
  cuda::stream stream;
};

class spare_places {
 public:
  std::unique_ptr<work_place> take(std::int64_t bytes) {
    int device = 0;
    cuda::check(cudaGetDevice(&device));
    {
      const std::lock_guard lock(mutex_);
      const auto found = std::find_if(spare_.begin(), spare_.end(), [&](const auto& each) {
        return each->device == device && each->memory.size() >= bytes;
      });
      if (found != spare_.end()) {
        std::unique_ptr<work_place> place = std::move(*found);
        spare_.erase(found);
        return place;
      }
    }
    return std::make_unique<work_place>(bytes);
  }
  // When nothing runs there any more.
  void give_back(std::unique_ptr<work_place> place) {
    if (place->memory.size() > most_bytes) return;
    const std::lock_guard lock(mutex_);
    if (spare_.size() < most) spare_.push_back(std::move(place));
  }

 private:
  static constexpr std::size_t most = 32;
  static constexpr std::int64_t most_bytes = INT64_C(1) << 20;

  std::mutex mutex_;
  std::vector<std::unique_ptr<work_place>> spare_;
};

// Never destroyed, as the graphs below.
spare_places& spare() {
  static auto& places = *new spare_places;
  return places;
}

// Results that wait take as much memory again, and are written to their places where there is not so much.
std::unique_ptr<work_place> place_for(plan& p, std::int64_t behind) {
  try {
    return spare().take(p.workspace_bytes() + behind);
  } catch (const out_of_memory&) {
    if (p.waiting_bytes == 0) throw;
  }
  p.waiting_bytes = 0;
  return spare().take(p.workspace_bytes() + behind);
}

// Of the problems that come again and again. Never destroyed: when the program ends, the driver may be gone first.
graphs::graph_cache& graphs_of_problems() {
  static auto& cache = *new graphs::graph_cache;
  return cache;
}

// A plan on a stream, in memory for its workspace and its results. The only batch of a state goes into an accumulator of
// its own, as chunks do, and is not lowered.
struct work_in_memory {
  const plan& p;
  cudaStream_t stream;
  std::byte* memory;  // workspaces are a multiple of what slices are aligned to

  static std::int64_t bytes_behind(const plan& p) {
    return p.what.as_state ? accumulator_bytes(p.what) : p.form.results() * result_bytes(p.what);
  }

  std::byte* found() const { return memory + p.workspace_bytes(); }
  std::span<std::byte> workspace() const { return {memory, static_cast<std::size_t>(p.workspace_bytes())}; }

  void begin(const operands& data) const {
    if (p.what.as_state) {
      cuda::fill_identity_async(p.what, found(), 1, stream);
      cuda::accumulate_async(p, data, {found(), 0, 0}, workspace(), stream);
    } else {
      cuda::reduce_async(p, data, found(), workspace(), stream);
    }
  }
  void finish(void* results) const {
    if (p.what.as_state) {
      stream::save_device_state(p.what, found(), results, stream);
    } else {
      const auto bytes = static_cast<std::size_t>(bytes_behind(p));
      cuda::check(cudaMemcpyAsync(results, found(), bytes, cudaMemcpyDeviceToHost, stream));
      check_status(cuda::status_of(workspace(), stream), p.what);
    }
  }
};

}  // namespace

class device_work::running {
 public:
  running(const plan& p, const operands& data, cudaStream_t after)
      : p_(p), place_(place_for(p_, work_in_memory::bytes_behind(p))) {
    const cuda::event before;
    before.record(after);
    before.hold_back(place_->stream.get());
    work().begin(data);
  }

  void finish(void* results) {
    work().finish(results);
    spare().give_back(std::move(place_));
  }

 private:
  work_in_memory work() const { return {p_, place_->stream.get(), place_->memory.data()}; }

  plan p_;
  std::unique_ptr<work_place> place_;
};

device_work::device_work(const plan& p, const operands& data, CUstream_st* after) {
  const cuda::relaxed_capture_mode mode;
  if (after == nullptr) after = cudaStreamLegacy;
  graphs::refuse_captured(after);
  if (p.form.results() > 0) running_ = std::make_unique<running>(p, data, after);
}
device_work::device_work(device_work&&) noexcept = default;
device_work::~device_work() {
  if (!running_) return;
  const cuda::relaxed_capture_mode mode;  // memory that another's failure left here is freed
  running_.reset();
}

void device_work::finish(void* results) {
  const cuda::relaxed_capture_mode mode;
  if (running_) running_->finish(results);
}

void run_on_device(const plan& p, const operands& data, void* results, CUstream_st* after) {
  if (p.form.results() == 0) return;
  const cuda::relaxed_capture_mode mode;
  if (after == nullptr) after = cudaStreamLegacy;
  graphs::refuse_captured(after);
  if (!p.what.as_state && graphs_of_problems().run(p, data, results, after)) return;
  device_work(p, data, after).finish(results);
}

void run_in_environment(const plan& p, const operands& data, void* results, const cuda::environment& env) {
  if (p.form.results() == 0) return cuda::write_ok(env);
  const cuda::relaxed_capture_mode mode;
  const cudaStream_t stream = env.stream.get();
  graphs::refuse_captured(stream != nullptr ? stream : cudaStreamLegacy);
  cuda::detail::check_status_word(env);
  const cuda::stream_workspace memory(p.workspace_bytes() + work_in_memory::bytes_behind(p), env);
  const work_in_memory work{p, stream, memory.bytes().data()};
  work.begin(data);
  if (p.what.as_state) cuda::write_ok(env);
  else cuda::detail::note_plan_status(work.workspace(), env);
  work.finish(results);
}

void wait_for(CUstream_st* stream) {
  const cuda::relaxed_capture_mode mode;
  graphs::refuse_captured(stream);
  cuda::check(cudaStreamSynchronize(stream));
}

stream::streamed stream_to_device(const plan& p, const stream::inputs& input, void* results,
                                  const stream::host_options& options) {
  const cuda::relaxed_capture_mode mode;
  return stream::run_device(p, input, results, options);
}

stream::streamed share_with_device(const plan& p, const stream::inputs& input, void* results,
                                   const stream::host_options& options) {
  const cuda::relaxed_capture_mode mode;
  return stream::run_shared(p, input, results, options);
}

bool device_shares(const reduction& what, const batches& form) { return stream::is_worth_sharing(what, form); }

bool device_takes_chunks(const batches& form) { return stream::streams_to_device(form); }

}  // namespace multifold::inline v0_1::detail
