// What kernels of parts gather, of floating point and of integers.
#pragma once

#include <cstdint>

#include "device/moments/parts/integer_lane.cuh"
#include "device/moments/parts/part_lane.cuh"
#include "device/moments/parts/part_totals.cuh"
#include "device/moments/tiles/output.cuh"

namespace multifold::inline v0_1::cuda::moments {

/// Integers have no errors that would depend on how many terms there are.
struct no_terms {
  MULTIFOLD_HD explicit no_terms(std::int64_t, std::int64_t = 0) {}
};
/// What the bits of floating point stand for, its dtype says.
struct no_kind {};

/// `Signed`: as of part_lane.
template <class T, moment_set Set, bool Signed = false>
struct gathered {
  using part = moment_partial<partial_carrier_of<T>, Set>;
  using terms = no_terms;
  using fold = moment_fold<T, Set>;
  using output = moment_output<partial_carrier_of<T>, Set>;
  template <class Element>
  using lane_of = integer_lane<Element, T, Set>;
  using lane = lane_of<key_of<T>>;

  /// f.operator()<Lane>() with the lane of the elements that there are.
  template <class F>
  __device__ __forceinline__ static decltype(auto) with_lane(const fold& kind, const F& f) {
    return kind.with_element([&]<class Element>(Element) { return f.template operator()<lane_of<Element>>(); });
  }
  __device__ static void deliver(const output& to, std::int64_t batch, std::int64_t, const part& of, const terms&) {
    to(kernels::no_value{}, batch, of);
  }
};
template <floating_storage T, moment_set Set, bool Signed>
struct gathered<T, Set, Signed> {
  using part = moment_part<Set>;
  using terms = kernels::part_terms;
  using fold = no_kind;
  using output = moment_output<carrier_of<T>, Set>;
  using lane = kernels::part_lane<T, Set, Signed>;

  template <class F>
  __device__ __forceinline__ static decltype(auto) with_lane(fold, const F& f) {
    return f.template operator()<lane>();
  }
  template <class Output>
  __device__ static void deliver(const Output& to, std::int64_t batch, std::int64_t n, const part& of,
                                 const terms& by) {
    near_totals totals;
    totals.lost = !totals_of<T, Set, Signed>(of, n, by, totals);
    to(kernels::no_value{}, batch, totals);
  }
};
template <storage_type T, moment_set Set>
using output_of_parts = typename gathered<T, Set>::output;

}  // namespace multifold::inline v0_1::cuda::moments
