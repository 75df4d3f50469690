// A counting sort: keys are counted, and then elements go where their groups have room.
#include "reduce/segments/grouping.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <stdexcept>
#include <string>

#include "host/elements/packed.hpp"
#include "multifold/error.hpp"
#include "reduce/segments/groups.hpp"
#include "stream/copies/strided_copy.hpp"

namespace multifold::inline v0_1::detail {
namespace {

// f(keys) with a pointer to i32 or i64.
template <class F>
void with_keys(const array_view& keys, const F& f) {
  const auto* const at = static_cast<const std::byte*>(keys.data);
  if (keys.type == dtype::i32) f(host::packed_at<std::int32_t>(at));
  else f(host::packed_at<std::int64_t>(at));
}

// An element along an axis: what the other axes have there.
struct row_copy {
  std::int64_t item, from_step, bytes;  // bytes of a dense row
  std::vector<stream::copy_loop> loops;
  bool dense;

  row_copy(const array_view& array, std::size_t axis) : item(item_bytes(array.type)) {
    std::int64_t elements = 1;
    dense = true;
    for (std::size_t i = array.extents.size(); i-- > 0;) {
      if (i == axis || array.extents[i] == 1) continue;
      loops.push_back({array.extents[i], elements, array.strides[i]});
      dense = dense && array.strides[i] == elements;
      elements *= array.extents[i];
    }
    from_step = array.strides[axis] * item;
    bytes = elements * item;
  }

  void operator()(std::byte* to, const std::byte* from) const {
    if (dense) std::memcpy(to, from, static_cast<std::size_t>(bytes));
    else stream::strided_copy(to, from, item, loops);
  }
};

array_view dense_view(const array_view& like, std::size_t axis, const std::byte* data) {
  array_view view = like;
  view.data = data;
  std::int64_t step = 1;
  for (std::size_t i = view.extents.size(); i-- > 0;) {
    if (i == axis) continue;
    view.strides[i] = step;
    step *= view.extents[i];
  }
  view.strides[axis] = step;
  return view;
}

// Rows of a size that the compiler knows.
template <class Word, class Key>
void scatter(const host::packed<Key>* keys, std::int64_t count, const std::byte* from, std::int64_t step,
             std::vector<std::int64_t>& next, std::byte* to) {
  for (std::int64_t i = 0; i < count; ++i, from += step) {
    const std::int64_t place = next[static_cast<std::size_t>(keys[i].value)]++;
    std::memcpy(to + place * static_cast<std::int64_t>(sizeof(Word)), from, sizeof(Word));
  }
}

template <class Key>
void scatter_rows(const host::packed<Key>* keys, std::int64_t count, const array_view& array, const row_copy& row,
                  std::vector<std::int64_t>& next, std::byte* to) {
  const auto* from = static_cast<const std::byte*>(array.data);
  const std::int64_t size = row.dense ? row.bytes : 0;
  if (size == 1) return scatter<std::uint8_t>(keys, count, from, row.from_step, next, to);
  if (size == 2) return scatter<std::uint16_t>(keys, count, from, row.from_step, next, to);
  if (size == 4) return scatter<std::uint32_t>(keys, count, from, row.from_step, next, to);
  if (size == 8) return scatter<std::uint64_t>(keys, count, from, row.from_step, next, to);
  for (std::int64_t i = 0; i < count; ++i, from += row.from_step) {
    row(to + next[static_cast<std::size_t>(keys[i].value)]++ * row.bytes, from);
  }
}

}  // namespace

grouping::grouping(const array_view& keys, std::int64_t groups) try
    : keys_(keys), offsets_(static_cast<std::size_t>(groups) + 1) {
  with_keys(keys, [&](const auto* key) {
    std::int64_t before = 0;
    for (std::int64_t i = 0; i < keys.extents[0]; ++i) {
      const std::int64_t k = key[i].value;
      if (k < 0 || k >= groups) throw_bad_key(i, k, groups);
      ++offsets_[static_cast<std::size_t>(k) + 1];
      ascends_ = ascends_ && before <= k;
      before = k;
    }
  });
  for (std::size_t g = 1; g < offsets_.size(); ++g) offsets_[g] += offsets_[g - 1];
} catch (const std::bad_alloc&) {
  throw out_of_memory("there is no memory for the counts of " + std::to_string(groups) + " groups");
} catch (const std::length_error&) {
  throw out_of_memory("there is no memory for the counts of " + std::to_string(groups) + " groups");
}

std::int64_t grouping::first_empty() const {
  const auto found = std::adjacent_find(offsets_.begin(), offsets_.end());
  return found == offsets_.end() ? -1 : found - offsets_.begin();
}

std::vector<array_view> grouping::in_order(const std::vector<array_view>& arrays, std::size_t axis, bool remember) try {
  if (ascends_ || arrays[0].elements() == 0) return arrays;
  const std::int64_t count = keys_.extents[0];
  std::vector<array_view> found;
  for (const array_view& array : arrays) {
    const row_copy row(array, axis);
    copies_.push_back(host::try_allocate(count * row.bytes));
    if (!copies_.back()) throw std::bad_alloc();
    std::vector<std::int64_t> next(offsets_);
    with_keys(keys_, [&](const auto* keys) { scatter_rows(keys, count, array, row, next, copies_.back().get()); });
    found.push_back(dense_view(array, axis, copies_.back().get()));
  }
  if (!remember) return found;
  order_.resize(static_cast<std::size_t>(count));
  std::vector<std::int64_t> next(offsets_);
  with_keys(keys_, [&](const auto* keys) {
    for (std::int64_t i = 0; i < count; ++i) {
      order_[static_cast<std::size_t>(next[static_cast<std::size_t>(keys[i].value)]++)] = i;
    }
  });
  return found;
} catch (const std::bad_alloc&) {
  throw out_of_memory(
      "there is no memory for a copy of the array in the order of its keys: sort them, or reduce parts");
}

}  // namespace multifold::inline v0_1::detail
