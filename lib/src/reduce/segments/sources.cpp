// Segments of sources, in bounded memory: as many of the list at a time as fit it, and by itself what does not.
#include <algorithm>
#include <chrono>
#include <optional>
#include <string>

#include "host/engine.hpp"
#include "host/every_part.hpp"
#include "host/segments/segments.hpp"
#include "multifold/error.hpp"
#include "multifold/segments.hpp"
#include "reduce/device.hpp"
#include "reduce/engines.hpp"
#include "reduce/places.hpp"
#include "reduce/request.hpp"
#include "reduce/results/results.hpp"
#include "reduce/segments/request.hpp"
#include "reduce/segments/window.hpp"
#include "reduce/sources/source_slice.hpp"
#include "reduce/states/contents.hpp"
#include "stream/host/stream.hpp"
#include "stream/inputs.hpp"

namespace multifold::inline v0_1 {
namespace {

using detail::segment_request, host::interval;

class source_segments {
 public:
  source_segments(const segment_request& r, const stream::inputs& input, const reduce_options& options, void* results)
      : r_(r),
        input_(input),
        options_(options),
        results_(static_cast<std::byte*>(results)),
        row_(r.form.results()),
        row_bytes_(row_ * item_bytes(r.what.input) * input.count()),
        x_(input.x, row_) {
    if (input.y != nullptr) y_.emplace(*input.y, row_);
    const std::int64_t memory = options.memory_bytes > 0 ? options.memory_bytes : stream::default_memory_bytes;
    most_rows_ = is_slowest() ? memory / row_bytes_ : 0;
    if (!is_slowest() && r.extent * row_bytes_ <= memory) most_rows_ = r.extent;
    if (most_rows_ == 0 && !is_slowest()) {
      throw out_of_memory(
          "the segments cut an axis that is not the slowest in the file, so that all of it has to be in "
          "memory: it takes " +
          std::to_string(r.extent * row_bytes_) + " bytes, and " + std::to_string(memory) +
          " are allowed (reduce_options::memory_bytes)");
    }
  }

  void run() {
    for (std::int64_t next = 0; next < r_.of.count;) {
      if (options_.stop.stop_requested()) throw cancelled_error("the reduction was cancelled");
      next = reduce_from(next);
    }
  }

 private:
  bool is_slowest() const { return r_.extent <= 1 || r_.form.reduced.front().stride == row_; }

  // As many segments from number `first` on as fit memory together; the number of the next.
  std::int64_t reduce_from(std::int64_t first) {
    interval rows = r_.bounds().at(first);
    if (!is_slowest()) rows = {0, r_.extent};
    if (rows.end - rows.begin > most_rows_) return stream_one(first, rows);
    std::int64_t last = first + 1;
    for (; last < r_.of.count; ++last) {
      const interval more = r_.bounds().at(last);
      if (more.begin == more.end) continue;
      interval all{std::min(rows.begin, more.begin), std::max(rows.end, more.end)};
      if (rows.begin == rows.end) all = more;
      if (all.end - all.begin > most_rows_) break;
      rows = all;
    }
    x_.load(rows, options_.threads);
    if (y_) y_->load(rows, options_.threads);
    reduce_window({first, last}, rows);
    tell((rows.end - rows.begin) * row_bytes_);
    return last;
  }

  void reduce_window(interval segments, interval rows) {
    host::segment_bounds bounds = r_.bounds();
    bounds.begins += segments.begin * item_bytes(r_.of.type);
    bounds.ends += segments.begin * item_bytes(r_.of.type);
    bounds.count = segments.end - segments.begin;
    batches form = r_.form;
    form.length = rows.end - rows.begin;
    form.offset = -rows.begin * form.reduced.front().stride;
    const operands data{x_.data(), y_ ? y_->data() : nullptr};
    host::run_segments({&r_.what, data, form, r_.result_step, bounds, result_at(segments.begin), segments.begin},
                       host::take_census(bounds, r_.extent, options_.threads), {options_.threads, options_.stop, {}});
  }

