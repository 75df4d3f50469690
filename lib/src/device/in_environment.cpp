// The functions that take an environment: those that take a workspace, between its allocation and its end.
#include "device/check_memory.hpp"
#include "device/note_status.hpp"
#include "multifold/cuda/by_key.hpp"
#include "multifold/cuda/environment.hpp"
#include "multifold/cuda/error.hpp"
#include "multifold/cuda/reduce_async.hpp"
#include "multifold/cuda/segments.hpp"
#include "multifold/cuda/traits.hpp"
#include "multifold/error.hpp"

namespace multifold::inline v0_1::cuda {

void detail::check_status_word(const environment& env) {
  if (env.status != nullptr) check_memory("status word", env.status, sizeof *env.status);
}

// The status word of a plan's workspace is its first.
void detail::note_plan_status(std::span<const std::byte> workspace, const environment& env) {
  if (env.status == nullptr) return;
  note_status({{reinterpret_cast<const std::uint32_t*>(workspace.data())}}, env.status, env.stream.get());
}

void reduce_async(const plan& p, const operands& data, void* results, const environment& env) {
  detail::check_status_word(env);
  if (p.form.results() == 0) return write_ok(env);
  const stream_workspace workspace(p.workspace_bytes(), env);
  reduce_async(p, data, results, workspace.bytes(), env.stream.get());
  detail::note_plan_status(workspace.bytes(), env);
}

void reduce_async(op_kind op, const array_view& array, void* results, const environment& env, const axes& over) {
  if (takes_two_arrays(op)) {
    throw unsupported_error(std::string(name(op)) + " takes two arrays, and one was given: make a plan for them");
  }
  const batches form = normalise(array, over.of(array.rank()), order_of(op));
  reduce_async(make_plan(make_reduction(op, array.type), form, {}, device_traits()), array.data, results, env);
}

void reduce_counted_async(const plan& p, const operands& data, const std::int64_t* count, void* results,
                          const environment& env) {
  detail::check_status_word(env);
  const stream_workspace workspace(p.workspace_bytes(), env);
  reduce_counted_async(p, data, count, results, workspace.bytes(), env.stream.get());
  detail::note_plan_status(workspace.bytes(), env);
}

void accumulate_async(const plan& p, const operands& chunk, const chunk_target& target, const environment& env) {
  detail::check_status_word(env);
  const stream_workspace workspace(p.workspace_bytes(), env);
  accumulate_async(p, chunk, target, workspace.bytes(), env.stream.get());
  write_ok(env);
}

void fill_identity_async(const reduction& what, void* accumulators, std::int64_t count, const environment& env) {
  detail::check_status_word(env);
  fill_identity_async(what, accumulators, count, env.stream.get());
  write_ok(env);
}

void lower_async(const reduction& what, const void* accumulators, std::int64_t count, std::int64_t length,
                 void* results, const environment& env) {
  detail::check_status_word(env);
  if (env.status != nullptr) {
    write_ok(env);
    return lower_async(what, accumulators, count, length, results, env.status, env.stream.get());
  }
  const stream_workspace word(sizeof *env.status, env);
  lower_async(what, accumulators, count, length, results, reinterpret_cast<std::uint32_t*>(word.bytes().data()),
              env.stream.get());
}

void reduce_segments_async(const reduction& what, const operands& data, std::int64_t elements,
                           const device_segments& of, void* results, const environment& env) {
  detail::check_status_word(env);
  if (of.count == 0) return write_ok(env);
  const engine_traits gpu = device_traits();
  const stream_workspace workspace(segments_workspace_bytes(what, elements, of.count, gpu), env);
  reduce_segments_async(what, data, elements, of, results, workspace.bytes(), gpu, env.stream.get());
  if (env.status != nullptr) detail::note_segments_status(workspace.bytes(), env.status, env.stream.get());
}

void reduce_by_key_async(const reduction& what, const operands& data, std::int64_t elements, const device_keys& of,
                         void* results, const environment& env) {
  detail::check_status_word(env);
  const engine_traits gpu = device_traits();
  const stream_workspace workspace(by_key_workspace_bytes(what, elements, of, gpu), env);
  reduce_by_key_async(what, data, elements, of, results, workspace.bytes(), gpu, env.stream.get());
  if (env.status != nullptr) detail::note_by_key_status(workspace.bytes(), of.groups, env.status, env.stream.get());
}

}  // namespace multifold::inline v0_1::cuda
