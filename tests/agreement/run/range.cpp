// The functions of ranges.hpp: of spans where elements are neighbours, else of views.
#include <cmath>
#include <cstring>
#include <span>
#include <string>

#include "agreement/reference/finisher.hpp"
#include "agreement/run/attempt.hpp"
#include "agreement/worker.hpp"
#include "multifold/ranges.hpp"

namespace multifold::agreement {
namespace {

template <class T>
struct strided {
  array_view view;
};

}  // namespace
}  // namespace multifold::agreement

template <class T>
struct multifold::array_traits<multifold::agreement::strided<T>> {
  using element_type = T;
  static array_view view(const agreement::strided<T>& a) { return a.view; }
};

namespace multifold::agreement {
namespace {

template <class T>
exact_number number_of_element(T x) {
  if constexpr (floating_storage<T>) return number_of(to_double(x));
  else if constexpr (std::is_same_v<T, bool8>) return exact_number::of_integer(x.bits != 0 ? 1 : 0);
  else return exact_number::of_integer(integer_of(static_cast<int128_t>(x)));
}

// max - min, by the reference's numbers.
template <class T, class Result>
bool is_difference(T greatest, T least, Result found) {
  exact_number a = number_of_element(greatest), b = number_of_element(least), difference = exact_number::of_nan();
  const auto finite = [](const exact_number& x) { return x.what == exact_number::kind::finite; };
  b.numerator = -b.numerator;
  if (finite(a) && finite(b)) difference = moved(a, b);
  else if (a.what != exact_number::kind::nan && b.what != exact_number::kind::nan &&
           (finite(a) || finite(b) || a.negative != b.negative))
    difference = exact_number::of_infinity(finite(a) ? !b.negative : a.negative);
  std::byte bytes[8];
  return put(difference, dtype_of<Result>, bytes) && std::memcmp(bytes, &found, sizeof found) == 0;
}

// Both extremes of one read, and what lies between them.
template <class Array, class T>
std::string extremes_damage(const Array& x, op_kind op, T single) {
  const auto [least, greatest] = minmax(x);
  const T same = op == op_kind::min ? least : greatest;
  if (std::memcmp(&same, &single, sizeof single) != 0) return "minmax has another extreme";
  try {
    if (!is_difference(greatest, least, ptp(x))) return "ptp is not the difference of the extremes";
  } catch (const overflow_error&) {
    std::int64_t wide = 0;
    if (is_difference(greatest, least, wide)) return "ptp does not fit";
    exact_number a = number_of_element(greatest), b = number_of_element(least);
    b.numerator = -b.numerator;
    std::byte bytes[8];
    if (put(moved(a, b), dtype_of<result_of<op_kind::sum, T>>, bytes)) return "ptp overflows, and fits";
  }
  return "";
}

template <class T, class Real, class Sum>
summary raw_of(const statistics<T, Real, Sum>& s) {
  summary raw{};
  raw.count = s.count, raw.nan = s.nan, raw.zero = s.zero;
  raw.positive_infinity = s.positive_infinity, raw.negative_infinity = s.negative_infinity;
  raw.argmin = s.argmin, raw.argmax = s.argmax;
  std::memcpy(raw.min, &s.min, sizeof s.min);
  std::memcpy(raw.max, &s.max, sizeof s.max);
  std::memcpy(raw.sum, &s.sum, sizeof s.sum);
  std::memcpy(raw.mean, &s.mean, sizeof s.mean);
  std::memcpy(raw.std, &s.std, sizeof s.std);
  std::memcpy(raw.norm2, &s.norm2, sizeof s.norm2);
  return raw;
}

template <class Result>
void keep_value(const Result& value, dtype type, outcome& got) {
  got.type = type;
  got.bytes.resize(sizeof value);
  std::memcpy(got.bytes.data(), &value, sizeof value);
}

template <class Array>
void call(const trial& t, const Array& x, const Array& y, outcome& got) {
  using T = element_type_of<Array>;
  const auto with = [&](const auto& value) { keep_value(value, dtype_of<std::remove_cvref_t<decltype(value)>>, got); };
  switch (t.op) {
    case op_kind::sum: return with(sum(x));
    case op_kind::prod: return with(prod(x));
    case op_kind::min:
    case op_kind::max: {
      const T single = t.op == op_kind::min ? min(x) : max(x);
      got.damage = extremes_damage(x, t.op, single);
      return with(single);
    }
    case op_kind::argmin: return with(argmin(x));
    case op_kind::argmax: return with(argmax(x));
    case op_kind::mean: return with(mean(x));
    case op_kind::norm1: return with(norm1(x));
    case op_kind::sumsq: return with(sumsq(x));
    case op_kind::norm2: return with(norm2(x));
    case op_kind::var: return with(var(x, t.correction));
    case op_kind::std: return with(stddev(x, t.correction));
    case op_kind::dot: return with(dot(x, y));
    case op_kind::cov: return with(cov(x, y, t.correction));
    case op_kind::describe:
      return keep_value(raw_of(describe(x, t.correction)), default_result_dtype(op_kind::describe, t.type), got);
    case op_kind::any: return with(any(x));
    case op_kind::all: return with(all(x));
    case op_kind::count_nonzero: return with(count_nonzero(x));
  }
}

}  // namespace

outcome run_range(const trial& t, const laid_out& arrays) {
  return attempt([&](outcome& got) {
    visit_dtype(t.type, [&]<class T>() {
      const auto neighbours = [&](const std::vector<std::int64_t>& strides) {
        return t.extents.size() == 1 && (t.extents[0] <= 1 || strides[0] == 1);
      };
      if (neighbours(t.strides) && (!has_two_arrays(t) || neighbours(second_strides(t)))) {
        const auto of = [&](std::byte* first) {
          return std::span<const T>(reinterpret_cast<const T*>(first), static_cast<std::size_t>(elements_of(t)));
        };
        return call(t, of(arrays.x), of(arrays.y), got);
      }
      call(t, strided<T>{{arrays.x, t.type, t.extents, t.strides}},
           strided<T>{{arrays.y, t.type, t.extents, second_strides(t)}}, got);
    });
  });
}

}  // namespace multifold::agreement
