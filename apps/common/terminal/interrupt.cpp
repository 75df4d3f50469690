// A thread that waits for signals.
#include "common/terminal/interrupt.hpp"

#include <pthread.h>
#include <unistd.h>

#include <ctime>
#include <system_error>

#include "common/complaint.hpp"

namespace multifold::app {
namespace {

constexpr timespec patience{0, 500'000'000};

bool is_ignored(int number) {
  struct sigaction action {};
  return ::sigaction(number, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

sigset_t only(int number) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, number);
  return set;
}

}  // namespace

interrupt_watch::interrupt_watch() {
  sigemptyset(&signals_);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    if (!is_ignored(number)) sigaddset(&signals_, number);
  }
  // The new thread inherits the mask. SIGUSR1, by which the destructor wakes it, is blocked there only.
  const sigset_t wake_up = only(SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
  pthread_sigmask(SIG_BLOCK, &wake_up, nullptr);
  try {
    thread_ = std::thread([this] { watch(); });
  } catch (const std::system_error&) {
    pthread_sigmask(SIG_UNBLOCK, &signals_, nullptr);  // no thread to be had: the system's default is still an answer
  }
  pthread_sigmask(SIG_UNBLOCK, &wake_up, nullptr);
}

interrupt_watch::~interrupt_watch() {
  if (!thread_.joinable()) return;
  finished_ = true;
  pthread_kill(thread_.native_handle(), SIGUSR1);
  thread_.join();
}

void interrupt_watch::set_last_words(std::function<void()> words) {
  const std::lock_guard lock(words_mutex_);
  last_words_ = std::move(words);
}

int interrupt_watch::exit_status() const noexcept { return 128 + signal_; }

void interrupt_watch::claim() {
  if (!claimed_.exchange(true)) return;
  for (;;) ::pause();
}

void interrupt_watch::watch() {
  sigset_t with_wake_up = signals_;
  sigaddset(&with_wake_up, SIGUSR1);
  int number = -1;
  while (number < 0) number = sigwaitinfo(&with_wake_up, nullptr);
  if (finished_) return;
  signal_ = number;
  source_.request_stop();
  sigtimedwait(&with_wake_up, nullptr, &patience);  // at the second signal, at the end of patience, or at the end
  if (!finished_) force_exit();
}

void interrupt_watch::complain_of_end(const std::string& message, const std::vector<std::string>& files) const {
  complain({exit_code::interrupted, message, files}, exit_status());
}

void interrupt_watch::force_exit() {
  if (claimed_.exchange(true)) {
    // The report is out, but its thread does not come to an end.
    ::_exit(exit_status());
  }
  const std::lock_guard lock(words_mutex_);
  if (last_words_) last_words_();
  else complain_of_end("interrupted", {});
  ::_exit(exit_status());
}

}  // namespace multifold::app
