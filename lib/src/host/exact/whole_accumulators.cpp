// But for exact sums of floating point and moments both engines have the same accumulators, since they run the same
// structs.
#include "host/exact/whole_accumulators.hpp"

#include "host/exact/gather.hpp"
#include "host/moments/integers/partial.hpp"
#include "multifold/ops/visit.hpp"

namespace multifold::inline v0_1::host {
namespace {

template <class T, bool Omit>
void merge_sums(const fold& f, std::byte* into, const std::byte* from, std::int64_t count) {
  const auto& op = *reinterpret_cast<const exact_gather<T, Omit>*>(f.op);
  auto* const a = reinterpret_cast<typename exact_gather<T, Omit>::accumulator*>(into);
  const auto* const b = reinterpret_cast<const exact_sum<T>*>(from);
  for (std::int64_t i = 0; i < count; ++i) op.merge_whole(a[i], b[i]);
}

template <class T, moment_set Set>
void merge_moments(const fold& f, std::byte* into, const std::byte* from, std::int64_t count) {
  const auto* const b = reinterpret_cast<const moment_sums<T, Set>*>(from);
  if constexpr (floating_storage<T>) {
    using op_type = moment_gather<T, Set>;
    const auto& op = *reinterpret_cast<const op_type*>(f.op);
    auto* const a = reinterpret_cast<typename op_type::accumulator*>(into);
    for (std::int64_t i = 0; i < count; ++i) op.spill(a[i]).merge(b[i]);
  } else {
    using op_type = integer_gather<T, Set>;
    auto* const a = reinterpret_cast<typename op_type::accumulator*>(into);
    for (std::int64_t i = 0; i < count; ++i) op_type::merge_whole(a[i], b[i]);
  }
}

}  // namespace

void merge_whole(const fold& f, const reduction& what, std::byte* into, const std::byte* from, std::int64_t count) {
  const bool moments = family_of(what) == op_family::moments;
  if (!gathers_exactly(what) && !moments) return f.merge(into, from, count);
  visit_dtype(what.input, [&]<class T>() {
    if (moments) {
      visit_fold<op_family::moments, T>(
          what, [&]<moment_set Set>(const exact_moments<T, Set>&) { merge_moments<T, Set>(f, into, from, count); });
    } else if constexpr (floating_storage<T>) {
      if (what.nan == nan_policy::omit) merge_sums<T, true>(f, into, from, count);
      else merge_sums<T, false>(f, into, from, count);
    }
  });
}

}  // namespace multifold::inline v0_1::host
