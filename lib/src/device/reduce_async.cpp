// The run-time dispatch of built-in operations to their compiled instances.
#include "multifold/cuda/reduce_async.hpp"

#include <string>
#include <type_traits>

#include "device/dispatch.hpp"
#include "multifold/cuda/error.hpp"
#include "multifold/cuda/fill_items.hpp"
#include "multifold/error.hpp"
#include "multifold/summary.hpp"
#include "plan/no_value.hpp"

namespace multifold::inline v0_1::cuda {
namespace {

template <class T>
void enqueue_moments(const plan& p, const detail::call& c) {
  if (p.passes.front().kind == kernel::tiles) return moments::enqueue_tiles<order_carrier<T>>(p, c);
  moments::enqueue_groups<moments::group_carrier_of<T>>(p, 0, c);
}

// A kernel that meets such an address ends, and the CUDA context with it.
void check_address(const char* what, const void* at, std::int64_t boundary, const char* advice) {
  if (at == nullptr) throw shape_error(std::string("the ") + what + " has no address: a null pointer was given");
  if (reinterpret_cast<std::uintptr_t>(at) % static_cast<std::uintptr_t>(boundary) == 0) return;
  throw shape_error(std::string("the ") + what + " starts at an address that is no multiple of its items' " +
                    std::to_string(boundary) + " bytes: " + advice);
}

void check_arrays(const plan& p, const operands& data) {
  if (p.form.elements() == 0) return;
  constexpr const char* advice = "copy it to an aligned place, or use the host engine";
  const std::int64_t item = item_bytes(p.what.input);
  check_address("array", data.x, item, advice);
  if (takes_two_arrays(p.what.op)) check_address("second array", data.y, item, advice);
}

void check_results(const reduction& what, const void* results) {
  multifold::detail::check_device_correction(what);
  const std::int64_t boundary = what.op == op_kind::describe ? std::int64_t{alignof(summary)} : item_bytes(what.result);
  check_address("memory for the results", results, boundary, "give it an aligned place");
}

void check_waiting(const plan& p) {
  if (p.waiting_bytes == 0 || p.waiting_bytes == result_bytes(p.what)) return;
  throw unsupported_error("results of " + std::to_string(p.waiting_bytes) + " bytes wait in a plan for results of " +
                          std::to_string(result_bytes(p.what)) + ": the plan was made for another operation");
}

void check_accumulators(const reduction& what, const void* accumulators) {
  visit_fold(what, [&](const auto& op) {
    using accumulator = typename std::remove_cvref_t<decltype(op)>::accumulator;
    check_address("memory for accumulators", accumulators, alignof(accumulator), "give it an aligned place");
  });
}

void check_word(const char* what, const void* word, std::int64_t bytes) {
  check_address(what, word, bytes, "give it an aligned place");
}

void enqueue_any(const plan& p, const detail::call& c) {
  check_arrays(p, c.data);
  visit_family(p.what, [&]<op_family Family, class T>() {
    if constexpr (Family == op_family::moments) enqueue_moments<T>(p, c);
    else detail::enqueue<Family, detail::instance_of<Family, T>>(p, c);
  });
}

}  // namespace

void reduce_async(const plan& p, const operands& data, void* results, std::span<std::byte> workspace,
                  work_queue& queue) {
  if (p.form.results() == 0) return;
  check_results(p.what, results);
  check_arrays(p, data);
  check_waiting(p);
  bound_recipe steps(p, recipe_end::results, workspace, queue);
  void* const waiting = steps.waiting_results(p);
  enqueue_any(p, {data, waiting != nullptr ? waiting : results, false, 0, steps});
  if (waiting != nullptr) detail::place_any_results(p, waiting, results, steps);
}

void reduce_async(const plan& p, const operands& data, void* results, std::span<std::byte> workspace,
                  cudaStream_t stream) {
  stream_queue queue(stream);
  reduce_async(p, data, results, workspace, queue);
}

void reduce_counted_async(const plan& p, const operands& data, const std::int64_t* count, void* results,
                          std::span<std::byte> workspace, work_queue& queue) {
  static_cast<void>(resized(p, p.form.length));  // refuses plans of several results, or of elements apart
  check_word("count in device memory", count, sizeof *count);
  check_results(p.what, results);
  bound_recipe steps(p, recipe_end::results, workspace, queue);
  enqueue_any(p, {data, results, false, 0, steps, count});
}

void reduce_counted_async(const plan& p, const operands& data, const std::int64_t* count, void* results,
                          std::span<std::byte> workspace, cudaStream_t stream) {
  stream_queue queue(stream);
  reduce_counted_async(p, data, count, results, workspace, queue);
}

status status_of(std::span<const std::byte> workspace, cudaStream_t stream) {
  std::uint32_t word = 0;
  check(cudaMemcpyAsync(&word, workspace.data(), sizeof word, cudaMemcpyDeviceToHost, stream));
  check(cudaStreamSynchronize(stream));
  return static_cast<status>(word);
}

void accumulate_async(const plan& p, const operands& chunk, const chunk_target& target, std::span<std::byte> workspace,
                      work_queue& queue) {
  if (p.form.elements() == 0) return;
  check_accumulators(p.what, target.accumulators);
  auto* into = static_cast<char*>(target.accumulators) + target.first_result * accumulator_bytes(p.what);
  bound_recipe steps(p, recipe_end::accumulators, workspace, queue);
  enqueue_any(p, {chunk, into, true, target.first_index, steps});
}

void accumulate_async(const plan& p, const operands& chunk, const chunk_target& target, std::span<std::byte> workspace,
                      cudaStream_t stream) {
  stream_queue queue(stream);
  accumulate_async(p, chunk, target, workspace, queue);
}

void fill_identity_async(const reduction& what, void* accumulators, std::int64_t count, work_queue& queue) {
  if (count == 0) return;
  check_accumulators(what, accumulators);
  visit_fold(what, [&](const auto& op) { fill_items(identity_item_of(op), accumulators, count, queue); });
}

void fill_identity_async(const reduction& what, void* accumulators, std::int64_t count, cudaStream_t stream) {
  stream_queue queue(stream);
  fill_identity_async(what, accumulators, count, queue);
}

void lower_async(const reduction& what, const void* accumulators, std::int64_t count, std::int64_t length,
                 void* results, std::uint32_t* status_word, work_queue& queue) {
  if (count == 0) return;
  check_accumulators(what, accumulators);
  check_results(what, results);
  check_word("status word", status_word, sizeof *status_word);
  visit_family(what, [&]<op_family Family, class T>() {
    if constexpr (Family == op_family::moments) {
      moments::lower<moments::group_carrier_of<T>>(what, accumulators, count, results, status_word, queue);
    } else {
      detail::lower<Family, detail::instance_of<Family, T>>(what, accumulators, count, length, results, status_word,
                                                            queue);
    }
  });
}

void lower_async(const reduction& what, const void* accumulators, std::int64_t count, std::int64_t length,
                 void* results, std::uint32_t* status_word, cudaStream_t stream) {
  stream_queue queue(stream);
  lower_async(what, accumulators, count, length, results, status_word, queue);
}

}  // namespace multifold::inline v0_1::cuda
