#include "surface_case.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <sstream>
#include <stdexcept>

namespace bench::surface {
namespace {

using multifold::accuracy;
using multifold::dtype;
using multifold::op_kind;

constexpr std::array<std::string_view, 8> family_names{"normal",  "product",  "zeros",      "sigma_1",
                                                       "sigma_3", "sigma_10", "any_finite", "integers"};
constexpr std::array<op_kind, 18> ops{
    op_kind::sum,  op_kind::prod,  op_kind::min,      op_kind::max,   op_kind::argmin, op_kind::argmax,
    op_kind::mean, op_kind::norm1, op_kind::sumsq,    op_kind::norm2, op_kind::var,    op_kind::std,
    op_kind::dot,  op_kind::cov,   op_kind::describe, op_kind::any,   op_kind::all,    op_kind::count_nonzero};

// SplitMix64 (Steele, Lea and Flood 2014): one stream for each case.
class chance {
 public:
  chance(std::uint64_t seed, std::int64_t number)
      : state_(seed * 0x9e3779b97f4a7c15u + static_cast<std::uint64_t>(number)) {
    bits();
  }
  std::uint64_t bits() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  std::int64_t below(std::int64_t n) { return static_cast<std::int64_t>(bits() % static_cast<std::uint64_t>(n)); }
  double unit() { return static_cast<double>(bits() >> 11) * 0x1p-53; }
  /// As many in each power of two, odd ones as likely as even ones.
  std::int64_t log_uniform(double least, double most) {
    if (most <= least) return static_cast<std::int64_t>(least);
    const auto drawn =
        static_cast<std::int64_t>(std::exp2(std::log2(least) + unit() * (std::log2(most) - std::log2(least))));
    const std::int64_t parity = below(2);
    return std::max(static_cast<std::int64_t>(least), drawn / 2 * 2 + parity);
  }

 private:
  std::uint64_t state_;
};

void draw_rows(surface_case& c, double elements, chance& by) {
  const std::int64_t length = by.log_uniform(2, elements);
  c.extents = {std::max<std::int64_t>(1, static_cast<std::int64_t>(elements) / length), length};
  c.axes = {1};
}

void draw_middle(surface_case& c, double elements, chance& by) {
  const std::int64_t inner = by.log_uniform(2, elements / 2);
  const std::int64_t length = by.log_uniform(2, elements / static_cast<double>(inner));
  c.extents = {std::max<std::int64_t>(1, static_cast<std::int64_t>(elements) / length / inner), length, inner};
  c.axes = {1};
}

void draw_tensor(surface_case& c, double elements, chance& by) {
  const auto rank = static_cast<std::size_t>(3 + by.below(3));
  std::vector<double> shares;
  for (std::size_t axis = 0; axis < rank; ++axis) shares.push_back(0.1 + by.unit());
  const double all = std::accumulate(shares.begin(), shares.end(), 0.0);
  for (const double share : shares) {
    const double extent = std::exp2(std::log2(elements) * share / all);
    c.extents.push_back(std::max<std::int64_t>(2, static_cast<std::int64_t>(extent) / 2 * 2 + by.below(2)));
  }
  while (c.axes.empty()) {
    for (std::size_t axis = 0; axis < rank; ++axis) {
      if (by.below(2) == 0) c.axes.push_back(static_cast<std::int64_t>(axis));
    }
  }
}

template <class T>
std::string listed(const std::vector<T>& list, char between) {
  std::string text;
  for (const T& each : list) text += (text.empty() ? "" : std::string(1, between)) + std::to_string(each);
  return text;
}

std::vector<std::int64_t> list_of(std::string text, char between) {
  std::replace(text.begin(), text.end(), between, ' ');
  std::istringstream words(text);
  std::vector<std::int64_t> list;
  for (std::int64_t each; words >> each;) list.push_back(each);
  if (!words.eof()) throw std::invalid_argument("no list of numbers: " + text);
  return list;
}

bool is_order(std::vector<std::int64_t> order, std::size_t rank) {
  std::sort(order.begin(), order.end());
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (order[i] != static_cast<std::int64_t>(i)) return false;
  }
  return order.size() == rank;
}

}  // namespace

std::string_view name(family f) noexcept { return family_names[static_cast<std::size_t>(f)]; }

