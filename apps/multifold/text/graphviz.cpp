// The program dot, run between files that have no name: however much it says, nothing has to be read meanwhile.
#include "text/graphviz.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <string_view>
#include <system_error>

#include "common/messages/failure.hpp"

namespace multifold::app {
namespace {

failure refused(const std::string& why) { return {exit_code::other, "--svg: " + why}; }

std::string text_of(int error) { return std::generic_category().message(error); }

// A file in memory.
class nameless_file {
 public:
  nameless_file() {
    const int made = ::memfd_create("multifold", MFD_CLOEXEC);
    // The child's standard streams are put in place one by one; none of them may be one of these.
    file_ = made < 0 ? made : ::fcntl(made, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    const int error = errno;
    if (made >= 0) ::close(made);
    if (file_ < 0) throw refused("no file in memory could be made: " + text_of(error));
  }
  nameless_file(const nameless_file&) = delete;
  nameless_file& operator=(const nameless_file&) = delete;
  ~nameless_file() { ::close(file_); }

  int get() const noexcept { return file_; }

  // To be read from its start.
  void put(std::string_view text) {
    off_t at = 0;
    while (!text.empty()) {
      const ssize_t written = ::pwrite(file_, text.data(), text.size(), at);
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) throw refused("a file in memory could not be written: " + text_of(errno));
      text.remove_prefix(static_cast<std::size_t>(written));
      at += written;
    }
  }

  std::string text() const {
    struct stat status {};
    if (::fstat(file_, &status) != 0) throw refused("a file in memory could not be read: " + text_of(errno));
    std::string text(static_cast<std::size_t>(status.st_size), '\0');
    std::size_t have = 0;
    while (have < text.size()) {
      const ssize_t got = ::pread(file_, text.data() + have, text.size() - have, static_cast<off_t>(have));
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) throw refused("a file in memory could not be read: " + text_of(errno));
      have += static_cast<std::size_t>(got);
    }
    return text;
  }

 private:
  int file_ = -1;
};

// How the child starts: its streams, and signals as if this program had changed none.
class surroundings {
 public:
  surroundings(const nameless_file& in, const nameless_file& out, const nameless_file& err) {
    ::posix_spawn_file_actions_init(&files_);
    ::posix_spawn_file_actions_adddup2(&files_, in.get(), STDIN_FILENO);
    ::posix_spawn_file_actions_adddup2(&files_, out.get(), STDOUT_FILENO);
    ::posix_spawn_file_actions_adddup2(&files_, err.get(), STDERR_FILENO);
    sigset_t none, usual;
    sigemptyset(&none);
    sigemptyset(&usual);
    sigaddset(&usual, SIGPIPE);
    sigaddset(&usual, SIGXFSZ);
    ::posix_spawnattr_init(&signals_);
    ::posix_spawnattr_setsigmask(&signals_, &none);
    ::posix_spawnattr_setsigdefault(&signals_, &usual);
    ::posix_spawnattr_setflags(&signals_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  surroundings(const surroundings&) = delete;
  surroundings& operator=(const surroundings&) = delete;
  ~surroundings() {
    ::posix_spawn_file_actions_destroy(&files_);
    ::posix_spawnattr_destroy(&signals_);
  }

  const posix_spawn_file_actions_t* files() const noexcept { return &files_; }
  const posix_spawnattr_t* signals() const noexcept { return &signals_; }

 private:
  posix_spawn_file_actions_t files_;
  posix_spawnattr_t signals_;
};

// How dot ended, as waitpid tells.
int run_dot(const surroundings& around) {
  std::string program = "dot", format = "-Tsvg";
  const std::array<char*, 3> words{program.data(), format.data(), nullptr};
  pid_t child = 0;
  const int error = ::posix_spawnp(&child, "dot", around.files(), around.signals(), words.data(), environ);
  if (error == ENOENT) {
    throw refused("Graphviz's program dot is not on PATH; install graphviz, or take --dot to where it is");
  }
  if (error != 0) throw refused("Graphviz's program dot cannot be run: " + text_of(error));
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) throw refused("Graphviz's program dot got lost: " + text_of(errno));
  }
  return status;
}

}  // namespace

std::string svg_of(const std::string& picture, std::stop_token stop) {
  nameless_file in;
  const nameless_file out, err;
  in.put(picture);
  const int status = run_dot({in, out, err});
  // Ctrl-C reaches dot, too.
  if (stop.stop_requested()) throw failure(exit_code::interrupted, "interrupted; nothing was written");
  if (WIFSIGNALED(status))
    throw refused("Graphviz's program dot was ended by signal " + std::to_string(WTERMSIG(status)));
  if (WEXITSTATUS(status) != 0) {
    throw refused("Graphviz's program dot ended with " + std::to_string(WEXITSTATUS(status)) + ": " + err.text());
  }
  return out.text();
}

}  // namespace multifold::app
