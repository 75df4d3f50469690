// The slow and obviously right reduction: elements by odometer over logical indices, exact integers, one rounding.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "agreement/trial/trial.hpp"
#include "multifold/summary.hpp"

namespace multifold::agreement {

/// Between which numbers a result has to lie that need not be the nearest.
struct tolerance {
  bool may_overflow = false;  // partial results may leave double, and end as an infinity or NaN
  bool any_nan = false;       // it is NaN, of any bits
  double low = 0, high = 0;
};

/// What has to come.
struct expectation {
  bool overflow = false;  // some result does not fit
  bool empty = false;     // some result has no value
  std::vector<std::int64_t> extents;
  dtype type = dtype::f32;
  std::vector<std::byte> bytes;
  std::vector<tolerance> inexact;  // one a result; empty where bytes have to be equal
};

/// `entry::fold` comes to a struct fingerprint a result, and `entry::counted` to that of the first `count` elements.
/// `x` and `y` are the first elements of the views; y of operations that take two.
expectation expected(const trial& t, const std::byte* x, const std::byte* y);

/// Bytes of one result.
std::int64_t result_bytes_of(const trial& t);
/// The axes that are reduced, as flags.
std::vector<bool> reduced_axes(const trial& t);
dtype result_type(const trial& t);
/// Whether the library may round on the way.
bool is_rounded_on_the_way(const trial& t);

}  // namespace multifold::agreement
