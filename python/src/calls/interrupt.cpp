// The work on a thread of its own, while the main one asks Python for signals.
#include "calls/interrupt.hpp"

#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>

#include "python.hpp"

namespace multifold::python {
namespace {

void watched(const std::function<void(std::stop_token)>& work) {
  std::mutex mutex;
  std::condition_variable changed;
  bool done = false;
  std::exception_ptr failure;
  std::optional<nb::python_error> raised;
  std::stop_source stop;
  {
    nb::gil_scoped_release no_gil;
    std::jthread worker([&] {
      try {
        work(stop.get_token());
      } catch (...) {
        failure = std::current_exception();
      }
      const std::lock_guard lock(mutex);
      done = true;
      changed.notify_one();
    });
    std::unique_lock lock(mutex);
    while (!changed.wait_for(lock, std::chrono::milliseconds(50), [&] { return done; })) {
      if (raised) continue;
      lock.unlock();
      {
        nb::gil_scoped_acquire gil;
        if (PyErr_CheckSignals() != 0) raised.emplace();
      }
      if (raised) stop.request_stop();
      lock.lock();
    }
  }
  if (raised) throw nb::python_error(std::move(*raised));
  if (failure) std::rethrow_exception(failure);
}

}  // namespace

void without_gil(bool long_work, const std::function<void(std::stop_token)>& work) {
  if (long_work) return watched(work);
  nb::gil_scoped_release no_gil;
  work({});
}

}  // namespace multifold::python
