// The bodies behind dispatch.hpp; each file in instances/ compiles some of them.
#pragma once

#include "device/dispatch.hpp"
#include "device/output.cuh"
#include "multifold/cuda/launch.cuh"

namespace multifold::cuda::exact {

// In exact/, which only instances of exact sums include.
template <floating_storage T>
struct exact_output;
template <floating_storage T>
void enqueue(const plan& p, const detail::built_in_output& to, const T* data, workspace_cursor space,
             work_queue& queue);

}  // namespace multifold::cuda::exact

namespace multifold::cuda::detail {

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

template <op_family Family, class T>
void enqueue(const plan& p, const call& c) {
  const workspace_cursor space(p, c.workspace);
  const built_in_output output = output_of(p, c, space.status());
  const T* const data = static_cast<const T*>(c.data.x) + p.form.offset;
  if constexpr (Family == op_family::exact_sum) {
    exact::enqueue(p, output, data, space, c.queue);
  } else {
    visit_fold<Family, T>(p.what,
                          [&](auto op) { launch(p, op, output, data, space, c.first_index, c.count, c.queue); });
  }
}

template <op_family Family, class T>
void fill_identity(const reduction& what, void* accumulators, std::int64_t count, work_queue& queue) {
  if (count == 0) return;
  visit_fold<Family, T>(what, [&](auto op) {
    using Op = decltype(op);
    launch_kernel(queue, kernels::fill_identity<Op>, grid_for(count, 256), 256, 0, op,
                  static_cast<typename Op::accumulator*>(accumulators), count);
  });
}

template <op_family Family, class T>
void lower(const reduction& what, const void* accumulators, std::int64_t count, std::int64_t length, void* results,
           std::uint32_t* status_word, work_queue& queue) {
  if (count == 0) return;
  visit_fold<Family, T>(what, [&](auto op) {
    using Op = decltype(op);
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
    const auto launch_over = [&](const auto& to) {
      using output_type = std::remove_cvref_t<decltype(to)>;
      const kernels::pass_arguments<Op, output_type> args{
          count, 1, {1, nullptr}, 1, 1, block_form::shuffle, {finish::next_pass, nullptr, nullptr}, 0, op, to};
      launch_kernel(queue, kernels::few_partials<Op, output_type>, grid_for(count, 256), 256, 0,
                    static_cast<const typename Op::accumulator*>(accumulators), args);
    };
    if constexpr (Family == op_family::exact_sum) launch_over(exact::exact_output<T>{output, {}});
    else launch_over(output);
  });
}

}  // namespace multifold::cuda::detail

#define MULTIFOLD_INSTANCE(FAMILY, TYPE)                                                           \
  template void multifold::cuda::detail::enqueue<multifold::op_family::FAMILY, TYPE>(              \
      const multifold::plan&, const multifold::cuda::detail::call&);                               \
  template void multifold::cuda::detail::fill_identity<multifold::op_family::FAMILY, TYPE>(        \
      const multifold::reduction&, void*, std::int64_t, multifold::cuda::work_queue&);             \
  template void multifold::cuda::detail::lower<multifold::op_family::FAMILY, TYPE>(                \
      const multifold::reduction&, const void*, std::int64_t, std::int64_t, void*, std::uint32_t*, \
      multifold::cuda::work_queue&);
