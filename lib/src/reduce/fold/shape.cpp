// The loops of a fold: those of all arrays side by side, sorted along memory where their order is free, and merged.
#include <algorithm>
#include <cstdlib>
#include <string>
#include <utility>

#include "multifold/error.hpp"
#include "multifold/fold/shape.hpp"
#include "reduce/places.hpp"
#include "reduce/request.hpp"

namespace multifold::inline v0_1::detail {
namespace {

// Elements that are worth a task, and what the accumulators of a block of columns may take of a cache. [bytes]
constexpr std::int64_t task_elements = 1 << 16;
constexpr std::int64_t column_bytes = 16 << 10;
constexpr std::int64_t most_columns = 2048, least_columns = 16;
// Blocks that keep any machine busy: of fewer, batches are cut into ranges.
constexpr std::int64_t enough_blocks = 512, enough_tasks = 2048;

std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return a / b + (a % b != 0 ? 1 : 0); }

std::string array_name(std::size_t number, std::size_t arrays) {
  return arrays == 1 ? "the array" : "array " + std::to_string(number + 1);
}

void check_view(const array_view& view, dtype wanted, std::size_t number, std::size_t arrays) {
  if (view.type != wanted) {
    throw shape_error("the operation takes " + std::string(name(wanted)) + " elements, and " +
                      array_name(number, arrays) + " holds " + std::string(name(view.type)));
  }
  if (view.where == place::device) {
    throw unsupported_error("fold runs on the CPU, and " + array_name(number, arrays) +
                            " lies in device memory: use cuda::fold_async, or copy it to host memory");
  }
}

void check_views(std::span<const array_view> views, const fold_traits& traits) {
  if (views.size() != traits.types.size()) {
    throw shape_error("the operation takes " + std::to_string(traits.types.size()) +
                      (traits.types.size() == 1 ? " array" : " arrays") + ", and " + std::to_string(views.size()) +
                      (views.size() == 1 ? " was given" : " were given"));
  }
  for (std::size_t j = 0; j < views.size(); ++j) {
    check_view(views[j], traits.types[j], j, views.size());
    if (views[j].extents != views[0].extents) {
      throw shape_error("the arrays of a fold have one shape; found " + to_string(views[0].extents) + " and " +
                        to_string(views[j].extents));
    }
  }
}

// An axis of all arrays. Weight is what one step moves through memory.
struct axis_loop {
  fold_loop loop;
  int128_t weight = 0;
};

class loop_builder {
 public:
  loop_builder(std::span<const array_view> views, const fold_traits& traits, const std::vector<std::int64_t>& axes,
               fold_shape& shape)
      : views_(views), traits_(traits), shape_(shape) {
    std::vector<bool> reduced(views[0].extents.size(), false);
    for (const std::int64_t axis : axes) {
      reduced[static_cast<std::size_t>(axis < 0 ? axis + views[0].rank() : axis)] = true;
    }
    const std::int64_t elements = views[0].elements();  // without any, strides mean nothing
    std::int64_t result_step = 1, index_step = 1;
    for (std::size_t i = reduced.size(); i-- > 0;) {
      std::int64_t& step = reduced[i] ? index_step : result_step;
      if (elements != 0 && views[0].extents[i] != 1) (reduced[i] ? reduced_ : kept_).push_back(loop_of(i, step));
      step *= views[0].extents[i];
    }
    shape.results = result_step;
    shape.length = index_step;
  }

  void build() {
    std::reverse(kept_.begin(), kept_.end());
    std::reverse(reduced_.begin(), reduced_.end());
    along_memory(kept_, shape_.first_result);
    if (!traits_.ordered) along_memory(reduced_, shape_.first_index);
    shape_.columns = !kept_.empty() && (reduced_.empty() || kept_.back().weight < reduced_.back().weight);
    shape_.kept = merged(kept_, true);
    shape_.reduced = merged(reduced_, traits_.indexed);
  }

 private:
  axis_loop loop_of(std::size_t axis, std::int64_t number_step) const {
    axis_loop l;
    l.loop.extent = views_[0].extents[axis];
    l.loop.number_step = number_step;
    for (std::size_t j = 0; j < views_.size(); ++j) {
      l.loop.steps[j] = views_[j].strides[axis] * item_bytes(views_[j].type);
      l.weight += std::llabs(l.loop.steps[j]);  // each reaches less than 2^63 bytes
    }
    return l;
  }

  // Forwards, the longest steps outermost.
  void along_memory(std::vector<axis_loop>& loops, std::int64_t& first_number) {
    for (axis_loop& l : loops) {
      if (l.loop.steps[0] >= 0) continue;
      const std::int64_t last = l.loop.extent - 1;
      first_number += last * l.loop.number_step;
      l.loop.number_step = -l.loop.number_step;
      for (std::size_t j = 0; j < views_.size(); ++j) {
        shape_.first[j] += last * l.loop.steps[j];
        l.loop.steps[j] = -l.loop.steps[j];
      }
    }
    std::stable_sort(loops.begin(), loops.end(),
                     [](const axis_loop& a, const axis_loop& b) { return a.weight > b.weight; });
  }

