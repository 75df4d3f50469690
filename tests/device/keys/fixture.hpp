// What the tests of groups on the GPU share: keys in many orders, and the reduction of each group's elements alone.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "device/exact/expected.hpp"
#include "multifold/cuda/by_key.hpp"
#include "multifold/summary.hpp"

namespace multifold::device_tests {

enum class pattern { any, ascending, descending, equal, runs, ends };
inline constexpr pattern all_patterns[] = {pattern::any,   pattern::ascending, pattern::descending,
                                           pattern::equal, pattern::runs,      pattern::ends};

struct key_case {
  std::vector<std::int64_t> keys;
  std::int64_t groups;

  bool ascends() const { return std::is_sorted(keys.begin(), keys.end()); }
  std::int64_t count() const { return static_cast<std::int64_t>(keys.size()); }
};

inline key_case make_keys(pattern kind, std::int64_t count, std::int64_t groups, random_engine& rng) {
  key_case c{std::vector<std::int64_t>(static_cast<std::size_t>(count)), groups};
  const auto any = [&] { return static_cast<std::int64_t>(rng() % static_cast<std::uint64_t>(groups)); };
  const std::int64_t same = any();
  std::int64_t run = any();
  for (std::int64_t& key : c.keys) {
    if (kind == pattern::runs && rng() % 50 == 0) run = any();
    key = kind == pattern::equal ? same : kind == pattern::runs ? run : any();
    if (kind == pattern::ends) key = rng() % 2 == 0 ? 0 : groups - 1;
  }
  if (kind == pattern::ascending) std::sort(c.keys.begin(), c.keys.end());
  if (kind == pattern::descending) std::sort(c.keys.begin(), c.keys.end(), std::greater<>());
  return c;
}

// Of as many groups as there are different keys.
inline key_case without_empty_groups(key_case c) {
  std::vector<std::int64_t> all = c.keys;
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  for (std::int64_t& key : c.keys) key = std::lower_bound(all.begin(), all.end(), key) - all.begin();
  c.groups = static_cast<std::int64_t>(all.size());
  return c;
}

inline device_array keys_there(const std::vector<std::int64_t>& keys, dtype type, std::int64_t shift = 0) {
  if (type == dtype::i64) return device_array(std::as_bytes(std::span(keys)), shift * 8);
  const std::vector<std::int32_t> narrow(keys.begin(), keys.end());
  return device_array(std::as_bytes(std::span(narrow)), shift * 4);
}

class by_key_on_device : public exact_on_device {
 protected:
  struct outcome {
    std::vector<std::byte> results;
    cuda::by_key_status how;
  };

  static outcome run(const reduction& what, const operands& data, std::int64_t elements, const cuda::device_keys& of,
                     const engine_traits& gpu = cuda::device_traits()) {
    const cuda::stream stream;
    const poisoned_results results(of.groups * result_bytes(what), stream.get());
    const std::int64_t bytes = cuda::by_key_workspace_bytes(what, elements, of, gpu);
    const poisoned_results workspace(bytes, stream.get());
    cuda::check(cudaMemsetAsync(workspace.data(), workspace_poison(), static_cast<std::size_t>(bytes), stream.get()));
    const std::span<std::byte> space(static_cast<std::byte*>(workspace.data()), static_cast<std::size_t>(bytes));
    cuda::reduce_by_key_async(what, data, elements, of, results.data(), space, gpu, stream.get());
    const cuda::by_key_status how = cuda::by_key_status_of(space, elements, of, stream.get());
    static_cast<void>(workspace.read());  // for what is behind it
    return {results.read(), how};
  }