std::int64_t surface_case::elements() const { return multifold::element_count(extents); }
std::int64_t surface_case::bytes() const { return elements() * multifold::item_bytes(type) * arrays(); }
std::int64_t surface_case::results() const {
  std::int64_t kept = 1;
  for (std::size_t axis = 0; axis < extents.size(); ++axis) {
    if (std::find(axes.begin(), axes.end(), static_cast<std::int64_t>(axis)) == axes.end()) kept *= extents[axis];
  }
  return kept;
}

surface_case draw(std::uint64_t seed, std::int64_t number, const sizes& of) {
  chance by(seed, number);
  surface_case c;
  c.type = static_cast<dtype>(by.below(13));
  if (by.below(2) == 0) c.type = static_cast<dtype>(9 + by.below(4));  // floating point more often than not
  c.op = ops[static_cast<std::size_t>(by.below(ops.size()))];
  const bool real = multifold::is_floating(c.type);
  if (real && multifold::has_exact_form(c.op) && by.below(5) == 0) c.numerics = accuracy::fast;
  c.data = real ? static_cast<family>(by.below(7)) : family::integers;
  c.shift = by.below(4) == 0 ? 1 : 0;
  const double bytes = std::exp2(std::log2(static_cast<double>(of.least)) +
                                 by.unit() * std::log2(static_cast<double>(of.most) / static_cast<double>(of.least)));
  const double elements = bytes / static_cast<double>(multifold::item_bytes(c.type) * c.arrays());
  const std::int64_t kind = by.below(3);
  if (kind == 0) draw_rows(c, elements, by);
  else if (kind == 1) draw_middle(c, elements, by);
  else draw_tensor(c, elements, by);
  c.order.resize(c.extents.size());
  std::iota(c.order.begin(), c.order.end(), 0);
  if (kind == 2) {
    for (std::size_t i = c.order.size(); i > 1; --i) {
      std::swap(c.order[i - 1], c.order[static_cast<std::size_t>(by.below(static_cast<std::int64_t>(i)))]);
    }
  }
  return c;
}

std::string text_of(const surface_case& c) {
  std::ostringstream text;
  text << multifold::name(c.op) << ' ' << multifold::name(c.type) << ' ' << multifold::name(c.numerics) << ' '
       << listed(c.extents, 'x') << ' ' << listed(c.order, ',') << ' ' << listed(c.axes, ',') << " +" << c.shift << ' '
       << name(c.data);
  return text.str();
}

surface_case parse(const std::string& text) {
  std::istringstream words(text);
  std::string op, type, numerics, extents, order, axes, shift, data;
  words >> op >> type >> numerics >> extents >> order >> axes >> shift >> data;
  surface_case c;
  const auto known_op = multifold::parse_op(op);
  const auto known_type = multifold::parse_dtype(type);
  const auto known_data = std::find(family_names.begin(), family_names.end(), data);
  if (!known_op || !known_type || known_data == family_names.end() || shift.empty() || shift[0] != '+' ||
      (numerics != "exact" && numerics != "fast")) {
    throw std::invalid_argument("no case: " + text);
  }
  c.op = *known_op;
  c.type = *known_type;
  c.numerics = numerics == "fast" ? accuracy::fast : accuracy::exact;
  c.extents = list_of(extents, 'x');
  c.order = list_of(order, ',');
  c.axes = list_of(axes, ',');
  c.shift = list_of(shift.substr(1), ',').at(0);
  c.data = static_cast<family>(known_data - family_names.begin());
  const auto rank = static_cast<std::int64_t>(c.extents.size());
  const bool extents_right = std::all_of(c.extents.begin(), c.extents.end(), [](std::int64_t n) { return n > 0; });
  const bool axes_right = std::all_of(c.axes.begin(), c.axes.end(), [&](std::int64_t a) { return a >= 0 && a < rank; });
  if (!extents_right || !axes_right || c.shift < 0 || !is_order(c.order, c.extents.size()) ||
      multifold::is_floating(c.type) != (c.data != family::integers)) {
    throw std::invalid_argument("no case: " + text);
  }
  return c;
}

multifold::array_view view_of(const surface_case& c, const void* data, multifold::place where) {
  multifold::array_view view = multifold::make_view(data, c.type, c.extents, where);
  std::int64_t stride = 1;
  for (std::size_t i = c.order.size(); i-- > 0;) {
    const auto axis = static_cast<std::size_t>(c.order[i]);
    view.strides[axis] = stride;
    stride *= c.extents[axis];
  }
  return view;
}

multifold::reduction reduction_of(const surface_case& c) {
  return multifold::make_reduction(c.op, c.type, multifold::nan_policy::propagate, c.numerics);
}

}  // namespace bench::surface
