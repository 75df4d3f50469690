// States are small: they are read whole before the work, and written whole behind it.
#include "state_files.hpp"

#include <exception>
#include <optional>

#include "common/failure.hpp"
#include "multifold/exact/blob.hpp"
#include "multifold/state.hpp"
#include "multifold/state_file.hpp"
#include "output_target.hpp"

namespace multifold::app {

merged_states::merged_states(const std::vector<std::string>& files, interrupt_watch& watch) {
  for (const std::string& file : files) {
    const last_words while_reading(watch, [&watch, &file] {
      watch.complain_of_end(label_of(file) + ": interrupted; nothing was written", {file});
    });
    try {
      add(file);
    } catch (...) {
      throw input_failure_of(std::current_exception(), file);
    }
  }
}

void merged_states::add(const std::string& file) {
  const std::vector<std::byte> more = read_state(file);
  if (state_.empty()) {
    first_ = file;
    element_ = exact_state_kind(more).element;
    state_ = empty_state(element_);
  }
  state_ = merge_states(state_, more);
}

void merged_states::require(dtype element) const {
  try {
    if (!empty()) merge_states(empty_state(element), state_);
  } catch (...) {
    throw input_failure_of(std::current_exception(), first_);
  }
}

void save_state(const std::string& path, const std::vector<std::byte>& state, interrupt_watch& watch,
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
  named([&] { file.emplace(path, state); });
  report();
  named([&] { file->keep(); });
}

}  // namespace multifold::app
