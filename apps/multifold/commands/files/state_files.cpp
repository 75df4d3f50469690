// States are read whole before the work, and written whole behind it.
#include "commands/files/state_files.hpp"

#include <exception>
#include <optional>
#include <utility>

#include "commands/files/output_target.hpp"
#include "common/messages/failure.hpp"
#include "multifold/error.hpp"
#include "multifold/state_file.hpp"

namespace multifold::app {

merged_states::merged_states(op_kind op, const std::vector<std::string>& files, interrupt_watch& watch) : op_(op) {
  for (const std::string& file : files) {
    const last_words while_reading(watch, [&watch, &file] {
      watch.complain_of_end(label_of(file) + ": interrupted; nothing was written", {file});
    });
    try {
      add(file);
    } catch (const shape_error&) {
      throw about({first_, file}, failure_of(std::current_exception()));
    } catch (...) {
      throw input_failure_of(std::current_exception(), file);
    }
  }
}

void merged_states::add(const std::string& file) {
  const state more(read_state(file));
  if (!more.has(op_)) {
    throw format_error("found the state of " + more.name() + "; expected one of " + std::string(name(op_)));
  }
  if (state_) return state_->merge(more);
  first_ = file;
  state_ = more;
}

void merged_states::require(dtype element, std::vector<std::int64_t> extents, nan_policy nan) const {
  if (empty()) return;
  state none(op_, element, std::move(extents), nan);
  try {
    none.merge(*state_);
  } catch (...) {
    throw input_failure_of(std::current_exception(), first_);
  }
}

void save_state(const std::string& path, const std::vector<std::byte>& bytes, interrupt_watch& watch,
                const std::function<void()>& report) {
  const last_words words(watch, [&watch, &path] {
    remove_unfinished(path);
    watch.complain_of_end(label_of(path) + ": interrupted; nothing was written", {path});
  });
  const auto named = [&path](const auto& work) {
    try {
      work();
    } catch (...) {
      throw failure_of(std::current_exception(), {path});
    }
  };
  std::optional<state_file> file;
  named([&] { file.emplace(path, bytes); });
  report();
  named([&] { file->keep(); });
}

}  // namespace multifold::app
