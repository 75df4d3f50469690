// What one read of an array tells about it: the result of op_kind::describe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "multifold/dtype.hpp"

namespace multifold::inline v0_1 {

/// The statistics of one batch. With nan_policy::omit, NaN elements are counted in `nan` and take no part in anything
/// else; with propagate they do, so that every statistic but the counts, argmin and argmax is NaN.
///
/// Numbers lie at the start of their eight bytes: least and greatest in the dtype of the elements, `sum` in
/// summary_sum_dtype, the others in the result dtype. All of them are correctly rounded.
struct summary {
  std::int64_t count;  // elements that take part
  std::int64_t nan, positive_infinity, negative_infinity, zero;
  std::int64_t argmin, argmax;  // as op_kind argmin and argmax give them; -1 if no element takes part
  alignas(8) std::byte min[8];  // zeros if no element takes part
  alignas(8) std::byte max[8];
  alignas(8) std::byte sum[8];
  alignas(8) std::byte mean[8];
  alignas(8) std::byte std[8];  // of the reduction's correction
  alignas(8) std::byte norm2[8];
};

/// The same as numbers: of elements T, with reals and a sum of these types.
template <storage_type T, storage_type Real, storage_type Sum>
struct statistics {
  std::int64_t count, nan, positive_infinity, negative_infinity, zero, argmin, argmax;
  T min, max;
  Sum sum;
  Real mean, std, norm2;

  explicit statistics(const summary& raw) noexcept
      : count(raw.count),
        nan(raw.nan),
        positive_infinity(raw.positive_infinity),
        negative_infinity(raw.negative_infinity),
        zero(raw.zero),
        argmin(raw.argmin),
        argmax(raw.argmax) {
    std::memcpy(&min, raw.min, sizeof min);
    std::memcpy(&max, raw.max, sizeof max);
    std::memcpy(&sum, raw.sum, sizeof sum);
    std::memcpy(&mean, raw.mean, sizeof mean);
    std::memcpy(&this->std, raw.std, sizeof this->std);
    std::memcpy(&norm2, raw.norm2, sizeof norm2);
  }
};

}  // namespace multifold::inline v0_1
