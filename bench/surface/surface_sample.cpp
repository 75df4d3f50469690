#include "surface_sample.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>

#include "median.hpp"
#include "multifold/types/float16.hpp"
#include "surface_elements.hpp"

namespace bench::surface {
namespace {

using multifold::dtype;

walk walk_over(const surface_case& c, bool reduced) {
  const multifold::array_view view = view_of(c, nullptr, multifold::place::host);
  walk w;
  for (std::size_t axis = 0; axis < c.extents.size(); ++axis) {
    const bool is_reduced = std::find(c.axes.begin(), c.axes.end(), static_cast<std::int64_t>(axis)) != c.axes.end();
    if (is_reduced != reduced) continue;
    w.extents[w.axes] = view.extents[axis];
    w.strides[w.axes++] = view.strides[axis];
  }
  return w;
}

double real(dtype type, const std::byte* at) {
  return multifold::visit_dtype(type, [&]<class T>() -> double {
    T x;
    std::memcpy(&x, at, sizeof x);
    if constexpr (multifold::floating_storage<T>) return multifold::to_double(x);
    else return 0;
  });
}

double unit_in_last_place(dtype type) {
  return type == dtype::f64 ? 0x1p-52 : type == dtype::f32 ? 0x1p-23 : type == dtype::f16 ? 0x1p-10 : 0x1p-7;
}

// What a rounded result may be off by: two units, and what n additions of doubles lose. Where the magnitudes add up to
// infinity, some orders of addition overflow and others do not.
bool is_near(const surface_case& c, double found, double wanted, const std::byte* elements) {
  double magnitudes = 0;
  if (c.op != multifold::op_kind::prod) {
    for (std::int64_t i = 0; i < c.length(); ++i) {
      magnitudes += std::fabs(real(c.type, elements + i * multifold::item_bytes(c.type)));
    }
    if (c.op == multifold::op_kind::mean) magnitudes /= static_cast<double>(c.length());
  }
  if (std::isinf(magnitudes)) return true;
  if (!std::isfinite(wanted)) return std::isnan(wanted) ? std::isnan(found) : found == wanted;
  const double bound =
      2 * unit_in_last_place(c.type) * std::fabs(wanted) + static_cast<double>(c.length()) * 0x1p-52 * magnitudes;
  return std::fabs(found - wanted) <= bound;
}

}  // namespace

walk kept_axes(const surface_case& c) { return walk_over(c, false); }
walk reduced_axes(const surface_case& c) { return walk_over(c, true); }

std::vector<std::int64_t> sampled(const surface_case& c, std::uint64_t seed, std::int64_t most_elements) {
  constexpr std::int64_t most = 64;
  const std::int64_t results = c.results(), count = std::min({most, most_elements / c.length(), results});
  std::vector<std::int64_t> sample;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::uint64_t drawn = hash(seed, static_cast<std::uint64_t>(i));
    sample.push_back(static_cast<std::int64_t>(drawn % static_cast<std::uint64_t>(results)));
  }
  if (count > 0) sample.back() = results - 1;
  return sample;
}

std::string difference(const surface_case& c, std::int64_t count, const std::vector<std::byte>& got,
                       const std::vector<std::byte>& x, const std::vector<std::byte>& y, const oracle& by) {
  const multifold::array_view rows = multifold::make_view(x.data(), c.type, {count, c.length()});
  const std::vector<std::byte> wanted = by(rows, y.empty() ? nullptr : y.data());
  const multifold::reduction what = reduction_of(c);
  const bool to_the_bit = multifold::always_exact(what) || multifold::gathers_exactly(what);
  const auto bytes = static_cast<std::size_t>(multifold::result_bytes(what));
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    const std::byte *const found = got.data() + i * bytes, *const right = wanted.data() + i * bytes;
    if (std::memcmp(found, right, bytes) == 0) continue;
    const std::byte* const elements =
        x.data() + i * static_cast<std::size_t>(c.length() * multifold::item_bytes(c.type));
    if (!to_the_bit && is_near(c, real(what.result, found), real(what.result, right), elements)) continue;
    char text[120];
    std::snprintf(text, sizeof text, "result %zu of those that were looked at is %.17g instead of %.17g", i,
                  real(what.result, found), real(what.result, right));
    return text;
  }
  return {};
}

double median_seconds(const std::function<double()>& run) {
  constexpr double long_time = 0.3;
  constexpr int runs = 5;
  std::vector<double> seconds{run()};
  if (seconds[0] > long_time) return seconds[0];
  seconds.clear();  // that one was the first to see its memory
  for (int i = 0; i < runs; ++i) seconds.push_back(run());
  return median(std::move(seconds));
}

}  // namespace bench::surface
