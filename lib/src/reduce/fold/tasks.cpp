// Tasks of folds on the threads of the CPU engine.
#include <algorithm>
#include <atomic>

#include "host/engine.hpp"
#include "host/threads/crew.hpp"
#include "host/threads/progress.hpp"
#include "multifold/error.hpp"
#include "multifold/fold/shape.hpp"

namespace multifold::inline v0_1::detail {
namespace {

// Fewer elements are reduced before another thread is awake, if an operation takes a few instructions.
constexpr std::int64_t alone_elements = 1 << 16;

class shared_tasks final : public fold_tasks {
 public:
  shared_tasks(std::int64_t tasks, const fold_options& options) : tasks_(tasks), options_(options) {}

  std::int64_t next() override {
    check();
    if (failed_.load(std::memory_order_relaxed)) return -1;
    const std::int64_t mine = next_.fetch_add(1, std::memory_order_relaxed);
    return mine < tasks_ ? mine : -1;
  }

  void check() override {
    if (options_.stop.stop_requested()) throw cancelled_error("the fold was cancelled");
  }

  void tell_read(std::int64_t bytes) override {
    if (options_.progress) progress_.tell(bytes_.fetch_add(bytes) + bytes);
  }

  void fail() { failed_.store(true, std::memory_order_relaxed); }
  std::int64_t bytes() const { return bytes_; }

 private:
  const std::int64_t tasks_;
  const fold_options& options_;
  std::atomic<std::int64_t> next_{0}, bytes_{0};
  std::atomic<bool> failed_{false};
  host::progress progress_{options_.progress, host::memory_progress_step};
};

}  // namespace

void run_fold_tasks(int threads, std::int64_t tasks, const fold_options& options,
                    const std::function<void(fold_tasks&)>& work) {
  shared_tasks shared(tasks, options);
  host::run_crew(static_cast<int>(std::min<std::int64_t>(threads, tasks)), [&](int) {
    try {
      work(shared);
    } catch (...) {
      shared.fail();
      throw;
    }
  });
  if (options.progress) options.progress(shared.bytes());
}

void run_fold_alone(const std::function<void()>& work) {
  host::run_crew(1, [&](int) { work(); });
}

int fold_threads(const fold_shape& shape, const fold_options& options) {
  if (options.threads > 0) return options.threads;
  return shape.results * shape.length < alone_elements ? 1 : host::usable_threads();
}

}  // namespace multifold::inline v0_1::detail
