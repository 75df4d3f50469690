// States are small: they are read whole before the work, and written whole behind it.
#include "state_files.hpp"

#include <exception>
#include <optional>

#include "common/failure.hpp"
#include "multifold/exact/blob.hpp"
#include "multifold/state.hpp"
#include "multifold/state_file.hpp"
#include "npy_output.hpp"

namespace multifold::app {

merged_states::merged_states(const std::vector<std::string>& files, interrupt_watch& watch) {
  for (const std::string& file : files) {
    const last_words while_reading(watch, [&file] { complain(label_of(file) + ": interrupted; nothing was written"); });
    try {
      add(file);
    } catch (...) {
      throw input_failure_of(std::current_exception(), label_of(file));
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
    throw input_failure_of(std::current_exception(), label_of(first_));
  }
}

void save_state(const std::string& path, const std::vector<std::byte>& state, interrupt_watch& watch,
                const std::function<void()>& report) {
  const last_words words(watch, [&path] {
    remove_unfinished(path);
    complain(label_of(path) + ": interrupted; nothing was written");
  });
  const auto named = [&path](const auto& work) {
    try {
      work();
    } catch (...) {
      throw failure_of(std::current_exception(), label_of(path));
    }
  };
  std::optional<state_file> file;
  named([&] { file.emplace(path, state); });
  report();
  named([&] { file->keep(); });
}

}  // namespace multifold::app
