// reduce in an environment. It is told an operation when it runs, and so takes all of the CPU engine with it.
#include "host/every_part.hpp"
#include "multifold/cuda/reduce.hpp"
#include "reduce/linked.hpp"

namespace multifold::inline v0_1::cuda {
namespace {

reduce_options behind(const environment& env, const reduce_options& options) {
  reduce_options own = options;
  own.stream = env.stream.get();
  return own;
}

}  // namespace

reduce_result reduce(op_kind op, const array_view& array, const environment& env, const reduce_options& options) {
  return detail::reduce_in(&env, op, array, nullptr, behind(env, options));
}

reduce_result reduce(op_kind op, const array_view& x, const array_view& y, const environment& env,
                     const reduce_options& options) {
  return detail::reduce_in(&env, op, x, &y, behind(env, options));
}

}  // namespace multifold::inline v0_1::cuda
