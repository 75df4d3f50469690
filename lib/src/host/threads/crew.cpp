// The thread pool: callers queue their jobs, work on them themselves, and wait only for the workers that really came.
#include "host/threads/crew.hpp"

#include <unistd.h>

#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "host/float_environment.hpp"

namespace multifold::inline v0_1::host {
namespace {

struct call {
  const std::function<void(int)>& job;
  int next_worker = 1;
  int wanted = 0;   // workers that may still come
  int running = 0;  // workers that came and have not left
  std::exception_ptr failure = nullptr;
};

class pool {
 public:
  // At exit. The object itself stays: other threads, or a parent's, may still be inside its condition variables.
  void close() {
    if (getpid() != owner_) return;
    {
      const std::lock_guard lock(mutex_);
      leaving_ = true;
    }
    work_.notify_all();
    for (std::thread& t : threads_) {
      // A job that calls exit() is here on its own thread.
      if (t.get_id() == std::this_thread::get_id()) t.detach();
      else t.join();
    }
  }

  void run(int size, const std::function<void(int)>& job) {
    call mine{job};
    mine.wanted = size - 1;
    {
      const std::lock_guard lock(mutex_);
      grow(size - 1);
      calls_.push_back(&mine);
    }
    if (size == 2) work_.notify_one();
    else work_.notify_all();
    work_on(mine, 0);
    std::unique_lock lock(mutex_);
    std::erase(calls_, &mine);
    done_.wait(lock, [&] { return mine.running == 0; });
    if (mine.failure) std::rethrow_exception(mine.failure);
  }

 private:
  void grow(int workers) {
    try {
      while (static_cast<int>(threads_.size()) < workers) threads_.emplace_back([this] { serve(); });
    } catch (const std::system_error&) {
      // The system has no more threads: those that are there, and the caller, do all of it.
    }
  }

  void serve() {
    std::unique_lock lock(mutex_);
    while (true) {
      work_.wait(lock, [&] { return leaving_ || !calls_.empty(); });
      if (leaving_) return;
      call& c = *calls_.front();
      const int worker = c.next_worker++;
      ++c.running;
      if (--c.wanted == 0) calls_.pop_front();
      lock.unlock();
      work_on(c, worker);
      lock.lock();
      if (--c.running == 0) done_.notify_all();
    }
  }

  void work_on(call& c, int worker) {
    const default_float_environment environment;
    try {
      c.job(worker);
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!c.failure) c.failure = std::current_exception();
    }
  }

  std::mutex mutex_;
  std::condition_variable work_, done_;
  std::deque<call*> calls_;
  std::vector<std::thread> threads_;
  bool leaving_ = false;
  const pid_t owner_ = getpid();
};

// A child of fork() has none of its parent's threads, and gets a pool of its own; the parent's copy is left alone.
pool& the_pool() {
  static pool* const first = new pool;
  static const struct closer {
    ~closer() { first->close(); }
  } at_exit;
  static const pid_t owner = getpid();
  if (getpid() == owner) return *first;
  static pool* const forked = new pool;
  return *forked;
}

}  // namespace

void run_crew(int size, const std::function<void(int)>& job) {
  if (size <= 1) {
    const default_float_environment environment;
    return job(0);
  }
  the_pool().run(size, job);
}

}  // namespace multifold::inline v0_1::host
