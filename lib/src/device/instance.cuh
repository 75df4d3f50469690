// The bodies behind dispatch.hpp; each file in instances/ compiles some of them.
#pragma once

#include "device/dispatch.hpp"
#include "device/output.cuh"
#include "multifold/cuda/launch.cuh"
#include "multifold/ops/carried.hpp"
#include "multifold/ops/exact_sum.hpp"

namespace multifold::inline v0_1::cuda::exact {

// In exact/, which only instances of exact sums include.
template <floating_storage T>
struct exact_output;
template <floating_storage T>
void enqueue(const plan& p, const detail::built_in_output& to, const T* data, bound_recipe& steps);
template <floating_storage T>
void lower_each(const exact_sum<T>* sums, std::int64_t count, const exact_output<T>& output, work_queue& queue);

}  // namespace multifold::inline v0_1::cuda::exact

namespace multifold::inline v0_1::cuda::detail {

inline bool is_plain(const reduction& what, std::int64_t length) {
  return length > 0 && !what.initial.given && what.result == default_result_dtype(what.op, what.input);
}

inline built_in_output output_of(const plan& p, const call& c, std::uint32_t* status_word) {
  built_in_output output{};
  output.data = c.results;
  output.merge = c.merge;
  output.plain = is_plain(p.what, p.form.length) && c.count == nullptr && !c.merge;
  output.needs_elements = !has_identity(p.what.op) && !p.what.initial.given;
  output.only = p.form.results() == 1;
  output.op = p.what.op;
  output.result = p.what.result;
  output.count = {p.form.length, c.count};
  output.layout = layout_for(p, c.merge);
  output.in_order = output.plain && !output.only && output.layout.count == 1 && output.layout.stride[0] == 1;
  output.status_word = status_word;
  output.initial = p.what.initial;
  if (output.plain) {
    output.divisor = static_cast<double>(p.form.length);
    output.reciprocal = 1 / output.divisor;
  }
  return output;
}

/// visit_fold of elements that T carries.
template <op_family Family, class T, class F>
void visit_instance(const reduction& what, const F& f) {
  if constexpr (!floating_storage<T> && Family == op_family::sum) {
    f(carried_sum<T>{{integer_kind_of(what.input)}});
  } else if constexpr (!floating_storage<T> && Family == op_family::product) {
    f(carried_product<T>{{integer_kind_of(what.input)}});
  } else {
    visit_fold<Family, T>(what, f);
  }
}

template <op_family Family, class T>
void enqueue(const plan& p, const call& c) {
  const built_in_output output = output_of(p, c, c.steps.status());
  const T* const data = static_cast<const T*>(c.data.x) + p.form.offset;
  if constexpr (Family == op_family::exact_sum) {
    exact::enqueue(p, output, data, c.steps);
  } else {
    visit_instance<Family, T>(p.what, [&](auto op) { launch(p, op, output, data, c.first_index, c.count, c.steps); });
  }
}

template <op_family Family, class T>
void lower(const reduction& what, const void* accumulators, std::int64_t count, std::int64_t length, void* results,
           std::uint32_t* status_word, work_queue& queue) {
  if (count == 0) return;
  visit_instance<Family, T>(what, [&](const auto& of_elements) {
    const auto op = merging(of_elements);
    using Op = std::remove_const_t<decltype(op)>;
    built_in_output output{};
    output.data = results;
    output.layout = kernels::layout_in_order(count);
    output.plain = is_plain(what, length);
    output.op = what.op;
    output.result = what.result;
    output.count = {length, nullptr};
    output.status_word = status_word;
    output.initial = what.initial;
    if (output.plain) {
      output.divisor = static_cast<double>(length);
      output.reciprocal = 1 / output.divisor;
    }
    if constexpr (Family == op_family::exact_sum) {
      exact::lower_each(static_cast<const exact_sum<T>*>(accumulators), count, exact::exact_output<T>{output, {}},
                        queue);
    } else {
      // A thread each, whatever the form: threads that share a batch would take the tree.
      const kernels::pass_arguments<Op, built_in_output> args{
          count, 1, {1, nullptr}, 1, 1, block_form::shared_tree, {finish::next_pass, nullptr, nullptr}, 0, op, output};
      launch_kernel(queue, kernels::partials<Op, built_in_output>, grid_for(count, 256), 256, 0,
                    static_cast<const typename Op::accumulator*>(accumulators), args);
    }
  });
}

}  // namespace multifold::inline v0_1::cuda::detail

#define MULTIFOLD_INSTANCE(FAMILY, TYPE)                                                           \
  template void multifold::cuda::detail::enqueue<multifold::op_family::FAMILY, TYPE>(              \
      const multifold::plan&, const multifold::cuda::detail::call&);                               \
  template void multifold::cuda::detail::lower<multifold::op_family::FAMILY, TYPE>(                \
      const multifold::reduction&, const void*, std::int64_t, std::int64_t, void*, std::uint32_t*, \
      multifold::cuda::work_queue&);
