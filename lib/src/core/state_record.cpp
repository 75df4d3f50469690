// Sizes of records, and what is said of those that are none.
#include "core/state_record.hpp"

#include "multifold/error.hpp"

namespace multifold::inline v0_1::detail {

void reject_state(std::size_t at, const std::string& found, const std::string& expected) {
  throw format_error("state, byte " + std::to_string(at) + ": found " + found + ", expected " + expected);
}

std::int64_t record_bytes(const reduction& what) {
  return visit_fold(what, []<class Op>(const Op&) -> std::int64_t {
    if constexpr (has_state_record<Op>) return state_record<Op>::bytes;
    else return 0;
  });
}

}  // namespace multifold::inline v0_1::detail
