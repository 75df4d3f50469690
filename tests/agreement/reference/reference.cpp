// The walk over the elements of every batch.
#include "agreement/reference/reference.hpp"

#include <cstring>

#include "agreement/fold.hpp"
#include "agreement/reference/batch.hpp"
#include "agreement/reference/complex.hpp"
#include "agreement/reference/finisher.hpp"
#include "agreement/reference/logsumexp.hpp"
#include "agreement/reference/walk.hpp"

namespace multifold::agreement {
namespace {

needs needs_of(const trial& t) {
  needs n;
  if (t.way == entry::weighted) {
    n.sum = n.products = true;
    return n;
  }
  switch (t.op) {
    case op_kind::sum:
    case op_kind::mean: n.sum = true; break;
    case op_kind::prod: n.factors = true; break;
    case op_kind::min:
    case op_kind::max:
    case op_kind::argmin:
    case op_kind::argmax: n.extremes = true; break;
    case op_kind::norm1: n.magnitudes = true; break;
    case op_kind::sumsq:
    case op_kind::norm2:
    case op_kind::dot: n.products = true; break;
    case op_kind::var:
    case op_kind::std:
    case op_kind::cov: n.sum = n.products = true; break;
    case op_kind::describe: n.sum = n.products = n.extremes = true; break;
    case op_kind::any:
    case op_kind::all:
    case op_kind::count_nonzero: break;
  }
  n.bound = n.sum && is_rounded_on_the_way(t);
  return n;
}

void fold(const trial& t, const std::byte* x, expectation& into) {
  const walk_over elements(t);
  const std::int64_t item = item_bytes(t.type);
  into.type = t.type;
  into.bytes.resize(static_cast<std::size_t>(elements.results()) * sizeof(fingerprint));
  std::byte* out = into.bytes.data();
  fingerprint all;
  const auto add = [&](const offsets& at, std::int64_t index) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, x + at[0] * item, static_cast<std::size_t>(item));
    all.merge(fingerprint::of(bits, index));
    ++all.length;
  };
  elements.each_result(add, [&] {
    std::memcpy(out, &all, sizeof all);
    out += sizeof all;
    all = {};
  });
}

template <class Element, class Read>
void reduce_by(const trial& t, const std::byte* x, const std::byte* y, const Read& read, expectation& into) {
  const walk_over elements(t);
  const std::int64_t item = item_bytes(t.type), result_item = result_bytes_of(t);
  into.bytes.resize(static_cast<std::size_t>(elements.results() * result_item));
  const needs wanted = needs_of(t);
  const bool two = has_two_arrays(t);
  finisher<Element> finish(t, into);
  thread_local batch<Element> b;
  b.clear();
  std::byte* out = into.bytes.data();
  const auto add = [&](const offsets& at, std::int64_t index) {
    const Element a = read(x + at[0] * item);
    b.add(wanted, t.nan, a, two ? read(y + at[1] * item) : a, index);
  };
  elements.each_result(add, [&] {
    finish(b, out);
    out += result_item;
    b.clear();
  });
}

template <class Bits>
void reduce_reals(const trial& t, const std::byte* x, const std::byte* y, expectation& into) {
  const format f = format_of(t.type);
  reduce_by<real>(
      t, x, y,
      [f](const std::byte* at) {
        Bits bits;
        std::memcpy(&bits, at, sizeof bits);
        return real_of(bits, f);
      },
      into);
}

template <class Integer>
void reduce_integers(const trial& t, const std::byte* x, const std::byte* y, expectation& into) {
  const bool truth = t.type == dtype::boolean;
  reduce_by<int128_t>(
      t, x, y,
      [truth](const std::byte* at) -> int128_t {
        Integer value;
        std::memcpy(&value, at, sizeof value);
        return truth ? (value != 0 ? 1 : 0) : int128_t{value};
      },
      into);
}

}  // namespace

std::vector<bool> reduced_axes(const trial& t) {
  std::vector<bool> reduced(t.extents.size(), !t.axes);
  if (!t.axes) return reduced;
  const auto rank = static_cast<std::int64_t>(t.extents.size());
  for (const std::int64_t axis : *t.axes) reduced[static_cast<std::size_t>(axis < 0 ? axis + rank : axis)] = true;
  return reduced;
}

dtype result_type(const trial& t) {
  if (t.result) return *t.result;
  if (t.way == entry::logsumexp) return is_floating(t.type) ? t.type : dtype::f64;
  if (t.op == op_kind::any || t.op == op_kind::all) return dtype::boolean;
  if (t.op == op_kind::argmin || t.op == op_kind::argmax || t.op == op_kind::count_nonzero) return dtype::i64;
  if (is_floating(t.type) || t.op == op_kind::min || t.op == op_kind::max) return t.type;
  const bool real_valued = t.op == op_kind::mean || t.op == op_kind::norm2 || t.op == op_kind::var ||
                           t.op == op_kind::std || t.op == op_kind::cov || t.op == op_kind::describe;
  if (real_valued) return dtype::f64;
  return is_unsigned(t.type) ? dtype::u64 : dtype::i64;
}

bool is_rounded_on_the_way(const trial& t) {
  if (!is_floating(t.type)) return t.op == op_kind::prod && is_floating(result_type(t));
  const bool sum = t.op == op_kind::sum || t.op == op_kind::mean;
  return t.op == op_kind::prod || (sum && t.wanted == accuracy::fast);
}

std::int64_t result_bytes_of(const trial& t) {
  if (t.way == entry::fold) return sizeof(fingerprint);
  return t.op == op_kind::describe ? static_cast<std::int64_t>(sizeof(summary)) : item_bytes(result_type(t));
}

expectation expected(const trial& given, const std::byte* x, const std::byte* y) {
  if (given.way == entry::complex) return expected_complex(given, x, y);
  if (given.way == entry::logsumexp) return expected_logsumexp(given, x);
  expectation e;
  trial t = given;
  if (t.count) t.extents = {*t.count};
  e.type = result_type(t);
  const std::vector<bool> reduced = reduced_axes(t);
  for (std::size_t i = 0; i < reduced.size(); ++i) {
    if (!reduced[i]) e.extents.push_back(t.extents[i]);
    else if (is_cut(t)) e.extents.push_back(cut_count(t));
    else if (t.keepdims) e.extents.push_back(1);
  }
  if (t.way == entry::fold) {
    fold(t, x, e);
    return e;
  }
  switch (t.type) {
    case dtype::boolean:
    case dtype::u8: reduce_integers<std::uint8_t>(t, x, y, e); break;
    case dtype::i8: reduce_integers<std::int8_t>(t, x, y, e); break;
    case dtype::i16: reduce_integers<std::int16_t>(t, x, y, e); break;
    case dtype::i32: reduce_integers<std::int32_t>(t, x, y, e); break;
    case dtype::i64: reduce_integers<std::int64_t>(t, x, y, e); break;
    case dtype::u16: reduce_integers<std::uint16_t>(t, x, y, e); break;
    case dtype::u32: reduce_integers<std::uint32_t>(t, x, y, e); break;
    case dtype::u64: reduce_integers<std::uint64_t>(t, x, y, e); break;
    case dtype::f16:
    case dtype::bf16: reduce_reals<std::uint16_t>(t, x, y, e); break;
    case dtype::f32: reduce_reals<std::uint32_t>(t, x, y, e); break;
    case dtype::f64: reduce_reals<std::uint64_t>(t, x, y, e); break;
  }
  return e;
}

}  // namespace multifold::agreement
