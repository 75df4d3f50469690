// Why contenders are timed in turn inside one benchmark, and not as benchmarks of their own: clocks, temperature and
// memory refresh drift by 1-2 % within seconds, which is what a ratio here is about. Google Benchmark's random
// interleaving shuffles whole repetitions, and keeps no pairs; here each round times everybody within milliseconds,
// the ratio is taken inside the round, and the median of the rounds' ratios is free of drift.
#include "device/run.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <span>
#include <stdexcept>

#include "device/exact_check.hpp"
#include "multifold/cuda/event.hpp"
#include "multifold/cuda/reduce_async.hpp"
#include "multifold/cuda/traits.hpp"

namespace bench {
namespace {

using namespace multifold;
using cuda::check;
using cuda::device_buffer;
using timed_event = cuda::event;
using kind = contender::kind;

constexpr double not_timed = std::numeric_limits<double>::quiet_NaN();
constexpr int calls_in_graph = 64;
// Read before a timed run: more than any L2, so that nothing of the run's input is still there, and long enough that
// the run has been enqueued when it starts, however long the host took over the one before.
constexpr std::int64_t flush_bytes = std::int64_t{256} << 20;
// One block a batch takes 60 ms for 4 GiB, and says the same in five rounds as in seventeen.
constexpr double slow_seconds = 0.04;
constexpr int slow_rounds = 5;

std::span<std::byte> span_of(const device_buffer& b) { return {b.data(), static_cast<std::size_t>(b.size())}; }

}  // namespace

struct case_run::entrant {
  contender who;
  std::function<void(const std::byte*)> call;
  shape3 shape;
  dtype result = dtype::f32;
  tolerance allowed = tolerance::exact;
  device_buffer out, workspace;
  plan p;
  peer_job job;
  cudaGraphExec_t graph = nullptr;
  bool slow = false;
  timed_event start{timed_event::timing::on}, stop{timed_event::timing::on};
};

std::int64_t arena_bytes() {
  std::size_t free = 0, total = 0;
  check(cudaMemGetInfo(&free, &total));
  std::int64_t bytes = std::int64_t{16} << 30;
  while (bytes > static_cast<std::int64_t>(free / 5 * 3)) bytes /= 2;
  return bytes;
}

int rounds_of(const bench_case& c) {
  if (c.how != pace::stream) return 51;
  return c.data == data_set::integers ? 17 : 9;
}

case_run::case_run(const bench_case& c, arena& memory) : case_(c), memory_(memory) {
  const array_view view = view_of(c, memory.data.data(), memory.data.size());
  const std::int64_t bytes = (view.elements() + c.shift) * item_bytes(c.type) * (reads_two_arrays(c) ? 2 : 1);
  if (bytes > memory.data.size()) throw std::runtime_error("the device has too little memory for this case");
  stride_ = (bytes + 255) / 256 * 256;
  copies_ = std::max<std::int64_t>(1, memory.data.size() / stride_);
  fill_arena();
  entrants_.reserve(c.contenders.size());
  for (const contender& who : c.contenders) prepare(who);
  if (c.data == data_set::integers) verify();
  else if (c.op >= op_kind::norm1) verify_moments();
  else verify_exactly();
  warm_up();
}

case_run::~case_run() {
  for (entrant& e : entrants_) {
    if (e.graph != nullptr) cudaGraphExecDestroy(e.graph);
  }
}

void case_run::fill_arena() {
  if (case_.data != data_set::integers && case_.data == memory_.set && case_.type == memory_.type) return;
  memory_.set = case_.data;
  memory_.type = case_.type;
  memory_.seed = memory_.seed * 0x5851f42d4c957f2dull + 0x14057b7ef767814full;
  fill(case_.type, case_.data, memory_.data.data(), memory_.data.size(), memory_.seed, memory_.stream.get());
}

const std::byte* case_run::next_input() {
  const std::int64_t at = next_++ % copies_ * stride_;
  return memory_.data.data() + at + case_.shift * item_bytes(case_.type);
}

void case_run::prepare(const contender& who) {
  const array_view view = view_of(case_, memory_.data.data(), memory_.data.size());
  const std::int64_t bytes = view.elements() * item_bytes(case_.type) * (reads_two_arrays(case_) ? 2 : 1);
  const cudaStream_t stream = memory_.stream.get();
  entrant e;
  e.who = who;
  e.p = plan_of(case_, who, view, cuda::device_traits());
  e.shape = {e.p.form.outer, e.p.form.length, e.p.form.inner};
  e.result = who.what == kind::peer ? who.result : e.p.what.result;
  e.allowed = who.what == kind::peer                                   ? who.allowed
              : is_floating(case_.type) && case_.op != op_kind::argmax ? tolerance::f64
                                                                       : tolerance::exact;
  const bool reads_only = who.what == kind::read || who.what == kind::copy;
  e.out = device_buffer((reads_only ? 0 : e.shape.results() * std::max<std::int64_t>(8, result_bytes(e.p.what))) + 256);
  if (who.what == kind::peer) {
    e.job.rows = e.shape.results();
    e.job.length = e.shape.length;
    e.job.in = view.data;
    e.job.out = e.out.data();
    e.job.stream = stream;
    const cudaError_t code = who.peer(e.job);
    if (code == cudaErrorNotSupported) return;  // this CUB does not have it
    check(code);
    e.workspace = device_buffer(static_cast<std::int64_t>(std::max<std::size_t>(e.job.temp_bytes, 256)));
    e.job.temp = e.workspace.data();
  } else if (who.what == kind::ours || who.what == kind::whole) {
    e.workspace = device_buffer(e.p.workspace_bytes());
  }
  entrants_.push_back(std::move(e));
  timings_.push_back({who.name, {}, static_cast<double>(bytes)});

  entrant& kept = entrants_.back();
  if (who.what == kind::peer) {
    kept.call = [&kept](const std::byte* in) {
      kept.job.in = in;
      check(kept.who.peer(kept.job));
    };
  } else if (who.what == kind::read) {
    kept.call = [&kept, bytes, stream](const std::byte* in) {
      const auto* const aligned = in - reinterpret_cast<std::uintptr_t>(in) % 16;
      read_async(aligned, bytes / 16 * 16, kept.out.data(), stream);
    };
  } else if (who.what == kind::copy) {
    kept.call = [this, stream](const std::byte*) {
      std::byte* const all = memory_.data.data();
      const std::int64_t half = memory_.data.size() / 2;
      check(cudaMemcpyAsync(all + half, all, static_cast<std::size_t>(half), cudaMemcpyDeviceToDevice, stream));
    };
  } else {
    kept.call = [this, view, &kept, stream](const std::byte* in) {
      cuda::reduce_async(kept.p, operands_of(case_, view, in), kept.out.data(), span_of(kept.workspace), stream);
    };
  }
}

// The first copy of the input, by everybody, against the oracle.
void case_run::verify() {
  const cudaStream_t stream = memory_.stream.get();
  const std::byte* const in = memory_.data.data() + case_.shift * item_bytes(case_.type);
  device_buffer exact;
  std::int64_t batches = -1;
  for (entrant& e : entrants_) {
    check(cudaMemsetAsync(e.out.data(), 0xff, static_cast<std::size_t>(e.out.size()), stream));
    e.call(in);
    if (e.who.what == kind::read || e.who.what == kind::copy) continue;
    if (e.who.what != kind::peer) check_status(cuda::status_of(span_of(e.workspace), stream), e.p.what);
    if (e.job.on_host) check(cudaMemcpy(e.out.data(), e.job.host_result, 8, cudaMemcpyHostToDevice));
    if (batches != e.shape.results()) {
      exact = device_buffer();  // the old one goes first
      exact = exact_results(case_.op, case_.type, in, e.shape, stream);
      batches = e.shape.results();
    }
    const std::string wrong = compare(case_.op, case_.type, e.shape, exact, e.result, e.out.data(), e.allowed, stream);
    if (!wrong.empty()) throw std::runtime_error(e.who.name + ": " + wrong);
  }
  memory_.stream.synchronise();
}

// The same, of a data set: the first contender is exact to the last bit, and the others are close to it.
void case_run::verify_exactly() {
  const cudaStream_t stream = memory_.stream.get();
  const array_view view = view_of(case_, memory_.data.data(), memory_.data.size());
  const entrant& exact = entrants_.front();
  for (entrant& e : entrants_) {
    if (e.who.what == kind::read) continue;
    check(cudaMemsetAsync(e.out.data(), 0xff, static_cast<std::size_t>(e.out.size()), stream));
    e.call(static_cast<const std::byte*>(view.data));
    if (e.who.what == kind::ours) check_status(cuda::status_of(span_of(e.workspace), stream), e.p.what);
    const std::string wrong =
        &e == &exact ? check_exact(case_, e.who, view, e.p, e.out.data(), stream)
                     : check_rounded(case_, exact.p, exact.out.data(), e.result, e.out.data(), e.allowed, stream);
    if (!wrong.empty()) throw std::runtime_error(e.who.name + ": " + wrong);
  }
  memory_.stream.synchronise();
}

void case_run::verify_moments() {
  const array_view view = view_of(case_, memory_.data.data(), memory_.data.size());
  for (entrant& e : entrants_) {
    if (e.who.what != kind::ours || e.p.what.op < op_kind::norm1) continue;
    e.call(static_cast<const std::byte*>(view.data));
    check_status(cuda::status_of(span_of(e.workspace), memory_.stream.get()), e.p.what);
    const std::string wrong = check_moments(case_, e.who, view, e.p, e.out.data(), memory_.stream.get());
    if (!wrong.empty()) throw std::runtime_error(e.who.name + ": " + wrong);
  }
}

void case_run::capture(entrant& e) {
  const cudaStream_t stream = memory_.stream.get();
  cudaGraph_t graph = nullptr;
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  for (int i = 0; i < calls_in_graph; ++i) e.call(next_input());
  check(cudaStreamEndCapture(stream, &graph));
  const cudaError_t code = cudaGraphInstantiate(&e.graph, graph, 0);
  cudaGraphDestroy(graph);
  check(code);
}

void case_run::warm_up() {
  for (entrant& e : entrants_) {
    if (case_.how == pace::captured) capture(e);
    for (int i = 0; i < 3 && !e.slow; ++i) {
      enqueue(e);
      memory_.stream.synchronise();
      e.slow = e.stop.elapsed_ms_since(e.start) * 1e-3 > slow_seconds;
    }
  }
}

// Enqueues one timed run: a call, or a graph of calls.
void case_run::enqueue(entrant& e) {
  const cudaStream_t stream = memory_.stream.get();
  if (case_.how != pace::single) {
    const std::int64_t flushed = std::min(flush_bytes, memory_.data.size() / 2);
    read_async(memory_.data.data() + memory_.data.size() - flushed, flushed, e.out.data(), stream);
  }
  const std::byte* const in = next_input();
  e.start.record(stream);
  if (e.graph != nullptr) check(cudaGraphLaunch(e.graph, stream));
  else e.call(in);
  e.stop.record(stream);
}

double case_run::round() {
  const auto sits_out = [&](const entrant& e) { return e.slow && rounds_ >= slow_rounds; };
  const std::size_t count = entrants_.size();
  for (std::size_t i = 0; i < count; ++i) {
    entrant& e = entrants_[(i + static_cast<std::size_t>(rounds_)) % count];
    if (sits_out(e)) continue;
    enqueue(e);
    if (case_.how != pace::stream) memory_.stream.synchronise();
  }
  memory_.stream.synchronise();
  for (std::size_t i = 0; i < count; ++i) {
    const entrant& e = entrants_[i];
    const double calls = e.graph != nullptr ? calls_in_graph : 1;
    const double seconds = sits_out(e) ? not_timed : e.stop.elapsed_ms_since(e.start) * 1e-3 / calls;
    timings_[i].seconds.push_back(seconds);
  }
  ++rounds_;
  return timings_.front().seconds.back();
}

}  // namespace bench
