// A reduction that goes on while its caller starts others. Private to the API.
#pragma once

#include "multifold/plan.hpp"
#include "multifold/reduce.hpp"
#include "reduce/device.hpp"
#include "reduce/engines.hpp"
#include "reduce/request.hpp"

namespace multifold::inline v0_1::detail {

/// Of an array in the memory of the current device, which begins when it is made.
class begun_reduction {
 public:
  /// Throws: as reduce.
  begun_reduction(op_kind op, const array_view& x, const reduce_options& options);

  /// Waits; once. Throws: as reduce.
  reduce_result finish();

 private:
  request request_;
  chosen_engine engine_;
  plan plan_;
  device_work work_;
};

}  // namespace multifold::inline v0_1::detail
