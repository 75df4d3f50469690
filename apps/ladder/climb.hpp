// The ladder as it was climbed: what each rung took, and whether its result was right. Reports are made of this alone.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "counters.hpp"
#include "multifold/dtype.hpp"
#include "multifold/reduction.hpp"

namespace multifold::ladder {

/// What is reduced: `count` elements that are made of their indices alone (numbers.hpp); two arrays for a dot product.
struct problem {
  dtype type = dtype::f32;    // f32, f64 or i32
  op_kind op = op_kind::sum;  // sum, max or dot
  std::int64_t count = 0;

  int arrays() const { return op == op_kind::dot ? 2 : 1; }
  std::int64_t bytes() const { return count * item_bytes(type) * arrays(); }
};

/// Seconds of several runs.
struct timing {
  double median = 0, least = 0, greatest = 0;
};

inline timing timing_of(std::vector<double> seconds) {
  std::sort(seconds.begin(), seconds.end());
  return {seconds[seconds.size() / 2], seconds.front(), seconds.back()};
}

/// A rung that was stood on.
struct step {
  int number = 0;
  std::string name;
  std::string file;        // of its source, in this folder: "rungs/03_sequential.cuh"
  std::string gain;        // one line: what it does better than the rung below
  std::string defect;      // one line: what is still in its way; empty at the top
  std::int64_t count = 0;  // elements it was timed with: the slowest take fewer
  std::int64_t bytes = 0;  // of those
  timing took;
  timing brief;         // for the first brief_elements of them; zeros if that was not timed
  std::string value;    // its result, in decimals
  double ulps = 0;      // between its result and the exact one, in units of the last place of that
  bool right = false;   // within the bound that its order of additions has
  std::string why_not;  // it could not be run here; no figure above is known then

  std::optional<std::string> against;  // whom its gain is over, by name: else the rung below; empty: a job of its own
  std::string no_gain;                 // one line: why it may be no faster than that

  double rate() const { return took.median > 0 ? static_cast<double>(bytes) / took.median : 0; }
};

/// One way of adding, again and again in orders left to chance.
struct order_trial {
  std::string name;
  int runs = 0;
  int patterns = 0;  // different results, by bits
  double least_ulps = 0, greatest_ulps = 0;
  timing took;
};

/// A ladder, bottom to top.
struct climb {
  std::string title;  // "The GPU's ladder"
  std::string machine;
  problem what;
  std::string exact;  // the correctly rounded result, in decimals
  double roof = 0;    // bytes a second of a plain read
  std::string roof_name;
  std::vector<step> steps;
  std::vector<order_trial> orders;  // of f32 sums; empty for other problems
  std::string orders_about;
  counters_record counted;  // what a profiler said of some rungs, on its own day and machine
};

/// Elements of an array so short that launches and ends of kernels are what counts.
inline constexpr std::int64_t brief_elements = 1 << 16;

/// The rung that the gain of c.steps[i] is over; none if it was not run, or the rung has a job of its own.
inline const step* compared_with(const climb& c, std::size_t i) {
  const std::optional<std::string>& against = c.steps[i].against;
  if (!c.steps[i].why_not.empty()) return nullptr;
  while (i-- > 0) {
    const step& lower = c.steps[i];
    if (lower.why_not.empty() && lower.rate() > 0 && (!against || lower.name == *against)) return &lower;
  }
  return nullptr;
}

/// How many times as fast as that one; 0 without one.
inline double gain_of(const climb& c, std::size_t i) {
  const step* const other = compared_with(c, i);
  return other != nullptr ? c.steps[i].rate() / other->rate() : 0;
}

/// Whether it is so little that the reader is owed a reason.
inline bool hardly_gains(const climb& c, std::size_t i) {
  constexpr double noticeable = 1.02;
  const double gain = gain_of(c, i);
  return gain > 0 && gain < noticeable && !c.steps[i].no_gain.empty();
}

}  // namespace multifold::ladder