  bool follows(const fold_loop& slow, const fold_loop& fast, bool numbered) const {
    const auto extent = static_cast<int128_t>(fast.extent);
    for (std::size_t j = 0; j < views_.size(); ++j) {
      if (slow.steps[j] != fast.steps[j] * extent) return false;
    }
    return !numbered || slow.number_step == fast.number_step * extent;
  }

  std::vector<fold_loop> merged(const std::vector<axis_loop>& loops, bool numbered) const {
    std::vector<fold_loop> all;
    for (const axis_loop& next : loops) {
      if (!all.empty() && follows(all.back(), next.loop, numbered)) {
        const std::int64_t extent = all.back().extent * next.loop.extent;
        all.back() = next.loop;
        all.back().extent = extent;
      } else {
        all.push_back(next.loop);
      }
    }
    return all;
  }

  const std::span<const array_view> views_;
  const fold_traits& traits_;
  fold_shape& shape_;
  std::vector<axis_loop> kept_, reduced_;
};

// Whole leaves, so many times doubled that there are no more than `most` ranges.
std::int64_t range_of(std::int64_t length, std::int64_t leaf, std::int64_t wanted, std::int64_t most) {
  std::int64_t range = leaf;
  while (range < length && (range < wanted || ceil_div(length, range) > most)) range *= 2;
  return range;
}

void share_out(fold_shape& s, const fold_traits& traits) {
  const std::int64_t leaf = s.columns ? traits.column_leaf : traits.row_leaf;
  s.run = s.columns ? s.kept.back().extent : s.results;
  const std::int64_t columns = std::clamp(column_bytes / traits.accumulator_bytes, least_columns, most_columns);
  s.width = std::min(s.run, s.columns ? columns : std::max<std::int64_t>(1, task_elements / s.length));
  s.blocks = s.results / s.run * ceil_div(s.run, s.width);
  s.range = s.length;
  if (s.blocks < enough_blocks) {
    s.range = range_of(s.length, leaf, std::max<std::int64_t>(1, task_elements / s.width), enough_tasks / s.blocks);
  }
  s.ranges = ceil_div(s.length, s.range);
  if (s.ranges == 1) s.blocks_a_task = std::clamp<std::int64_t>(task_elements / s.width / s.length, 1, s.blocks);
}

fold_shape shape_of_views(std::span<const array_view> views, const fold_traits& traits, const fold_options& options) {
  const std::vector<std::int64_t> axes = options.axes.of(views[0].rank());
  fold_shape shape;
  for (const array_view& view : views) {
    normalise(view, axes, element_order::indexed);  // for what it refuses
    shape.element_bytes += item_bytes(view.type);
  }
  shape.extents = result_extents(views[0], axes, options.keepdims);
  loop_builder loops(views, traits, axes, shape);
  if (shape.results == 0 || shape.length == 0) return shape;
  loops.build();
  share_out(shape, traits);
  return shape;
}

}  // namespace

fold_interval fold_shape::block(std::int64_t number) const {
  const std::int64_t blocks_a_run = ceil_div(run, width);
  const std::int64_t start = number / blocks_a_run * run, at = number % blocks_a_run * width;
  return {start + at, start + std::min(run, at + width)};
}

fold_interval fold_shape::range_at(std::int64_t number) const {
  return {number * range, std::min(length, (number + 1) * range)};
}

fold_interval fold_shape::front(fold_interval batches) const {
  const std::int64_t size = std::min({batches.size(), width, run - batches.begin % run});
  return {batches.begin, batches.begin + size};
}

fold_shape make_fold_shape(std::span<const array_view> views, const fold_traits& traits, const fold_options& options) {
  check_resources(options.threads, options.memory_bytes);
  check_views(views, traits);
  for (const array_view& view : views) check_address(view);
  const fold_shape shape = shape_of_views(views, traits, options);
  for (const array_view& view : views) check_places(view, nullptr, {});
  return shape;
}

fold_shape make_fold_shape(const source& input, const fold_traits& traits, const fold_options& options) {
  check_resources(options.threads, options.memory_bytes);
  array_view view = view_of(input.layout());
  if (has_unknown_length(input.layout())) {
    if (!options.axes.are_all() && options.axes.size() != 1) {
      throw shape_error(input.name() + ": a stream of unknown length has one axis, and " +
                        std::to_string(options.axes.size()) + " were named");
    }
    view.extents = {INT64_MAX / item_bytes(view.type)};
  }
  check_view(view, traits.types[0], 0, 1);
  return shape_of_views({&view, 1}, traits, options);
}

}  // namespace multifold::inline v0_1::detail
