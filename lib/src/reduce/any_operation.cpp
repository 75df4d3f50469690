// The API's functions that are told an operation when they run, and so take all of the CPU engine with them.
#include <initializer_list>
#include <span>
#include <vector>

#include "host/every_part.hpp"
#include "multifold/reduce.hpp"
#include "multifold/several.hpp"
#include "reduce/linked.hpp"

namespace multifold::inline v0_1 {
namespace {

using detail::reduce_linked;
using operations = std::span<const op_kind>;

operations span_of(std::initializer_list<op_kind> ops) { return {ops.begin(), ops.size()}; }

}  // namespace

reduce_result reduce(op_kind op, const array_view& array, const reduce_options& options) {
  return reduce_linked(op, array, options);
}

reduce_result reduce(op_kind op, const array_view& x, const array_view& y, const reduce_options& options) {
  return reduce_linked(op, x, y, options);
}

reduce_result reduce(op_kind op, source& input, const reduce_options& options) {
  return reduce_linked(op, input, options);
}

reduce_result reduce(op_kind op, source& x, source& y, const reduce_options& options) {
  return reduce_linked(op, x, y, options);
}

plan plan_for(op_kind op, const array_view& array, const reduce_options& options) {
  return detail::plan_linked(op, array, options);
}

std::vector<reduce_result> reduce(operations ops, const array_view& array, const reduce_options& options) {
  return reduce_linked(ops, array, options);
}

std::vector<reduce_result> reduce(std::initializer_list<op_kind> ops, const array_view& array,
                                  const reduce_options& options) {
  return reduce_linked(span_of(ops), array, options);
}

std::vector<reduce_result> reduce(operations ops, const array_view& x, const array_view& y,
                                  const reduce_options& options) {
  return reduce_linked(ops, x, y, options);
}

std::vector<reduce_result> reduce(std::initializer_list<op_kind> ops, const array_view& x, const array_view& y,
                                  const reduce_options& options) {
  return reduce_linked(span_of(ops), x, y, options);
}

std::vector<reduce_result> reduce(operations ops, source& input, const reduce_options& options) {
  return reduce_linked(ops, input, options);
}

std::vector<reduce_result> reduce(std::initializer_list<op_kind> ops, source& input, const reduce_options& options) {
  return reduce_linked(span_of(ops), input, options);
}

std::vector<reduce_result> reduce(operations ops, source& x, source& y, const reduce_options& options) {
  return reduce_linked(ops, x, y, options);
}

std::vector<reduce_result> reduce(std::initializer_list<op_kind> ops, source& x, source& y,
                                  const reduce_options& options) {
  return reduce_linked(span_of(ops), x, y, options);
}

}  // namespace multifold::inline v0_1
