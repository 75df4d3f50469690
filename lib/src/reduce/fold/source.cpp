// Sources of folds: how they are cut, and the threads that read them.
#include <algorithm>
#include <atomic>
#include <bit>
#include <optional>
#include <string>

#include "host/aligned_bytes.hpp"
#include "host/engine.hpp"
#include "host/threads/crew.hpp"
#include "host/threads/progress.hpp"
#include "multifold/error.hpp"
#include "multifold/fold/shape.hpp"
#include "reduce/sources/source_slice.hpp"
#include "stream/consumed.hpp"
#include "stream/host/reader.hpp"
#include "stream/host/stream.hpp"
#include "stream/inputs.hpp"

namespace multifold::inline v0_1::detail {
namespace {

constexpr std::int64_t unit_bytes = 1 << 20;         // wanted
constexpr std::int64_t whole_slice_bytes = 8 << 20;  // a slice of less is left whole

std::int64_t memory_of(const fold_options& options) {
  return options.memory_bytes > 0 ? options.memory_bytes : stream::default_memory_bytes;
}

[[noreturn]] void refuse_memory(const source& input, const std::string& what, std::int64_t wanted,
                                std::int64_t allowed) {
  throw out_of_memory(input.name() + ": " + what + " " + std::to_string(wanted) + " bytes, and " +
                      std::to_string(allowed) + " are allowed (fold_options::memory_bytes)");
}

std::int64_t slices_of(const fold_shape& shape) {
  std::int64_t slowest = 0, slices = 1;
  for (const fold_loop& loop : shape.reduced) slowest = std::max(slowest, loop.steps[0]);
  for (const fold_loop& loop : shape.kept) slices *= loop.steps[0] > slowest ? loop.extent : 1;
  return slices;
}

// A slice in parts, of whole leaves.
void cut_slice(const source& input, const fold_shape& shape, const fold_traits& traits, std::int64_t leaf,
               std::int64_t memory, fold_units& u) {
  const std::int64_t row_bytes = u.slice_batches * shape.element_bytes;
  u.whole_slices = false;
  u.unit_length = leaf;
  while (u.unit_length < shape.length && 2 * u.unit_length * row_bytes <= std::min(unit_bytes, memory)) {
    u.unit_length *= 2;
  }
  u.unit_elements = u.unit_length * u.slice_batches;
  // Of a tree whose leaves come in order, one group waits on each level, and one is with each thread.
  const std::int64_t levels = std::bit_width(static_cast<std::uint64_t>(shape.length / u.unit_length)) + 2;
  const std::int64_t group = u.slice_batches * traits.accumulator_bytes;
  if (!u.endless && group > memory / levels) {
    refuse_memory(input, "partial results that are open at once take", group * levels, memory);
  }
}

}  // namespace

fold_units make_fold_units(const source& input, const fold_shape& shape, const fold_traits& traits,
                           const fold_options& options) {
  const std::int64_t memory = memory_of(options);
  fold_units u{};
  u.endless = has_unknown_length(input.layout());
  u.slices = slices_of(shape);
  u.slice_batches = shape.results / u.slices;
  u.slice_elements = u.slice_batches * shape.length;
  const std::int64_t slice_bytes = u.slice_elements * shape.element_bytes;
  const bool in_a_row = shape.reduced.size() == 1;  // so that a slice can be cut
  const std::int64_t leaf = std::min(shape.columns ? traits.column_leaf : traits.row_leaf, shape.length);
  const std::int64_t leaf_bytes = leaf * u.slice_batches * shape.element_bytes;
  u.whole_slices = true;
  u.unit_slices = std::clamp<std::int64_t>(unit_bytes / slice_bytes, 1, u.slices);
  u.unit_elements = u.unit_slices * u.slice_elements;
  if (slice_bytes > std::min(whole_slice_bytes, memory) && in_a_row && leaf < shape.length && leaf_bytes <= memory) {
    cut_slice(input, shape, traits, leaf, memory, u);
  } else if (slice_bytes > memory && in_a_row) {
    refuse_memory(input, "reading in chunks takes a buffer of", leaf_bytes, memory);
  } else if (slice_bytes > memory) {
    refuse_memory(input,
                  "the elements of a result lie apart there, or not in the order of their indices, so that all of a "
                  "slice has to be in memory, which takes",
                  slice_bytes, memory);
  }
  const std::int64_t units = u.whole_slices ? u.slices / u.unit_slices : u.slice_elements / u.unit_elements;
  u.threads = options.threads > 0 ? options.threads : host::usable_threads();
  u.threads = static_cast<int>(
      std::clamp<std::int64_t>(std::min(memory / (u.unit_elements * shape.element_bytes), units + 1), 1, u.threads));
  return u;
}

std::int64_t read_fold_units(source& input, const fold_units& units, std::int64_t first, const fold_options& options,
                             const std::function<fold_unit_work()>& make_work) {
  array_layout layout = input.layout();
  const std::int64_t item = item_bytes(layout.type);
  std::int64_t elements = -1;
  std::optional<source_slice> slice;
  if (!units.endless) {
    elements = units.whole_slices ? units.slices * units.slice_elements : units.slice_elements;
    layout.extents = {elements};
    slice.emplace(input, first, layout);
  }
  const stream::inputs from = slice ? stream::inputs(*slice) : stream::inputs(input);
  stream::host_reader reader(from, elements, units.unit_elements, 0, options.stop, {});
  std::atomic<std::int64_t> consumed{0};
  host::progress progress(options.progress, host::progress_step);
  host::run_crew(units.threads, [&](int) {
    try {
      const host::aligned_bytes buffer = host::try_allocate(units.unit_elements * item);
      if (!buffer) {
        throw out_of_memory("could not allocate a buffer of " + std::to_string(units.unit_elements * item) +
                            " bytes: allow less memory, or fewer threads");
      }
      const fold_unit_work work = make_work();
      while (std::optional<stream::chunk> c = reader.claim()) {
        const std::int64_t count = reader.read(*c, 0, buffer.get(), c->count);
        if (count == 0) continue;
        work(c->number, buffer.get(), count);
        progress.tell((first + (consumed += count)) * item);
      }
    } catch (...) {
      reader.stop();
      throw;
    }
  });
  stream::check_consumed(consumed, reader.elements(), input);
  if (options.progress) options.progress((first + consumed) * item);
  return consumed;
}

}  // namespace multifold::inline v0_1::detail
