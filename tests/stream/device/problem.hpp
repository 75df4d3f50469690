// Arrays for tests of the GPU's pipeline, whose reductions are known by bits.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include "multifold/array.hpp"
#include "multifold/cuda/traits.hpp"
#include "multifold/plan.hpp"
#include "multifold/source.hpp"
#include "multifold/types/float16.hpp"
#include "random_bits.hpp"

namespace test {

using multifold::array_layout;
using multifold::dtype;

// Elements whose sums are exact, so that results compare by bits.
inline std::vector<std::byte> small_numbers(dtype type, std::int64_t count, std::uint64_t seed) {
  test::random_bits rng(seed);
  std::vector<std::byte> bytes(static_cast<std::size_t>(count * multifold::item_bytes(type)));
  multifold::visit_dtype(type, [&]<class T>() {
    for (std::int64_t i = 0; i < count; ++i) {
      const int value = static_cast<int>(rng() % 201) - 100;
      T x;
      if constexpr (std::is_same_v<T, multifold::f16>) x = multifold::to_f16(value);
      else if constexpr (std::is_same_v<T, multifold::bf16>) x = multifold::to_bf16(value);
      else if constexpr (std::is_same_v<T, multifold::bool8>) x.bits = static_cast<std::uint8_t>(value & 1);
      else x = static_cast<T>(value);
      std::memcpy(bytes.data() + i * static_cast<std::int64_t>(sizeof(T)), &x, sizeof(T));
    }
  });
  return bytes;
}

struct problem {
  problem(dtype type, std::vector<std::int64_t> extents, std::vector<std::int64_t> reduced, bool fortran_order = false)
      : axes(std::move(reduced)) {
    layout.type = type;
    layout.extents = std::move(extents);
    layout.fortran_order = fortran_order;
  }

  std::int64_t elements() const { return multifold::element_count(layout.extents); }
  multifold::array_view view(const void* data) const {
    multifold::array_view made = multifold::make_view(data, layout.type, layout.extents);
    if (layout.fortran_order) made.strides = multifold::fortran_strides(layout.extents);
    return made;
  }
  /// On the current device.
  multifold::plan plan_of(multifold::op_kind op) const {
    const multifold::batches form = normalise(view(nullptr), axes, multifold::order_of(op));
    return make_plan(multifold::make_reduction(op, layout.type), form, {}, multifold::cuda::device_traits());
  }

  array_layout layout;
  std::vector<std::int64_t> axes;
};

inline std::vector<std::byte> interpreted(const multifold::plan& p, const multifold::operands& data) {
  std::vector<std::byte> results(static_cast<std::size_t>(p.form.results() * result_bytes(p.what)));
  interpret(p, data, results.data());
  return results;
}

/// Skips where there is no GPU.
class needs_device : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string reason;
    if (multifold::cuda::devices(reason).empty()) GTEST_SKIP() << "no GPU: " << reason;
  }
};

}  // namespace test
