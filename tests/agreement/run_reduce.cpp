// reduce() of arrays and of sources, and plans interpreted.
#include <cstring>
#include <fstream>
#include <limits>
#include <optional>
#include <utility>

#include "agreement/attempt.hpp"
#include "agreement/cuts.hpp"
#include "agreement/marks.hpp"
#include "agreement/sources.hpp"
#include "agreement/worker.hpp"
#include "multifold/reduce.hpp"
#include "multifold/segments.hpp"
#include "multifold/several.hpp"
#include "multifold/state.hpp"

namespace multifold::agreement {
namespace {

array_view view_of(const trial& t, const std::byte* data) {
  return {data, t.type, t.extents, t.strides, t.where == origin::device ? place::device : place::host};
}

// The operation comes first or last.
std::vector<op_kind> operations(const trial& t) {
  return t.data.seed % 2 == 0 ? std::vector<op_kind>{t.op, *t.beside} : std::vector<op_kind>{*t.beside, t.op};
}

reduce_result reduce_arrays(const trial& t, const laid_out& arrays, const reduce_options& options) {
  if (t.beside) {
    std::vector<reduce_result> all = reduce(operations(t), view_of(t, arrays.x), options);
    return std::move(all[t.data.seed % 2]);
  }
  if (takes_two_arrays(t.op)) return reduce(t.op, view_of(t, arrays.x), view_of(t, arrays.y), options);
  return reduce(t.op, view_of(t, arrays.x), options);
}

reduce_result reduce_sources(const trial& t, const laid_out& arrays, const reduce_options& options,
                             const std::filesystem::path& folder) {
  const auto x = make_source_of(t, {arrays.buffer_x, static_cast<std::size_t>(arrays.bytes)}, folder / "x");
  if (t.beside) {
    std::vector<reduce_result> all = reduce(operations(t), *x, options);
    return std::move(all[t.data.seed % 2]);
  }
  if (!takes_two_arrays(t.op)) return reduce(t.op, *x, options);
  const auto y = make_source_of(t, {arrays.buffer_y, static_cast<std::size_t>(arrays.bytes)}, folder / "y");
  return reduce(t.op, *x, *y, options);
}

// The list of segments, and the memory it is in.
struct segment_list {
  explicit segment_list(const trial& t) {
    const auto all = segments_of(t);
    std::vector<std::int64_t> numbers;
    for (const auto& each : all) numbers.push_back(each.first);
    if (t.cut->ranges) {
      for (const auto& each : all) numbers.push_back(each.second);
    } else {
      numbers.push_back(all.empty() ? 0 : all.back().second);
    }
    wide = numbers;
    narrow.assign(numbers.begin(), numbers.end());
    const auto count = static_cast<std::int64_t>(all.size());
    const dtype type = t.cut->narrow ? dtype::i32 : dtype::i64;
    const auto* const first = t.cut->narrow ? reinterpret_cast<const std::byte*>(narrow.data())
                                            : reinterpret_cast<const std::byte*>(wide.data());
    list = t.cut->ranges ? segments::from_ranges(make_view(first, type, {count}),
                                                 make_view(first + count * item_bytes(type), type, {count}))
                         : segments::from_offsets(make_view(first, type, {count + 1}));
  }
  std::vector<std::int64_t> wide;
  std::vector<std::int32_t> narrow;
  segments list;
};

reduce_result reduce_segments(const trial& t, const laid_out& arrays, const reduce_options& options,
                              const std::filesystem::path& folder) {
  const segment_list of(t);
  const bool two = takes_two_arrays(t.op);
  if (!is_source(t.where)) {
    if (two) return reduce(t.op, view_of(t, arrays.x), view_of(t, arrays.y), of.list, options);
    return reduce(t.op, view_of(t, arrays.x), of.list, options);
  }
  const auto x = make_source_of(t, {arrays.buffer_x, static_cast<std::size_t>(arrays.bytes)}, folder / "x");
  if (!two) return reduce(t.op, *x, of.list, options);
  const auto y = make_source_of(t, {arrays.buffer_y, static_cast<std::size_t>(arrays.bytes)}, folder / "y");
  return reduce(t.op, *x, *y, of.list, options);
}

std::int64_t all_result_bytes(const trial& t) {
  const std::vector<bool> reduced = reduced_axes(t);
  std::int64_t bytes = result_bytes_of(t);
  for (std::size_t i = 0; i < reduced.size(); ++i) bytes *= reduced[i] ? 1 : t.extents[i];
  if (t.cut) bytes *= t.cut->count;
  return bytes;
}

// The state of `count` neighbours along the first axis.
state part_of(const trial& t, const laid_out& arrays, std::int64_t first, std::int64_t count) {
  trial part = t;
  part.extents[0] = count;
  const std::int64_t bytes = first * t.strides[0] * item_bytes(t.type);
  const reduce_options options = options_of(t);
  if (!takes_two_arrays(t.op)) return reduce_to_state(t.op, view_of(part, arrays.x + bytes), options);
  return reduce_to_state(t.op, view_of(part, arrays.x + bytes), view_of(part, arrays.y + bytes), options);
}

// Whether the state of the whole is that of its two halves merged, and finishes as the result.
std::string state_damage(const trial& t, const laid_out& arrays, const reduce_result& whole) {
  const state kept(whole.state);
  finish_options end;
  end.result = whole.type;
  end.correction = t.correction;
  if (!whole.data.empty() && kept.finish(t.op, end).data != whole.data) return "the state finishes as something else";
  const std::vector<bool> reduced = reduced_axes(t);
  if (t.extents.empty() || t.extents[0] < 2 || is_source(t.where) || !reduced[0]) return "";
  std::int64_t step = 1;  // indices between neighbours along the first axis
  for (std::size_t i = 1; i < reduced.size(); ++i) step *= reduced[i] ? t.extents[i] : 1;
  const std::int64_t half = t.extents[0] / 2;
  const state first = part_of(t, arrays, 0, half);
  state second = part_of(t, arrays, half, t.extents[0] - half);
  second.move(half * step);
  second.merge(first);
  return second.bytes() == whole.state ? "" : "the states of two halves merge to another state";
}

}  // namespace

outcome run_reduce(const trial& t, const laid_out& arrays, result_memory& results,
                   const std::filesystem::path& folder) {
  return attempt([&](outcome& got) {
    reduce_options options = options_of(t);
    std::optional<marks_of> marked;
    if (t.marked) options.where = marked.emplace(t).view();
    if (t.into) options.into = results.prepare(all_result_bytes(t));
    const auto done = [&]() -> reduce_result {
      if (t.cut) return reduce_segments(t, arrays, options, folder);
      if (is_source(t.where)) return reduce_sources(t, arrays, options, folder);
      return reduce_arrays(t, arrays, options);
    };
    try {
      reduce_result r = done();
      if (t.state) got.damage = state_damage(t, arrays, r);
      got.extents = std::move(r.extents);
      got.type = r.type;
      got.bytes = t.into ? std::vector<std::byte>(options.into.begin(), options.into.end()) : std::move(r.data);
      if (r.count != (t.cut ? cut_elements(t) : elements_of(t))) got.damage = "count " + std::to_string(r.count);
    } catch (...) {
      if (t.into && !results.intact()) got.damage = "bytes around the results are overwritten";
      throw;
    }
    if (t.into && !results.intact()) got.damage = "bytes around the results are overwritten";
  });
}

outcome run_interpreted(const trial& t, const laid_out& arrays) {
  return attempt([&](outcome& got) {
    const array_view view = view_of(t, arrays.x);
    const std::vector<std::int64_t> axes = t.axes ? *t.axes : all_axes(view.rank());
    reduction what = reduction_of(t);
    const plan p = make_plan(what, normalise(view, axes, order_of(t.op)), t.forced, h200_traits());
    got.extents = result_extents(view, axes, t.keepdims);
    got.type = what.result;
    got.bytes.assign(static_cast<std::size_t>(all_result_bytes(t)), poison);
    interpret(p, {arrays.x, arrays.y}, got.bytes.data());
  });
}

}  // namespace multifold::agreement
