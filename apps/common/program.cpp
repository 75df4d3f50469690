// What main() does in both programs.
#include "common/program.hpp"

#include <csignal>
#include <exception>

#include "common/complaint.hpp"

namespace multifold::app {

int run_program(std::string_view name, const std::function<exit_code(interrupt_watch&)>& work) {
  name_program(name);
  // Writes say what went wrong by themselves.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  interrupt_watch watch;
  try {
    return static_cast<int>(work(watch));
  } catch (...) {
    const failure problem = failure_of(std::current_exception());
    const bool interrupted = problem.code() == exit_code::interrupted;
    if (interrupted) watch.claim();
    const int status = interrupted ? watch.exit_status() : static_cast<int>(problem.code());
    if (*problem.what() != '\0') complain(problem, status);
    return status;
  }
}

}  // namespace multifold::app
