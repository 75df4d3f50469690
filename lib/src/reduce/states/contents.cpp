// The families of states, and what merges their records.
#include "reduce/states/contents.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <string>
#include <utility>

#include "multifold/error.hpp"
#include "multifold/ops/merged.hpp"

namespace multifold::inline v0_1::detail {
namespace {

// The first operation of each family, and what the family is called.
struct family_row {
  op_kind op;
  const char* name;
};
constexpr std::array<family_row, 13> families{{{op_kind::sum, "sum and mean"},
                                               {op_kind::prod, "prod"},
                                               {op_kind::min, "min"},
                                               {op_kind::max, "max"},
                                               {op_kind::argmin, "argmin"},
                                               {op_kind::argmax, "argmax"},
                                               {op_kind::any, "any, all and count_nonzero"},
                                               {op_kind::norm1, "norm1"},
                                               {op_kind::sumsq, "sumsq and norm2"},
                                               {op_kind::var, "var and std"},
                                               {op_kind::dot, "dot"},
                                               {op_kind::cov, "cov"},
                                               {op_kind::describe, "describe"}}};

const family_row& row_of(state_family family) { return families[static_cast<std::size_t>(family) - 1]; }

void require_same_kind(const state_contents& a, const state_contents& b) {
  const bool same_nan = a.nan == b.nan || (a.is_exact_sum() && b.is_exact_sum());
  if (a.family == b.family && a.element == b.element && a.extents == b.extents && same_nan) return;
  const auto text = [&](const state_contents& c) {
    return c.name() + (same_nan ? "" : c.nan == nan_policy::omit ? " without its NaN" : " with its NaN");
  };
  throw format_error("found the state of " + text(b) + "; expected one of " + text(a));
}

// Of both, in ascending order, joined where one begins at the other's end.
std::vector<index_run> joined(const std::vector<index_run>& a, const std::vector<index_run>& b) {
  std::vector<index_run> all;
  std::merge(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(all),
             [](const index_run& x, const index_run& y) { return x.first < y.first; });
  std::vector<index_run> made;
  for (const index_run& next : all) {
    if (made.empty() || next.first - made.back().first > made.back().count) {
      made.push_back(next);
      continue;
    }
    index_run& last = made.back();
    if (next.first - last.first < last.count) {
      throw shape_error("both states hold element " + std::to_string(next.first) +
                        " of each batch: say where a part begins, by state::move");
    }
    last.count += next.count;
  }
  return made;
}

}  // namespace

state_family state_family_of(op_kind op) noexcept {
  switch (op) {
    case op_kind::sum:
    case op_kind::mean: return state_family::sums;
    case op_kind::prod: return state_family::products;
    case op_kind::min: return state_family::minima;
    case op_kind::max: return state_family::maxima;
    case op_kind::argmin: return state_family::first_minima;
    case op_kind::argmax: return state_family::first_maxima;
    case op_kind::any:
    case op_kind::all:
    case op_kind::count_nonzero: return state_family::tallies;
    case op_kind::norm1: return state_family::magnitudes;
    case op_kind::sumsq:
    case op_kind::norm2: return state_family::squares;
    case op_kind::var:
    case op_kind::std: return state_family::spreads;
    case op_kind::dot: return state_family::pairs;
    case op_kind::cov: return state_family::joints;
    case op_kind::describe: break;
  }
  return state_family::descriptions;
}

// To all, NaN is one that is not zero, whether it is omitted or not.
nan_policy kept_policy(op_kind op, dtype element, nan_policy nan) noexcept {
  return is_floating(element) && op != op_kind::all ? nan : nan_policy::propagate;
}

reduction state_contents::what() const { return make_reduction(row_of(family).op, element, nan); }

bool state_contents::keeps_indices() const noexcept { return order_of(row_of(family).op) == element_order::indexed; }

bool state_contents::is_exact_sum() const noexcept {
  return family == state_family::sums && is_floating(element) && extents.empty();
}

std::string state_contents::name() const {
  const std::string of = std::string(row_of(family).name) + " of " + std::string(multifold::name(element));
  return extents.empty() ? of : of + " to " + to_string(extents);
}

state_contents empty_contents(op_kind op, dtype element, std::vector<std::int64_t> extents, nan_policy nan) {
  state_contents made{state_family_of(op), element, kept_policy(op, element, nan), std::move(extents), 0, {}, {}};
  if (made.is_exact_sum()) made.nan = nan_policy::propagate;
  if (made.extents.size() > most_state_extents) {
    throw shape_error("a state has at most " + std::to_string(most_state_extents) + " extents, not " +
                      std::to_string(made.extents.size()));
  }
  const std::int64_t results = element_count(made.extents), each = record_bytes(made.what());
  if (each == 0) {
    throw unsupported_error("there are no states of " + made.name() + ": products of floating point are rounded");
  }
  if (static_cast<int128_t>(results) * each > INT64_MAX) {
    throw shape_error("a state of " + made.name() + " has more than 2^63 - 1 bytes");
  }
  made.records.resize(static_cast<std::size_t>(results * each));
  visit_fold(made.what(), [&]<class Op>(const Op& fold) {
    if constexpr (has_state_record<Op>) {
      for (std::int64_t i = 0; i < results; ++i) {
        state_record<Op>::put(fold, fold.identity(), 0, record_writer(made.records.data() + i * each));
      }
    }
  });
  return made;
}

state_contents kept_contents(const reduction& what, const std::vector<std::int64_t>& extents, std::int64_t count,
                             std::span<const std::byte> left) {
  state_contents made{
      state_family_of(what.op), what.input, kept_policy(what.op, what.input, what.nan), extents, count, {}, {}};
  if (what.as_state) {
    state_contents sum = contents_of_sum(left);
    if (made.is_exact_sum()) return sum;
    made.records = std::move(sum.records);
    return made;
  }
  made.records.assign(left.begin(), left.end());
  if (made.keeps_indices() && count > 0) made.runs = {{0, count}};
  return made;
}

void move(state_contents& contents, std::int64_t by) {
  if (!contents.keeps_indices() || by == 0 || contents.runs.empty()) return;
  const index_run& last = contents.runs.back();
  if (by > INT64_MAX - last.count - last.first || by < -contents.runs.front().first) {
    throw shape_error("indices of " + contents.name() + " that are moved by " + std::to_string(by) +
                      " leave 0 to 2^63 - 1");
  }
  state_contents moved = contents;
  for (index_run& r : moved.runs) r.first += by;
  visit_fold(contents.what(), [&]<class Op>(const Op& fold) {
    if constexpr (has_state_record<Op> && keeps_index<Op>) {
      using record = state_record<Op>;
      for (std::size_t at = 0; at < contents.records.size(); at += record::bytes) {
        const auto there = fold.moved(record::get(fold, {contents.records.data() + at, at}, contents.context()), by);
        record::put(fold, there, contents.count, record_writer(moved.records.data() + at));
      }
    }
  });
  contents = std::move(moved);
}

void set_counts(state_contents& contents, std::vector<std::int64_t> counts) {
  const bool alike = std::adjacent_find(counts.begin(), counts.end(), std::not_equal_to<>()) == counts.end();
  contents.count = alike && !counts.empty() ? counts.front() : 0;
  contents.counts = alike ? std::vector<std::int64_t>() : std::move(counts);
}

void merge(state_contents& into, const state_contents& other) {
  require_same_kind(into, other);
  state_contents merged = into;
  std::vector<std::int64_t> counts(into.counts.empty() && other.counts.empty() ? 1 : element_count(into.extents));
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const auto result = static_cast<std::int64_t>(i);
    if (__builtin_add_overflow(into.count_of(result), other.count_of(result), &counts[i])) {
      throw overflow_error("a state counts at most 2^63 - 1 elements of each result; keep more in several states");
    }
  }
  set_counts(merged, std::move(counts));
  merged.runs = joined(into.runs, other.runs);
  visit_fold(into.what(), [&]<class Op>(const Op& fold) {
    if constexpr (has_state_record<Op>) {
      using record = state_record<Op>;
      into.for_each_record(record::bytes, [&](std::int64_t i, std::size_t at) {
        const auto both = fold.combine(record::get(fold, {into.records.data() + at, at}, into.context(i)),
                                       record::get(fold, {other.records.data() + at, at}, other.context(i)));
        record::put(fold, both, merged.count_of(i), record_writer(merged.records.data() + at));
      });
    }
  });
  into = std::move(merged);
}

}  // namespace multifold::inline v0_1::detail
