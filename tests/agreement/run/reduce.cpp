// reduce() of arrays and of sources, of their segments and groups, and plans interpreted.
#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>

#include "agreement/run/attempt.hpp"
#include "agreement/run/sources.hpp"
#include "agreement/run/states.hpp"
#include "agreement/trial/cuts.hpp"
#include "agreement/trial/marks.hpp"
#include "agreement/worker.hpp"
#include "multifold/by_key.hpp"
#include "multifold/reduce.hpp"
#include "multifold/segments.hpp"
#include "multifold/several.hpp"

namespace multifold::agreement {
namespace {

array_view view_of(const trial& t, const std::byte* data, const std::vector<std::int64_t>& strides) {
  return {data, t.type, t.extents, strides, t.where == origin::device ? place::device : place::host};
}

// What trial::op is among the operations that are asked for.
std::size_t place_of_op(const trial& t) { return t.data.seed % (t.beside.size() + 1); }

std::vector<op_kind> operations(const trial& t) {
  std::vector<op_kind> all = t.beside;
  all.insert(all.begin() + static_cast<std::ptrdiff_t>(place_of_op(t)), t.op);
  return all;
}

// A list of segments or keys, and the memory it is in.
class index_list {
 public:
  explicit index_list(const trial& t) : t_(t) {
    if (t.keyed) {
      wide_ = keys_of(t);
    } else {
      const auto all = segments_of(t);
      for (const auto& each : all) wide_.push_back(each.first);
      if (t.cut->ranges) {
        for (const auto& each : all) wide_.push_back(each.second);
      } else {
        wide_.push_back(all.empty() ? 0 : all.back().second);
      }
    }
    narrow_.assign(wide_.begin(), wide_.end());
  }

  array_view keys() const { return view(0, static_cast<std::int64_t>(wide_.size()), t_.keyed->narrow); }
  segments list() const {
    const std::int64_t count = t_.cut->count;
    const bool narrow = t_.cut->narrow;
    if (!t_.cut->ranges) return segments::from_offsets(view(0, count + 1, narrow));
    return segments::from_ranges(view(0, count, narrow), view(count, count, narrow));
  }

 private:
  array_view view(std::int64_t first, std::int64_t count, bool narrow) const {
    if (narrow) return make_view(narrow_.data() + first, {count});
    return make_view(wide_.data() + first, {count});
  }

  const trial& t_;
  std::vector<std::int64_t> wide_;
  std::vector<std::int32_t> narrow_;
};

// What trial::op makes of one or two arrays, or sources, and then what trial::beside makes of them.
template <class... Inputs>
std::vector<reduce_result> reduce_all(const trial& t, const reduce_options& options, Inputs&... inputs) {
  std::vector<reduce_result> all;
  if (t.cut) {
    all.push_back(reduce(t.op, inputs..., index_list(t).list(), options));
  } else if (t.keyed) {
    const index_list of(t);
    all.push_back(reduce_by_key(t.op, inputs..., of.keys(), t.keyed->count, options));
  } else if (t.beside.empty()) {
    all.push_back(reduce(t.op, inputs..., options));
  } else {
    all = reduce(operations(t), inputs..., options);
    const auto op = all.begin() + static_cast<std::ptrdiff_t>(place_of_op(t));
    std::rotate(all.begin(), op, op + 1);
  }
  return all;
}

std::vector<reduce_result> reduce_arrays(const trial& t, const laid_out& arrays, const reduce_options& options) {
  const array_view x = view_of(t, arrays.x, t.strides);
  if (!takes_two_arrays(t.op)) return reduce_all(t, options, x);
  const array_view y = view_of(t, arrays.y, second_strides(t));
  return reduce_all(t, options, x, y);
}

std::vector<reduce_result> reduce_sources(const trial& t, const laid_out& arrays, const reduce_options& options,
                                          const std::filesystem::path& folder) {
  const auto source_of = [&](const std::byte* buffer, const char* name) {
    return make_source_of(t, {buffer, static_cast<std::size_t>(arrays.bytes)}, folder / name);
  };
  const std::unique_ptr<source> x = source_of(arrays.buffer_x, "x");
  if (!takes_two_arrays(t.op)) return reduce_all(t, options, *x);
  const std::unique_ptr<source> y = source_of(arrays.buffer_y, "y");
  return reduce_all(t, options, *x, *y);
}

std::int64_t all_result_bytes(const trial& t) {
  const std::vector<bool> reduced = reduced_axes(t);
  std::int64_t bytes = result_bytes_of(t);
  for (std::size_t i = 0; i < reduced.size(); ++i) bytes *= reduced[i] ? 1 : t.extents[i];
  if (is_cut(t)) bytes *= cut_count(t);
  return bytes;
}

void keep_result(reduce_result r, outcome& got) {
  got.extents = std::move(r.extents);
  got.type = r.type;
  got.bytes = std::move(r.data);
}

}  // namespace

outcome run_reduce(const trial& t, const laid_out& arrays, result_memory& results,
                   const std::filesystem::path& folder) {
  return attempt([&](outcome& got) {
    reduce_options options = options_of(t);
    std::optional<marks_of> marked;
    if (t.marked) options.where = marked.emplace(t).view();
    if (t.into) options.into = results.prepare(all_result_bytes(t));
    const auto look_at_canaries = [&] {
      if (t.into && !results.intact()) got.damage = "bytes around the results are overwritten";
    };
    try {
      std::vector<reduce_result> all =
          is_source(t.where) ? reduce_sources(t, arrays, options, folder) : reduce_arrays(t, arrays, options);
      if (t.state) got.damage = state_damage(t, arrays, all.front());
      const std::int64_t count = t.cut ? cut_elements(t) : elements_of(t);
      for (std::size_t i = 0; i < all.size(); ++i) {
        if (all[i].count != count) got.damage = "count " + std::to_string(all[i].count);
        keep_result(std::move(all[i]), i == 0 ? got : got.beside.emplace_back());
      }
      if (t.into) got.bytes.assign(options.into.begin(), options.into.end());
    } catch (...) {
      look_at_canaries();
      throw;
    }
    look_at_canaries();
  });
}

outcome run_interpreted(const trial& t, const laid_out& arrays) {
  return attempt([&](outcome& got) {
    const array_view view = view_of(t, arrays.x, t.strides);
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
