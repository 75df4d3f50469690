// States of arrays and of sources.
#include "multifold/state.hpp"

namespace multifold::inline v0_1 {
namespace {

reduce_options without_value(const reduce_options& options) {
  reduce_options kept = options;
  kept.keep_state = kept.only_state = true;
  return kept;
}

}  // namespace

state reduce_to_state(op_kind op, const array_view& array, const reduce_options& options) {
  return state(reduce(op, array, without_value(options)).state);
}
state reduce_to_state(op_kind op, const array_view& x, const array_view& y, const reduce_options& options) {
  return state(reduce(op, x, y, without_value(options)).state);
}
state reduce_to_state(op_kind op, source& input, const reduce_options& options) {
  return state(reduce(op, input, without_value(options)).state);
}
state reduce_to_state(op_kind op, source& x, source& y, const reduce_options& options) {
  return state(reduce(op, x, y, without_value(options)).state);
}

}  // namespace multifold::inline v0_1