  // A segment that is longer than memory is a source of its own.
  std::int64_t stream_one(std::int64_t segment, interval rows) {
    array_layout layout = input_.x.layout();
    layout.extents[static_cast<std::size_t>(r_.axis)] = rows.end - rows.begin;
    detail::source_slice x(input_.x, rows.begin * row_, layout);
    x_.hand_over(rows.begin, rows.end - rows.begin);
    reduce_options options = options_;
    options.axes = {r_.axis};
    options.engine = engine_choice::host;
    options.into = {};
    options.only_state = r_.keep_state;
    if (options_.progress) options.progress = [this](std::int64_t bytes) { options_.progress(told_ + bytes); };
    if (y_) {
      detail::source_slice y(*input_.y, rows.begin * row_, layout);
      y_->hand_over(rows.begin, rows.end - rows.begin);
      put(segment, reduce(r_.what.op, x, y, options));
    } else {
      put(segment, reduce(r_.what.op, x, options));
    }
    tell((rows.end - rows.begin) * row_bytes_);
    return segment + 1;
  }

  // The results of one segment, or their records, in row-major order, where they belong.
  void put(std::int64_t segment, const reduce_result& one) {
    const std::int64_t item = result_bytes(r_.what), run = r_.result_step * item;
    const std::vector<std::byte> found = r_.keep_state ? detail::decode_state(one.state).records : one.data;
    const std::byte* from = found.data();
    for (std::int64_t at = 0; at < row_; at += r_.result_step, from += run) {
      std::copy_n(from, run, result_at(segment) + at * r_.of.count * item);
    }
  }

  std::byte* result_at(std::int64_t segment) const {
    return results_ + segment * r_.result_step * result_bytes(r_.what);
  }

  void tell(std::int64_t bytes) {
    told_ += bytes;
    if (options_.progress) options_.progress(told_);
  }

  const segment_request& r_;
  const stream::inputs& input_;
  const reduce_options& options_;
  std::byte* const results_;
  const std::int64_t row_, row_bytes_;  // of all arrays together
  std::int64_t most_rows_ = 0;
  std::int64_t told_ = 0;
  detail::source_window x_;
  std::optional<detail::source_window> y_;
};

reduce_result reduce_segments(op_kind op, const stream::inputs& input, const segments& of,
                              const reduce_options& options) {
  if (has_unknown_length(input.x.layout())) {
    throw unsupported_error("segments are cut from arrays whose lengths are known before they are read");
  }
  const array_view view = detail::view_of(input.x.layout());
  const segment_request r = detail::make_segment_request(op, view, nullptr, of, options);
  if (detail::engine_of_segments(place::host, options) == engine_kind::device) {
    throw unsupported_error("segments of sources are reduced by the host engine");
  }
  if (detail::located_list(of).where == place::device)
    throw unsupported_error("the list of segments is in device memory, and a source is not");
  detail::check_places(make_view(nullptr, view.type, {0}), nullptr, r.into);
  if (options.stream != nullptr) detail::wait_for(options.stream);
  reduce_result result = detail::segment_result(r, detail::checked_census(r, options.threads));
  result.used.engine = host::traits(options.threads);
  result.engine = "host";
  result.device = result.used.engine.name;
  const auto start = std::chrono::steady_clock::now();
  if (result.count > 0 || r.results > 0) {
    source_segments(r, input, options, result.data.empty() ? r.into.data() : result.data.data()).run();
  }
  if (r.keep_state) detail::keep_segments_state(r, result);
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

}  // namespace

reduce_result reduce(op_kind op, source& input, const segments& of, const reduce_options& options) {
  detail::check_arrays(op, 1);
  return reduce_segments(op, input, of, options);
}

reduce_result reduce(op_kind op, source& x, source& y, const segments& of, const reduce_options& options) {
  detail::check_pair(op, x, y);
  return reduce_segments(op, {x, y}, of, options);
}

}  // namespace multifold::inline v0_1
