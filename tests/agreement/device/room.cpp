// Device and pinned memory of a worker, and plans run by reduce_async and as graphs, between canaries.
#include "agreement/device/room.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "agreement/device/fold.hpp"
#include "agreement/run/attempt.hpp"
#include "multifold/cuda/buffer.hpp"
#include "multifold/cuda/error.hpp"
#include "multifold/cuda/reduce_async.hpp"
#include "multifold/cuda/stream.hpp"
#include "multifold/cuda/traits.hpp"
#include "multifold/graphs/pass_graph.hpp"

namespace multifold::agreement {
namespace {

constexpr std::int64_t canary_bytes = 4096;

// Device memory between canaries, poisoned before.
class poisoned_memory {
 public:
  /// `bytes` at a multiple of 256.
  std::span<std::byte> prepare(std::int64_t bytes, cudaStream_t stream) {
    const std::int64_t wanted = bytes + 2 * canary_bytes;
    if (memory_.size() < wanted) memory_ = cuda::device_buffer(2 * wanted);
    bytes_ = bytes;
    cuda::check(cudaMemsetAsync(memory_.data(), static_cast<int>(poison), static_cast<std::size_t>(wanted), stream));
    return memory_.bytes().subspan(canary_bytes, static_cast<std::size_t>(bytes));
  }
  void fetch(std::vector<std::byte>& into, cudaStream_t stream) const {
    into.resize(static_cast<std::size_t>(bytes_));
    copy(into.data(), memory_.data() + canary_bytes, into.size(), stream);
  }
  bool intact(cudaStream_t stream) const {
    std::vector<std::byte> canaries(2 * canary_bytes);
    copy(canaries.data(), memory_.data(), canary_bytes, stream);
    copy(canaries.data() + canary_bytes, memory_.data() + canary_bytes + bytes_, canary_bytes, stream);
    return std::all_of(canaries.begin(), canaries.end(), [](std::byte b) { return b == poison; });
  }

 private:
  static void copy(std::byte* to, const std::byte* from, std::size_t bytes, cudaStream_t stream) {
    if (bytes == 0) return;
    cuda::check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, stream));
    cuda::check(cudaStreamSynchronize(stream));
  }

  cuda::device_buffer memory_;
  std::int64_t bytes_ = 0;
};

class room final : public device_room {
 public:
  explicit room(std::int64_t most_bytes) : traits_(cuda::device_traits()) {
    for (int i = 0; i < 2; ++i) {
      pinned_[i] = cuda::pinned_buffer(most_bytes);
      device_[i] = cuda::device_buffer(most_bytes);
    }
  }

  std::span<std::byte> pinned(int which) override { return pinned_[which].bytes(); }

  laid_out send(const trial& t, const laid_out& arrays) override {
    laid_out there = arrays;
    const auto send_one = [&](int which, std::byte*& x, std::byte*& buffer) {
      const std::ptrdiff_t at = buffer - pinned_[which].data(), first = x - buffer;
      std::byte* to = device_[which].data() + at;
      const std::ptrdiff_t around = 256;  // as the arrays have it
      cuda::check(cudaMemcpyAsync(to - around, buffer - around, static_cast<std::size_t>(arrays.bytes + 2 * around),
                                  cudaMemcpyHostToDevice, stream_.get()));
      buffer = to;
      x = to + first;
    };
    send_one(0, there.x, there.buffer_x);
    if (takes_two_arrays(t.op)) send_one(1, there.y, there.buffer_y);
    stream_.synchronise();
    return there;
  }

  outcome run(const trial& t, const laid_out& on_device) override {
    return attempt([&](outcome& got) {
      if (t.way == entry::fold) run_fold(t, on_device, got);
      else run_plan(t, on_device, got);
    });
  }

 private:
  void run_plan(const trial& t, const laid_out& arrays, outcome& got) {
    const array_view view{arrays.x, t.type, t.extents, t.strides, place::device};
    const std::vector<std::int64_t> axes = t.axes ? *t.axes : all_axes(view.rank());
    const plan p = make_plan(reduction_of(t), normalise(view, axes, order_of(t.op)), t.forced, traits_);
    const auto stream = stream_.get();
    const auto results = results_.prepare(p.form.results() * result_bytes(p.what), stream);
    const auto workspace = workspace_.prepare(p.workspace_bytes(), stream);
    const status how = enqueue(t, p, {arrays.x, arrays.y}, results, workspace);
    check_canaries(got);
    check_status(how, p.what);
    got.extents = result_extents(view, axes, t.keepdims);
    got.type = p.what.result;
    results_.fetch(got.bytes, stream);
  }

  status enqueue(const trial& t, const plan& p, const operands& data, std::span<std::byte> results,
                 std::span<std::byte> workspace) {
    const auto stream = stream_.get();
    if (t.way == entry::graph) {
      stream_.synchronise();
      const graphs::pass_graph graph(p, data, results.data(), workspace);
      for (int launch = 0; launch < 2; ++launch) graph.launch(stream);
      const status how = p.form.results() > 0 ? graph.status_of(stream) : status::ok;
      stream_.synchronise();
      return how;
    }
    if (t.way == entry::counted) {
      auto* count = reinterpret_cast<std::int64_t*>(count_.data());
      cuda::check(cudaMemcpyAsync(count, &*t.count, sizeof *count, cudaMemcpyHostToDevice, stream));
      stream_.synchronise();
      cuda::reduce_counted_async(p, data, count, results.data(), workspace, stream);
    } else {
      cuda::reduce_async(p, data, results.data(), workspace, stream);
    }
    return p.form.results() > 0 ? cuda::status_of(workspace, stream) : status::ok;
  }

  void run_fold(const trial& t, const laid_out& arrays, outcome& got) {
    const auto stream = stream_.get();
    fold_on_device(
        t, arrays.x, [&](std::int64_t bytes) { return results_.prepare(bytes, stream); },
        [&](std::int64_t bytes) { return workspace_.prepare(bytes, stream); }, stream);
    stream_.synchronise();
    check_canaries(got);
    got.extents = result_extents({arrays.x, t.type, t.extents, t.strides, place::device},
                                 t.axes ? *t.axes : all_axes(static_cast<std::int64_t>(t.extents.size())), t.keepdims);
    got.type = t.type;
    results_.fetch(got.bytes, stream);
  }

  void check_canaries(outcome& got) const {
    stream_.synchronise();
    if (!results_.intact(stream_.get())) got.damage = "bytes around the results are overwritten";
    if (!workspace_.intact(stream_.get())) got.damage = "bytes around the workspace are overwritten";
  }

  engine_traits traits_;
  cuda::stream stream_;
  cuda::pinned_buffer pinned_[2];
  cuda::device_buffer device_[2], count_{sizeof(std::int64_t)};
  poisoned_memory results_, workspace_;
};

}  // namespace

bool has_device(std::string& reason) { return !cuda::devices(reason).empty(); }

std::string device_name() {
  std::string reason;
  return cuda::devices(reason).empty() ? "" : cuda::device_traits().name;
}

std::unique_ptr<device_room> make_device_room(std::int64_t most_bytes) {
  std::string reason;
  if (!has_device(reason)) return nullptr;
  return std::make_unique<room>(most_bytes);
}

}  // namespace multifold::agreement
