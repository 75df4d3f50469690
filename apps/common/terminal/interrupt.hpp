// Ctrl-C and its kin: a polite request to stop, and a firm one for those who do not hear it.
#pragma once

#include <atomic>
#include <csignal>
#include <functional>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace multifold::app {

/// Turns SIGINT, SIGTERM and SIGHUP into a stop request, as long as one lives. Made before any other thread.
///
/// The signals are blocked in every thread and taken by a thread of our own, so there is no handler that could be at
/// the wrong place. Work that has not ended half a second after a request (blocked in a read), or at the second
/// signal, is ended by `last_words` and _exit. Signals that were ignored (nohup) stay ignored.
class interrupt_watch {
 public:
  interrupt_watch();
  interrupt_watch(const interrupt_watch&) = delete;
  interrupt_watch& operator=(const interrupt_watch&) = delete;
  ~interrupt_watch();

  std::stop_token token() const noexcept { return source_.get_token(); }

  /// What the process returns after an interruption: 128 and the number of the first signal, as shells have it.
  int exit_status() const noexcept;

  /// What is done before a forced exit: a message, and files removed. Runs in another thread.
  void set_last_words(std::function<void()> words);

  /// Says, after the first signal, that it has ended the work on `files`. For last words.
  void complain_of_end(const std::string& message, const std::vector<std::string>& files) const;

  /// Called before the interruption is reported elsewhere; does not return if a forced exit has begun to.
  void claim();

 private:
  void watch();
  [[noreturn]] void force_exit();

  sigset_t signals_;
  std::stop_source source_;
  std::atomic<bool> finished_{false};
  std::atomic<bool> claimed_{false};
  std::atomic<int> signal_{SIGINT};
  std::mutex words_mutex_;
  std::function<void()> last_words_;
  std::thread thread_;
};

/// Last words for as long as one lives; what they refer to has to live longer.
class last_words {
 public:
  last_words(interrupt_watch& watch, std::function<void()> words) : watch_(watch) {
    watch_.set_last_words(std::move(words));
  }
  last_words(const last_words&) = delete;
  last_words& operator=(const last_words&) = delete;
  ~last_words() { watch_.set_last_words({}); }

 private:
  interrupt_watch& watch_;
};

}  // namespace multifold::app
