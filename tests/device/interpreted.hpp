// Whether the GPU gives the bits of a plan that is interpreted on the CPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "device/device_fixture.hpp"

namespace multifold::device_tests {

template <class T>
std::vector<std::byte> bytes_of(const std::vector<T>& x) {
  const auto bytes = std::as_bytes(std::span<const T>(x));
  return {bytes.begin(), bytes.end()};
}

template <class T>
void expect_interpreted(const reduction& what, const std::vector<std::int64_t>& extents,
                        const std::vector<std::int64_t>& axes, const std::vector<T>& x, const std::vector<T>& y,
                        const plan_options& forced = {}) {
  const array_view view = make_view(x.data(), what.input, extents);
  const plan p = make_plan(what, normalise(view, axes, order_of(what.op)), forced, cuda::device_traits());
  const device_array x_there(bytes_of(x)), y_there(bytes_of(y));
  ASSERT_EQ(run_on_device(p, {x_there.data(), y_there.data()}), run_interpreted(p, {x.data(), y.data()})) << explain(p);
}

}  // namespace multifold::device_tests
