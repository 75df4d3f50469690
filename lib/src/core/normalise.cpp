// From any axes of any strided array to (outer, length, inner): drop, flip, sort and merge runs, then name the pattern.
#include <algorithm>
#include <cstdlib>
#include <utility>

#include "core/runs.hpp"
#include "multifold/array.hpp"
#include "multifold/error.hpp"

namespace multifold::inline v0_1 {
namespace {

std::vector<bool> reduced_mask(const array_view& view, const std::vector<std::int64_t>& axes) {
  std::vector<bool> mask(view.extents.size(), false);
  const std::int64_t rank = view.rank();
  for (std::int64_t axis : axes) {
    const std::int64_t wrapped = axis < 0 ? axis + rank : axis;
    if (wrapped < 0 || wrapped >= rank) {
      if (rank == 0) throw shape_error("axis " + std::to_string(axis) + " was named, but a single value has no axes");
      throw shape_error("axis " + std::to_string(axis) + " is out of range for shape " + to_string(view.extents) +
                        ": expected " + std::to_string(-rank) + " to " + std::to_string(rank - 1));
    }
    if (mask[static_cast<std::size_t>(wrapped)]) {
      throw shape_error("axis " + std::to_string(axis) + " is named twice");
    }
    mask[static_cast<std::size_t>(wrapped)] = true;
  }
  return mask;
}

void check_reach(const array_view& view) {
  if (view.strides.size() != view.extents.size()) {
    throw shape_error("shape " + to_string(view.extents) + " has " + std::to_string(view.extents.size()) +
                      " axes, but " + std::to_string(view.strides.size()) + " strides were given");
  }
  int128_t reach = 0;
  for (std::size_t i = 0; i < view.extents.size(); ++i) {
    const int128_t stride = view.strides[i];
    reach += (stride < 0 ? -stride : stride) * std::max<std::int64_t>(view.extents[i] - 1, 0);
  }
  // The end of the last element has to be in reach too; divided, because the product may pass 128 bits.
  if (reach + 1 > int128_t{INT64_MAX} / item_bytes(view.type)) {
    throw shape_error("shape " + to_string(view.extents) + " with strides " + to_string(view.strides) +
                      " reaches past 2^63 bytes");
  }
}

// A sum does not care for the order of its elements: walk forwards through memory, longest stride outermost.
void sort_any_order(std::vector<run>& runs, std::int64_t& offset) {
  for (run& r : runs) {
    if (r.stride < 0) {
      offset += r.stride * (r.extent - 1);
      r.stride = -r.stride;
    }
  }
  if (runs.size() < 2) return;  // no memory is taken for these
  std::stable_sort(runs.begin(), runs.end(), [](const run& a, const run& b) { return a.stride > b.stride; });
}

std::int64_t product(const std::vector<run>& runs) {
  std::int64_t extent = 1;
  for (const run& r : runs) extent *= r.extent;
  return extent;
}

// Runs of extent 1 still have to say where the next one would be, so that tests of contiguity hold for them.
run unit(bool reduced) { return {1, 0, 0, reduced}; }

void classify(batches& form) {
  form.length = product(form.reduced);
  form.outer = product(form.kept);
  form.inner = 1;
  form.outer_run = form.inner_run = unit(false);
  form.length_run = unit(true);
  form.pattern = access::strided;
  if (form.reduced.size() > 1 || form.kept.size() > 2) return;
  const run length = form.reduced.empty() ? unit(true) : form.reduced[0];
  if (form.kept.size() <= 1 && (form.reduced.empty() ? form.kept.empty() : length.stride == 1)) {
    form.pattern = access::rows;
    form.length_run = length;
    if (!form.kept.empty()) form.outer_run = form.kept[0];
    return;
  }
  for (std::size_t i = form.kept.size(); i-- > 0;) {
    if (form.kept[i].stride != 1) continue;
    form.pattern = access::columns;
    form.length_run = length;
    form.inner_run = form.kept[i];
    if (form.kept.size() == 2) {
      form.outer_run = form.kept[1 - i];
      form.kept = {form.outer_run, form.inner_run};  // as batches are numbered
    }
    form.inner = form.inner_run.extent;
    form.outer = form.outer_run.extent;
    return;
  }
}

// Nothing is read; only the numbers of results and of elements count.
batches empty_form(const array_view& view, const std::vector<bool>& mask) {
  std::vector<std::int64_t> kept, reduced;
  for (std::size_t i = 0; i < mask.size(); ++i) (mask[i] ? reduced : kept).push_back(view.extents[i]);
  batches form;
  form.outer = element_count(kept);
  form.length = element_count(reduced);
  form.kept = {form.outer_run = {form.outer, 0, 1, false}};
  form.reduced = {form.length_run = {form.length, 1, 0, true}};
  form.inner_run = unit(false);
  return form;
}

// In 128 bits: the place behind the last element of a run may lie past 2^63.
bool follows(const run& slow, const run& fast) {
  const auto extent = static_cast<int128_t>(fast.extent);
  return slow.stride == fast.stride * extent && slow.result_stride == fast.result_stride * extent;
}

}  // namespace

void detail::merge_neighbours(std::vector<run>& runs) {
  std::vector<run> merged;
  for (const run& next : runs) {
    if (!merged.empty() && follows(merged.back(), next)) {
      merged.back() = {merged.back().extent * next.extent, next.stride, next.result_stride, next.reduced};
    } else {
      merged.push_back(next);
    }
  }
  runs = std::move(merged);
}

batches normalise(const array_view& view, const std::vector<std::int64_t>& axes, element_order order) {
  const std::int64_t elements = element_count(view.extents);
  const std::vector<bool> mask = reduced_mask(view, axes);
  if (elements == 0) return empty_form(view, mask);
  check_reach(view);
  batches form;
  std::int64_t result_stride = 1;
  for (std::size_t i = view.extents.size(); i-- > 0;) {
    const std::int64_t extent = view.extents[i];
    if (extent != 1) {
      (mask[i] ? form.reduced : form.kept).push_back({extent, view.strides[i], mask[i] ? 0 : result_stride, mask[i]});
    }
    if (!mask[i]) result_stride *= extent;
  }
  std::reverse(form.kept.begin(), form.kept.end());
  std::reverse(form.reduced.begin(), form.reduced.end());
  if (order == element_order::any) {
    const std::vector<run> logical = form.reduced;
    sort_any_order(form.reduced, form.offset);
    form.reordered = form.reduced != logical;
  }
  detail::merge_neighbours(form.kept);
  detail::merge_neighbours(form.reduced);
  classify(form);
  return form;
}

std::int64_t batches::offset_of(std::int64_t batch, std::int64_t index) const noexcept {
  std::int64_t at = offset;
  for (std::size_t i = kept.size(); i-- > 0; batch /= kept[i].extent) at += batch % kept[i].extent * kept[i].stride;
  for (std::size_t i = reduced.size(); i-- > 0; index /= reduced[i].extent) {
    at += index % reduced[i].extent * reduced[i].stride;
  }
  return at;
}

std::int64_t batches::result_of(std::int64_t batch) const noexcept {
  std::int64_t at = 0;
  for (std::size_t i = kept.size(); i-- > 0; batch /= kept[i].extent) {
    at += batch % kept[i].extent * kept[i].result_stride;
  }
  return at;
}

std::vector<std::int64_t> result_extents(const array_view& view, const std::vector<std::int64_t>& axes, bool keepdims) {
  const std::vector<bool> mask = reduced_mask(view, axes);
  std::vector<std::int64_t> extents;
  for (std::size_t i = 0; i < view.extents.size(); ++i) {
    if (!mask[i]) extents.push_back(view.extents[i]);
    else if (keepdims) extents.push_back(1);
  }
  return extents;
}

}  // namespace multifold::inline v0_1