  // The reduction of each group's elements alone.
  static std::vector<std::byte> expected(const reduction& what, const key_case& c, const std::vector<std::byte>& x,
                                         const std::vector<std::byte>& y) {
    const auto item = static_cast<std::ptrdiff_t>(item_bytes(what.input));
    std::vector<std::vector<std::int64_t>> places(static_cast<std::size_t>(c.groups));
    for (std::int64_t i = 0; i < c.count(); ++i) {
      places[static_cast<std::size_t>(c.keys[static_cast<std::size_t>(i)])].push_back(i);
    }
    const engine_traits gpu = cuda::device_traits();
    std::vector<std::byte> all;
    for (const std::vector<std::int64_t>& group : places) {
      std::vector<std::byte> mine, other;
      for (const std::int64_t i : group) {
        mine.insert(mine.end(), x.begin() + i * item, x.begin() + (i + 1) * item);
        other.insert(other.end(), y.begin() + i * item, y.begin() + (i + 1) * item);
      }
      const auto length = static_cast<std::int64_t>(group.size());
      reduction inside = what;
      const bool is_position = what.op == op_kind::argmin || what.op == op_kind::argmax;
      if (is_position) inside.result = dtype::i64;
      const batches form = normalise(make_view(nullptr, what.input, {length}), {0}, order_of(what.op));
      const plan p = make_plan(inside, form, {}, gpu);
      std::vector<std::byte> result;
      if (length < 3000) {
        result = run_interpreted(p, {mine.data(), other.data()});
      } else {
        const device_array there(mine), more(other);
        result = run_on_device(p, {there.data(), more.data()});
      }
      const auto placed = [&](void* at) {
        std::int64_t index = 0;
        std::memcpy(&index, at, sizeof index);
        if (index >= 0) index = group[static_cast<std::size_t>(index)];
        std::memcpy(at, &index, sizeof index);
      };
      if (is_position) {
        placed(result.data());
        result.resize(static_cast<std::size_t>(item_bytes(what.result)));  // little-endian
      } else if (what.op == op_kind::describe) {
        placed(result.data() + offsetof(summary, argmin));
        placed(result.data() + offsetof(summary, argmax));
      }
      all.insert(all.end(), result.begin(), result.end());
    }
    return all;
  }

  void expect_groups(const reduction& what, const key_case& c, const std::vector<std::byte>& x,
                     const std::vector<std::byte>& y) {
    const std::int64_t item = item_bytes(what.input);
    const dtype type = rng() % 2 == 0 ? dtype::i64 : dtype::i32;
    const device_array keys = keys_there(c.keys, type, static_cast<std::int64_t>(rng() % 3));
    const device_array first(x, static_cast<std::int64_t>(rng() % 9) * item),
        second(y, static_cast<std::int64_t>(rng() % 9) * item);
    const std::vector<std::byte> wanted = expected(what, c, x, y);
    for (const bool ascend : {false, true}) {
      if (ascend && !c.ascends()) continue;
      const outcome got = run(what, {first.data(), second.data()}, c.count(), {keys.data(), type, c.groups, ascend});
      ASSERT_EQ(got.how.worst, status::ok);
      ASSERT_FALSE(got.how.bad_key);
      ASSERT_TRUE(got.how.ascend);
      ASSERT_TRUE(got.results == wanted) << name(what.op) << " of " << name(what.input) << ", " << c.count()
                                         << " elements, " << c.groups << " groups, keys of " << name(type)
                                         << (ascend ? " that ascend" : "");
    }
  }
};

// Elements of integers whose sums and products fit, and of floating point of every family.
inline std::vector<std::byte> elements_of(dtype type, std::int64_t count, op_kind op, random_engine& rng) {
  if (is_floating(type) && op != op_kind::prod && order_of(op) != element_order::indexed)
    return exact_elements(type, count, all_families[rng() % std::size(all_families)], rng);
  auto bytes = random_elements(type, count, op, rng);
  const auto item = static_cast<std::size_t>(item_bytes(type));
  if (is_floating(type)) return bytes;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (op == op_kind::prod && i >= 20 * item) bytes[i] = std::byte{i % item == 0};
    if (op != op_kind::prod && i % item >= 2) bytes[i] = std::byte{0};
  }
  return bytes;
}

}  // namespace multifold::device_tests
