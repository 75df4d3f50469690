// Segments of several distributions on the GPU, and what is expected of them: the bits of each alone.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "device/exact/expected.hpp"
#include "multifold/cuda/segments.hpp"

namespace multifold::device_tests {

inline constexpr op_kind segment_ops[] = {
    op_kind::sum,    op_kind::mean,  op_kind::prod,     op_kind::min,   op_kind::max, op_kind::argmin,
    op_kind::argmax, op_kind::norm1, op_kind::sumsq,    op_kind::norm2, op_kind::var, op_kind::std,
    op_kind::dot,    op_kind::cov,   op_kind::describe, op_kind::any,   op_kind::all, op_kind::count_nonzero};

enum class spread { tiny, some, power_law, huge, one_of_many };
inline constexpr spread all_spreads[] = {spread::tiny, spread::some, spread::power_law, spread::huge,
                                         spread::one_of_many};

class segments_on_device : public exact_on_device {
 protected:
  std::int64_t length_of(spread kind, std::int64_t i) {
    switch (kind) {
      case spread::tiny: return static_cast<std::int64_t>(rng() % 21);
      case spread::some: return static_cast<std::int64_t>(rng() % 1000);
      case spread::power_law: {
        const double u = static_cast<double>(rng() % (1 << 20) + 1) * 0x1p-20;
        return static_cast<std::int64_t>(std::min(std::pow(u, -1.3), 300000.0)) - 1;
      }
      case spread::huge: return static_cast<std::int64_t>(rng() % 400000);
      case spread::one_of_many: return i == 777 ? 50000 : 0;
    }
    return 0;
  }
  // Up to `most` elements.
  std::vector<std::int64_t> offsets(spread kind, std::int64_t most, bool may_be_empty) {
    std::vector<std::int64_t> all{static_cast<std::int64_t>(rng() % 40)};
    const std::int64_t segments = 1 + static_cast<std::int64_t>(rng() % 5000);
    for (std::int64_t i = 0; i < segments; ++i) {
      std::int64_t length = length_of(kind, i);
      if (length == 0 && !may_be_empty) length = 1;
      if (all.back() + length > most && i > 0) break;
      length = std::min(length, most - all.back());
      all.push_back(all.back() + length);
    }
    return all;
  }

  struct memory {
    device_array x, y, offsets;
    dtype offset_type;
  };

  static std::vector<std::byte> run(const reduction& what, const memory& at, std::int64_t elements,
                                    std::int64_t segments, cuda::segments_status& how) {
    const engine_traits gpu = cuda::device_traits();
    const cuda::stream stream;
    const poisoned_results results(segments * result_bytes(what), stream.get());
    const cuda::device_buffer workspace(cuda::segments_workspace_bytes(what, elements, segments, gpu));
    cuda::check(cudaMemsetAsync(workspace.data(), workspace_poison(), static_cast<std::size_t>(workspace.size()),
                                stream.get()));
    cuda::reduce_segments_async(what, {at.x.data(), at.y.data()}, elements,
                                {at.offsets.data(), at.offset_type, segments}, results.data(), workspace.bytes(), gpu,
                                stream.get());
    how = cuda::segments_status_of(workspace.bytes(), segments, stream.get());
    return results.read();
  }

  static device_array offsets_there(const std::vector<std::int64_t>& offsets, dtype type) {
    if (type == dtype::i64) return device_array(std::as_bytes(std::span(offsets)));
    const std::vector<std::int32_t> narrow(offsets.begin(), offsets.end());
    return device_array(std::as_bytes(std::span(narrow)));
  }

  void expect_each(const reduction& what, const std::vector<std::int64_t>& offsets, const std::vector<std::byte>& x,
                   const std::vector<std::byte>& y) {
    const std::int64_t item = item_bytes(what.input), elements = static_cast<std::int64_t>(x.size()) / item;
    const auto segments = static_cast<std::int64_t>(offsets.size()) - 1;
    const dtype type = rng() % 2 == 0 ? dtype::i64 : dtype::i32;
    const auto shift = static_cast<std::int64_t>(rng() % 9) * item;
    const memory at{device_array(x, shift), device_array(y, static_cast<std::int64_t>(rng() % 9) * item),
                    offsets_there(offsets, type), type};
    cuda::segments_status how;
    const std::vector<std::byte> results = run(what, at, elements, segments, how);
    ASSERT_EQ(how.worst, status::ok);
    ASSERT_FALSE(how.bad_offset);
    const auto result = static_cast<std::size_t>(result_bytes(what));
    for (std::int64_t i = 0; i < segments; ++i) {
      const auto first = static_cast<std::size_t>(i), from = static_cast<std::size_t>(offsets[first] * item);
      const std::int64_t length = offsets[first + 1] - offsets[first];
      const batches form = normalise(make_view(nullptr, what.input, {length}), {0}, order_of(what.op));
      const plan p = make_plan(what, form, {}, cuda::device_traits());
      // Longer ones by the kernels that are tested elsewhere.
      std::vector<std::byte> expected;
      if (length < 3000) {
        expected = run_interpreted(p, {x.data() + from, y.data() + from});
      } else {
        const auto* const there = static_cast<const std::byte*>(at.x.data());
        const auto* const other = static_cast<const std::byte*>(at.y.data());
        expected = run_on_device(p, {there + from, other + from});
      }
      const std::vector<std::byte> mine(results.begin() + static_cast<std::ptrdiff_t>(first * result),
                                        results.begin() + static_cast<std::ptrdiff_t>((first + 1) * result));
      ASSERT_EQ(mine, expected) << "segment " << i << " of " << segments << ", " << length << " elements at "
                                << offsets[first] << ": " << name(what.op) << " of " << name(what.input);
    }
  }
};

// Elements of integers whose sums and products fit, and of floating point of every family.
inline std::vector<std::byte> elements_of(dtype type, std::int64_t count, op_kind op, random_engine& rng) {
  if (is_floating(type) && op != op_kind::prod)
    return exact_elements(type, count, all_families[rng() % std::size(all_families)], rng);
  auto bytes = random_elements(type, count, op, rng);
  const bool wide = type == dtype::i32 || type == dtype::u32 || type == dtype::i64 || type == dtype::u64;
  const auto item = static_cast<std::size_t>(item_bytes(type));
  if (!is_floating(type) && op == op_kind::prod) {  // a few twos alone
    for (std::size_t i = 20 * item; i < bytes.size(); ++i) bytes[i] = std::byte{i % item == 0};
  }
  if (!wide || op == op_kind::prod) return bytes;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (i % item >= 2) bytes[i] = std::byte{0};
  }
  return bytes;
}

}  // namespace multifold::device_tests
