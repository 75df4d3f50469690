// Stands on every rung of the GPU's ladder: makes the numbers, times the rungs, and compares with the exact result.
#include <algorithm>
#include <charconv>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "device/all.cuh"
#include "device/device.hpp"
#include "device/memory.cuh"
#include "device/numbers.cuh"
#include "device/plain_read.cuh"
#include "device/timed.cuh"
#include "multifold/cuda/buffer.hpp"
#include "multifold/cuda/stream.hpp"
#include "multifold/cuda/traits.hpp"

namespace multifold::ladder {
namespace {

// As few digits as tell the number from all others of its type.
template <class Acc>
std::string text_of(Acc value) {
  char text[64];
  return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

template <class Op>
class device_ladder {
  using value = typename Op::value_type;

 public:
  device_ladder(const problem& what, int repeats)
      : what_(what),
        repeats_(repeats),
        array_bytes_(what.count * static_cast<std::int64_t>(sizeof(value))),
        array_stride_((array_bytes_ + 255) / 256 * 256),
        data_(array_stride_ * what.arrays()),
        memory_(what.count) {
    for (int a = 0; a < what.arrays(); ++a) gpu::fill(array(a), what.count, a, stream_.get());
    stream_.synchronise();
  }

  climb climbed() {
    climb c;
    c.title = "The GPU's ladder";
    c.machine = cuda::device_traits().name;
    c.what = what_;
    c.exact = text_of(expected(what_.count).rounded);
    c.roof_name = "a plain read";
    c.roof = roof();
    c.counted = recorded_counters();
    for (const gpu::rung<Op>& each : gpu::all_rungs<Op>()) c.steps.push_back(stood_on(each));
    return c;
  }

 private:
  static constexpr int warm_ups = 3;

  value* array(int a) const { return reinterpret_cast<value*>(data_.data() + a * array_stride_); }
  gpu::elements<Op> all() const { return {array(0), Op::two_arrays ? array(1) : nullptr}; }

  // Of the first `count` elements.
  const gpu::expectation<Op>& expected(std::int64_t count) {
    const auto known = expected_.find(count);
    if (known != expected_.end()) return known->second;
    return expected_.emplace(count, gpu::expect<Op>(all(), count)).first->second;
  }

  template <class Work>
  timing timed(const Work& work) const {
    std::vector<double> seconds;
    for (int i = 0; i < warm_ups; ++i) clock_.seconds_of(stream_.get(), work);
    for (int i = 0; i < std::max(repeats_, 1); ++i) seconds.push_back(clock_.seconds_of(stream_.get(), work));
    return timing_of(std::move(seconds));
  }

  // Of the quicker form.
  double roof() const {
    const cuda::device_buffer never(sizeof(int));
    double best = 0;
    for (const gpu::grid_form form : {gpu::grid_form::stays, gpu::grid_form::passes_through}) {
      const timing took = timed([&] {
        for (int a = 0; a < what_.arrays(); ++a) {
          gpu::launch_plain_read(form, array(a), array_bytes_, reinterpret_cast<int*>(never.data()),
                                 gpu::multiprocessors_here(), stream_.get());
        }
      });
      best = std::max(best, static_cast<double>(what_.bytes()) / took.median);
    }
    return best;
  }

  step stood_on(const gpu::rung<Op>& rung) {
    step s;
    s.number = rung.number;
    s.name = rung.name;
    s.file = rung.file;
    s.gain = rung.gain;
    s.defect = rung.defect;
    if (rung.against != nullptr) s.against = rung.against;
    s.no_gain = rung.no_gain;
    s.why_not = rung.why_not();
    if (!s.why_not.empty()) return s;
    s.count = std::min(what_.count, rung.most_elements);
    s.bytes = problem{what_.type, what_.op, s.count}.bytes();
    try {
      const auto [took, result, right] = tried(rung, s.count);
      s.took = took;
      s.value = text_of(result);
      s.ulps = gpu::ulps_off(expected(s.count), result);
      s.right = right;
      if (s.count > brief_elements) {
        const auto brief = tried(rung, brief_elements);
        s.brief = brief.took;
        s.right = s.right && brief.right;
      }
    } catch (const out_of_memory& e) {  // pinned memory, of which there may be less than there is on the GPU
      s.why_not = e.what();
    }
    return s;
  }

  struct trial {
    timing took;
    typename Op::acc result;
    bool right;
  };

  trial tried(const gpu::rung<Op>& rung, std::int64_t count) {
    const gpu::run<Op> r = memory_.run_of(all(), count, stream_.get());
    memory_.poison(stream_.get());
    const gpu::prepared_run work = rung.prepare(r);
    work();
    const auto result = memory_.value(stream_.get());
    const bool right = gpu::is_right(expected(count), result, rung.additions(r));
    return {timed(work), result, right};
  }

  const problem what_;
  const int repeats_;
  const std::int64_t array_bytes_, array_stride_;
  const cuda::stream stream_;
  const cuda::device_buffer data_;
  const gpu::run_memory<Op> memory_;
  const gpu::stopwatch clock_;
  std::map<std::int64_t, gpu::expectation<Op>> expected_;
};

template <class T>
climb climbed_by_op(const problem& what, int repeats) {
  if (what.op == op_kind::sum) return device_ladder<gpu::sum<T>>(what, repeats).climbed();
  if (what.op == op_kind::max) return device_ladder<gpu::max<T>>(what, repeats).climbed();
  if (what.op == op_kind::dot) return device_ladder<gpu::dot<T>>(what, repeats).climbed();
  throw unsupported_error("the ladder is one of sum, max and dot, and not of " + std::string(name(what.op)));
}

}  // namespace

std::optional<climb> climb_device(const problem& wanted, int repeats, std::string& reason) {
  if (!cuda::has_kernels(reason)) return std::nullopt;
  if (wanted.count < 0) throw shape_error("the ladder needs an element at least");
  problem what = wanted;
  if (what.count == 0) {
    std::size_t free_bytes = 0, all_bytes = 0;
    gpu::check(cudaMemGetInfo(&free_bytes, &all_bytes));
    what.count = static_cast<std::int64_t>(std::min(free_bytes / 4, std::size_t{4} << 30)) / item_bytes(what.type);
  }
  if (what.type == dtype::f32) return climbed_by_op<float>(what, repeats);
  if (what.type == dtype::f64) return climbed_by_op<double>(what, repeats);
  if (what.type == dtype::i32) return climbed_by_op<std::int32_t>(what, repeats);
  throw unsupported_error("the ladder is one of f32, f64 and i32, and not of " + std::string(name(what.type)));
}

}  // namespace multifold::ladder
