// What stands beside an array and lies otherwise: a second array with strides of its own, or marks of the elements that
// take part (reduce_options::where). Private to the API.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "host/engine.hpp"
#include "multifold/reduce.hpp"
#include "reduce/engines.hpp"
#include "reduce/request.hpp"

namespace multifold::inline v0_1::detail {

/// Throws unsupported_error if `options` has marks, for what takes none: `what` is "a source", say.
void refuse_where(const char* what, const reduce_options& options);

class operand_apart {
 public:
  /// Nothing if all is in `x`, or in `y`, which may be null, as it is in `x`. Gives `r` the form that goes with it.
  /// Throws: shape_error for marks whose shape is not that of `x`, nor one that is broadcast to it; unsupported_error
  ///         for marks that are not boolean, or beside two arrays, and for arrays or engines on the device.
  static std::optional<operand_apart> of(request& r, const array_view& x, const array_view* y,
                                         const reduce_options& options);

  /// Counts the elements that take part, if it has marks.
  void count(const reduce_options& options);
  /// Throws shape_error if `what` has no value for some result, of which no element takes part.
  void check_values(const reduction& what) const;

  host::operand_apart on_host() const;

 private:
  array_view x_, second_;
  std::vector<std::int64_t> axes_;
  bool marks_ = false;
  std::vector<std::int64_t> counts_;
};

}  // namespace multifold::inline v0_1::detail
