// Many copies of one item in device memory: identities, before anything is merged into them. One kernel serves all
// types: what an item is, its arguments say.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <string>
#include <type_traits>

#include "multifold/cuda/bound_recipe.hpp"
#include "multifold/cuda/work_queue.hpp"
#include "multifold/error.hpp"
#include "multifold/export.hpp"

namespace multifold::inline v0_1::cuda {

/// An item of memory by its words of 4 bytes: all of them zero, but for some.
struct sparse_item {
  static constexpr int most = 16;
  int words = 0;
  int others = 0;  // that are not zero
  int place[most] = {};
  std::uint32_t word[most] = {};
};

/// The identity of `op` as such an item; what lies between its members is zero.
/// Throws: unsupported_error if more than sparse_item::most of its words are not zero.
template <class Op>
sparse_item identity_item_of(const Op& op) {
  using value_type = std::remove_cvref_t<decltype(op.identity())>;
  static_assert(sizeof(value_type) % 4 == 0 && alignof(value_type) % 4 == 0, "items are made of whole words");
  alignas(value_type) std::byte memory[sizeof(value_type)] = {};
  ::new (static_cast<void*>(memory)) value_type(op.identity());
  sparse_item item;
  item.words = static_cast<int>(sizeof(value_type) / 4);
  for (int i = 0; i < item.words; ++i) {
    std::uint32_t word = 0;
    std::memcpy(&word, memory + 4 * i, sizeof word);
    if (word == 0) continue;
    if (item.others == sparse_item::most) {
      throw unsupported_error("an item has more than " + std::to_string(sparse_item::most) +
                              " words that are not zero");
    }
    item.place[item.others] = i;
    item.word[item.others++] = word;
  }
  return item;
}

/// Enqueues a kernel that writes `count` copies of `item` side by side, unless there are none. Grid: a thread an item,
/// in blocks of 256, up to 2^20 of them. Shapes: `items` has room for them, and is aligned to 4 bytes.
MULTIFOLD_EXPORT void fill_items(const sparse_item& item, void* items, std::int64_t count, work_queue& queue);
/// The same as the next step of a recipe.
MULTIFOLD_EXPORT void fill_items(const sparse_item& item, void* items, std::int64_t count, bound_recipe& steps);

}  // namespace multifold::inline v0_1::cuda
