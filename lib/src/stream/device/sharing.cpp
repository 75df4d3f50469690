// The first thread reduces, the second one opens the GPU and feeds it, and of the others some help it when it is there:
// so none waits for another one to start.
#include "stream/device/sharing.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <string>

#include "device/capture_mode.hpp"
#include "host/aligned_bytes.hpp"
#include "host/engine.hpp"
#include "host/float_environment.hpp"
#include "host/threads/crew.hpp"
#include "multifold/cuda/error.hpp"
#include "multifold/error.hpp"
#include "stream/consumed.hpp"
#include "stream/device/boxes.hpp"
#include "stream/device/memory.hpp"
#include "stream/device/stream.hpp"
#include "stream/shared_progress.hpp"

namespace multifold::inline v0_1::stream {
namespace {

// Runs `work`, and returns what the GPU failed of, if it did. What else goes wrong is thrown.
template <class Work>
std::string failure_of_device(const Work& work) {
  try {
    work();
    return "";
  } catch (const cuda_error& problem) {
    return problem.what();
  } catch (const out_of_memory& problem) {
    return problem.what();
  }
}

class sharing {
 public:
  sharing(const plan& p, const inputs& input, void* results, const host_options& options)
      : plan_(p),
        input_(input),
        results_(results),
        threads_(options.threads > 0 ? options.threads : host::usable_threads()),
        array_(p.what, p.form),
        progress_(options.progress),
        of_host_(options),
        of_device_(options) {
    const std::int64_t memory = options.memory_bytes > 0 ? options.memory_bytes : default_memory_bytes;
    const bool in_place = input.memory.x != nullptr;
    of_host_.threads = threads_;
    of_device_.threads = threads_that_stage(threads_);
    of_host_.memory_bytes = of_device_.memory_bytes = in_place ? memory : memory / 2;
    of_host_.progress = progress_.of(shared_by::host);
    of_device_.progress = progress_.of(shared_by::device);
    host_ = share_host(p, input, results, of_host_, array_);
  }

  streamed run() {
    cuda::check(cudaGetDevice(&current_));
    host::run_crew(threads_ + 1, [this](int worker) {
      try {
        if (worker == leader) lead();
        else reduce(worker == 0 ? 0 : worker - 1);
      } catch (...) {
        abandon();
        throw;
      }
    });
    streamed done{plan_.form.elements()};
    if (device_ && failure_.empty()) take_results();
    if (!failure_.empty()) {
      do_the_rest();
      done.note = "the GPU failed (" + failure_ + "): the CPU did the rest";
    } else if (device_) {
      done.way = device_->way();
      done.memory = device_->memory();
      done.note = device_->note();
      done.on_device = device_->consumed();
    }
    check_consumed(host_->consumed() + done.on_device, done.elements, input_.x);
    host_->finish(array_.array.nest.length);
    progress_.finish(done.elements * item_bytes(plan_.what.input));
    return done;
  }

 private:
  static constexpr int leader = 1;

  void lead() {
    if (array_.units.empty()) return;
    note_failure(failure_of_device([&] {
      const cuda::relaxed_capture_mode mode;
      cuda::check(cudaSetDevice(current_));
      std::unique_ptr<device_part> opened = share_device(plan_, input_, results_, of_device_, array_);
      {
        const std::lock_guard lock(mutex_);
        if (abandoned_) return;
        device_ = std::move(opened);
      }
      // One more thread ends where this one is at work all the time.
      seats_ = device_->workers() - (device_->way() == transfer::staged ? 0 : 1);
      device_->work(0, threads_);
    }));
  }

  // Threads of the CPU turn to the GPU when it wants them, and back if it fails.
  void reduce(int thread) {
    int seat = 0;
    const auto leave = [&] { return thread > 0 && take_seat(seat); };
    if (thread < host_->threads()) host_->work(thread, leave);
    else leave();
    if (seat == 0 || seat >= device_->workers()) return;
    note_failure(failure_of_device([&] { device_->work(seat, thread); }));
    if (thread < host_->threads()) host_->work(thread, [] { return false; });
  }

  bool take_seat(int& seat) {
    seat = seats_.load();
    while (seat > 0 && !seats_.compare_exchange_weak(seat, seat - 1)) {
    }
    return seat > 0;
  }

  void note_failure(const std::string& problem) {
    if (problem.empty()) return;
    const std::lock_guard lock(mutex_);
    if (failure_.empty()) failure_ = problem;
    if (device_) device_->abandon();
  }

  void abandon() {
    host_->abandon();
    const std::lock_guard lock(mutex_);
    abandoned_ = true;
    if (device_) device_->abandon();
  }

  void take_results() {
    host::aligned_bytes accumulators;
    failure_ = failure_of_device([&] {
      if (array_.open) {
        accumulators = host::allocate_accumulators(array_.array.results, accumulator_bytes(plan_.what));
      }
      device_->finish(accumulators.get());
    });
    if (failure_.empty() && array_.open) host_->merge_whole(accumulators.get());
  }

  // What the GPU has brought to an end is done again, too: in an open slice it is lost, and else it comes out the same.
  void do_the_rest() {
    device_.reset();
    cudaGetLastError();
    progress_.forget(shared_by::device);
    array_.units.give_back(shared_by::device);
    host::run_crew(host_->threads(), [this](int worker) {
      try {
        host_->work(worker, [] { return false; });
      } catch (...) {
        host_->abandon();
        throw;
      }
    });
  }

  const plan& plan_;
  const inputs& input_;
  void* const results_;
  const int threads_;
  shared_array array_;
  shared_progress progress_;
  host_options of_host_, of_device_;
  int current_ = 0;
  std::unique_ptr<host_part> host_;
  std::mutex mutex_;
  std::unique_ptr<device_part> device_;
  std::atomic<int> seats_{0};  // on the GPU's side, that are free
  std::string failure_;        // of the GPU
  bool abandoned_ = false;
};

void check_shareable(const plan& p, const inputs& input, transfer way) {
  const std::string who = input.x.name() + ": ";
  if (!same_in_any_order(p.what)) {
    throw unsupported_error(
        who + "two engines share only what has the same bits in any order, and this " + std::string(name(p.what.op)) +
        " is rounded on the way: " +
        (has_exact_form(p.what.op) ? "ask for accuracy exact, or for one engine" : "ask for one engine"));
  }
  if (has_unknown_length(input.x.layout()) || !input.random_access()) {
    throw unsupported_error(
        who + "two engines share what can be read from any place on, and this is a stream: ask for one engine");
  }
  check_streams_to_device(p.form, input.x.name());
  if (way == transfer::copy || way == transfer::mapped)
    way_of(input, p.form.elements() * item_bytes(p.what.input), way);
}

}  // namespace

bool can_be_shared(const reduction& what, const batches& form) {
  return same_in_any_order(what) && streams_to_device(form);
}

bool is_worth_sharing(const reduction& what, const batches& form) {
  return can_be_shared(what, form) && form.elements() > 0 && merges_cheaply(what, form);
}

streamed run_shared(const plan& p, const inputs& input, void* results, const host_options& options) {
  if (!has_unknown_length(input.x.layout()) && p.form.elements() == 0) {
    host::run(p, nullptr, results);
    return {};
  }
  check_shareable(p, input, options.way);
  const host::default_float_environment environment;  // for what this thread finishes behind the pool
  return sharing(p, input, results, options).run();
}

}  // namespace multifold::inline v0_1::stream
