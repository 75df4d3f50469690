// But for exact sums both engines have the same accumulators, since they run the same structs.
#include "host/whole_accumulators.hpp"

#include "host/exact_gather.hpp"

namespace multifold::host {
namespace {

template <class T, bool Omit>
void merge_sums(const fold& f, std::byte* into, const std::byte* from, std::int64_t count) {
  const auto& op = *reinterpret_cast<const exact_gather<T, Omit>*>(f.op);
  auto* const a = reinterpret_cast<typename exact_gather<T, Omit>::accumulator*>(into);
  const auto* const b = reinterpret_cast<const exact_sum<T>*>(from);
  for (std::int64_t i = 0; i < count; ++i) op.merge_whole(a[i], b[i]);
}

}  // namespace

void merge_whole(const fold& f, const reduction& what, std::byte* into, const std::byte* from, std::int64_t count) {
  if (!gathers_exactly(what)) return f.merge(into, from, count);
  visit_dtype(what.input, [&]<class T>() {
    if constexpr (floating_storage<T>) {
      if (what.nan == nan_policy::omit) merge_sums<T, true>(f, into, from, count);
      else merge_sums<T, false>(f, into, from, count);
    }
  });
}

}  // namespace multifold::host
