// The order of memory is best; where it leaves no rows or columns, whole batches are gathered one after the other.
#include "reduce/sources/host_chunks.hpp"

#include <algorithm>
#include <cstdlib>

#include "multifold/error.hpp"
#include "reduce/device.hpp"
#include "reduce/sources/gathered_source.hpp"
#include "reduce/sources/memory_source.hpp"
#include "stream/host/slices.hpp"
#include "stream/host/stream.hpp"

namespace multifold::inline v0_1::detail {
namespace {

std::size_t number(std::int64_t axis) { return static_cast<std::size_t>(axis); }

// Longest steps slowest; repeats before all others, so that what is repeated is read as it lies there.
std::vector<std::int64_t> memory_order(const array_view& view) {
  std::vector<std::int64_t> order = all_axes(view.rank());
  const auto step = [&](std::int64_t axis) {
    const std::int64_t stride = view.strides[number(axis)];
    return stride == 0 ? INT64_MAX : static_cast<std::int64_t>(std::llabs(stride));
  };
  std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) { return step(a) > step(b); });
  return order;
}

// Results as they are numbered; and within a batch, elements as they lie in memory, or as their indices ascend.
std::vector<std::int64_t> batch_order(const array_view& view, const std::vector<std::int64_t>& axes,
                                      element_order order) {
  std::vector<bool> reduced(view.extents.size());
  for (const std::int64_t axis : axes) reduced[number(axis < 0 ? axis + view.rank() : axis)] = true;
  std::vector<std::int64_t> made;
  for (const std::int64_t axis : all_axes(view.rank())) {
    if (!reduced[number(axis)]) made.push_back(axis);
  }
  for (const std::int64_t axis : order == element_order::any ? memory_order(view) : all_axes(view.rank())) {
    if (reduced[number(axis)]) made.push_back(axis);
  }
  return made;
}

std::int64_t memory_of(const reduce_options& options) {
  return options.memory_bytes > 0 ? options.memory_bytes : stream::default_memory_bytes;
}

std::vector<std::int64_t> axes_of(const array_view& view, const reduce_options& options) {
  return options.axes.of(view.rank());
}

}  // namespace

bool is_dense(const array_view& view) {
  if (view.elements() == 0) return true;
  std::int64_t next = 1;
  const std::vector<std::int64_t> order = memory_order(view);
  for (std::size_t i = order.size(); i-- > 0;) {
    const std::size_t axis = number(order[i]);
    if (view.extents[axis] == 1) continue;
    if (view.strides[axis] != next) return false;
    next *= view.extents[axis];
  }
  return true;
}

array_view dense_in(const array_view& view, const std::vector<std::int64_t>& order) {
  array_view dense = view;
  std::int64_t stride = 1;
  for (std::size_t i = order.size(); i-- > 0; stride *= view.extents[number(order[i])]) {
    dense.strides[number(order[i])] = stride;
  }
  return dense;
}

std::vector<std::int64_t> order_of_chunks(const array_view& view, const std::vector<std::int64_t>& axes,
                                          const reduction& what, std::int64_t memory_bytes) {
  const element_order indices = order_of(what.op);
  if (view.elements() == 0) return {};
  if (is_dense(view) && device_takes_chunks(normalise(view, axes, indices))) return {};
  std::vector<std::int64_t> order = memory_order(view);
  const batches form = normalise(dense_in(view, order), axes, indices);
  const std::int64_t most = memory_bytes / accumulator_bytes(what);
  if (form.pattern != access::strided && stream::slices_of(form).results <= most) return order;
  return batch_order(view, axes, indices);
}

batches form_of_chunks(const request& r, const array_view& view, const reduce_options& options) {
  const std::vector<std::int64_t> axes = axes_of(view, options);
  const std::vector<std::int64_t> order = order_of_chunks(view, axes, r.what, memory_of(options));
  return order.empty() ? r.form : normalise(dense_in(view, order), axes, order_of(r.what.op));
}

host_chunks::host_chunks(request& r, const array_view& x, const array_view* y, const reduce_options& options) {
  const std::vector<std::int64_t> order = order_of_chunks(x, axes_of(x, options), r.what, memory_of(options));
  if (order.empty()) {
    x_ = std::make_unique<memory_source>(x);
    if (y != nullptr) y_ = std::make_unique<memory_source>(*y);
    memory_ = {x.data, y != nullptr ? y->data : nullptr};
    return;
  }
  if (options.way == transfer::copy || options.way == transfer::mapped) {
    throw unsupported_error("the transfer " + std::string(name(options.way)) +
                            " takes dense arrays in an order that leaves rows or columns, and this one has to be "
                            "gathered: stage it, or copy it densely");
  }
  r.form = form_of_chunks(r, x, options);
  x_ = std::make_unique<gathered_source>(x, order);
  if (y != nullptr) y_ = std::make_unique<gathered_source>(*y, order);
}

stream::inputs host_chunks::input() const {
  stream::inputs made = y_ ? stream::inputs(*x_, *y_) : stream::inputs(*x_);
  made.memory = memory_;
  return made;
}

}  // namespace multifold::inline v0_1::detail
