// The loop over ranges, and the look at the checkpoint that was found.
#include "reduce/states/resume.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <mutex>
#include <string>

#include "io/message.hpp"
#include "multifold/error.hpp"
#include "multifold/state.hpp"
#include "multifold/state_file.hpp"
#include "reduce/request.hpp"
#include "reduce/states/checkpoint.hpp"
#include "reduce/states/digested_window.hpp"
#include "reduce/states/element_digest.hpp"

namespace multifold::inline v0_1::detail {
namespace {

constexpr std::int64_t first_range_bytes = INT64_C(256) << 20;
constexpr std::int64_t least_range_bytes = INT64_C(4) << 20;
static_assert(least_range_bytes % digest_block_bytes == 0);

std::string label_of(const source& input) { return io::label_of(input.name(), "standard input"); }

digest_options again_with(const reduce_options& options) { return {options.threads, options.memory_bytes, {}}; }

// Of [0, done), with progress, and stopped when it is asked for.
element_digest digest_summed(source& input, std::int64_t done, const reduce_options& options) {
  std::mutex telling;
  digest_options again = again_with(options);
  again.before_chunk = [&](std::int64_t bytes) {
    if (options.stop.stop_requested()) throw cancelled_error(input.name() + ": the reduction was cancelled");
    if (!options.progress) return;
    const std::unique_lock lock(telling, std::try_to_lock);
    if (lock) options.progress(bytes);
  };
  return digest_again(input, 0, done, again);
}

// The elements that are done are compared, unless the file is known to be the same one, as it was.
void require_same(const checkpoint& found, const request& r, source& input, const reduce_options& options,
                  const std::string& file) {
  const auto text = [](std::int64_t elements, nan_policy nan) {
    return std::to_string(elements) + " elements" + (nan == nan_policy::omit ? " that are no NaN" : "");
  };
  if (found.elements != r.elements || found.nan != r.what.nan) {
    throw format_error(file + ": found the checkpoint of a sum of " + text(found.elements, found.nan) + "; expected " +
                       text(r.elements, r.what.nan) + ", as in " + label_of(input));
  }
  const bool at_block = found.done * item_bytes(r.what.input) % digest_block_bytes == 0;
  if (at_block || found.done == found.elements) {
    const element_digest identity = digest_of(input.identity());
    if (identity != element_digest() && identity == found.identity) return;
    if (found.summed == digest_summed(input, found.done, options)) return;
  }
  throw format_error(file + ": found the checkpoint of other elements than those of " + label_of(input) +
                     "; remove it to start anew");
}

checkpoint start_of(const request& r, source& input, const reduce_options& options) {
  const std::string& path = options.checkpoint;
  checkpoint start;
  start.elements = r.elements;
  start.nan = r.what.nan;
  start.state = empty_state(r.what.input);
  const std::string file = io::label_of(path, "standard input");
  const std::filesystem::file_status status = std::filesystem::status(path);
  if (!std::filesystem::exists(status)) return start;
  if (!std::filesystem::is_regular_file(status)) {
    throw io_error(file + ": found no regular file; expected a checkpoint, or none yet");
  }
  checkpoint found;
  try {
    found = decode_checkpoint(multifold::read_state(path));
    found.state = merge_states(start.state, found.state);  // of the same kind, and whole
  } catch (const format_error& problem) {
    throw format_error(file + ": " + problem.what());
  }
  require_same(found, r, input, options, file);
  return found;
}

void save(const checkpoint& c, const std::string& path) {
  state_file file(path, encode(c));
  file.keep();
}

}  // namespace

std::int64_t next_range(std::int64_t count, double took, double seconds, std::int64_t least, std::int64_t most) {
  const double wanted = static_cast<double>(count) * seconds / std::max(took, 1e-6);
  if (wanted >= static_cast<double>(most)) return most;
  return std::max(static_cast<std::int64_t>(wanted) / least, INT64_C(1)) * least;
}

void check_resumable(const source& input, const reduce_options& options) {
  if (!input.random_access() || has_unknown_length(input.layout())) {
    throw unsupported_error(label_of(input) +
                            ": a sum with checkpoints reads files, which can be read from any place on");
  }
  if (is_forced(options.forced)) {
    throw unsupported_error("a plan cannot be forced on a sum with checkpoints");
  }
  if (!(options.checkpoint_seconds >= 0)) {
    throw unsupported_error("checkpoints every " + std::to_string(options.checkpoint_seconds) +
                            " seconds were asked for; expected 0 or more");
  }
}

void refuse_checkpoint_of(const request& r) {
  if (r.what.as_state) return;
  throw unsupported_error("checkpoints are left by sums and means of floating point over all axes, and not by " +
                          std::string(name(r.what.op)) + " of " + std::string(name(r.what.input)) + " to " +
                          std::to_string(r.form.results()) + (r.form.results() == 1 ? " result" : " results"));
}

void refuse_checkpoint(const reduce_options& options) {
  if (options.checkpoint.empty()) return;
  throw unsupported_error("checkpoints are left by sums and means of one source, and of nothing else");
}

std::int64_t sum_with_checkpoints(const request& r, source& input, std::byte* state, const reduce_options& options,
                                  const sum_range& sum) {
  checkpoint now = start_of(r, input, options);
  now.identity = digest_of(input.identity());  // as it was opened, not as it is now
  const std::int64_t resumed = now.done;
  const std::int64_t item = item_bytes(r.what.input);
  const std::int64_t least = least_range_bytes / item;
  std::int64_t range = options.checkpoint_seconds > 0 ? first_range_bytes / item : least;
  std::vector<std::byte> more(now.state.size());
  while (now.done < now.elements) {
    const std::int64_t count = std::min(range, now.elements - now.done);
    reduce_options each = options;
    if (options.progress) {
      each.progress = [&options, before = now.done * item](std::int64_t bytes) { options.progress(before + bytes); };
    }
    const auto start = std::chrono::steady_clock::now();
    digested_window window(input, now.done, count);
    sum(window, more.data(), each);
    now.state = merge_states(now.state, more);
    now.done += count;
    const double took = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    range = next_range(count, took, options.checkpoint_seconds, least, now.elements);
    now.summed += window.digest(again_with(options));
    save(now, options.checkpoint);
  }
  std::copy(now.state.begin(), now.state.end(), state);
  return resumed;
}

}  // namespace multifold::inline v0_1::detail
