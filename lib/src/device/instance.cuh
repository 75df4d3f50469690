// The bodies behind dispatch.hpp; each file in instances/ compiles some of them.
#pragma once

#include "device/dispatch.hpp"
#include "device/output.cuh"
#include "multifold/cuda/launch.cuh"

namespace multifold::cuda::detail {

inline bool is_plain(const reduction& what, std::int64_t length) {
  return length > 0 && !what.initial.given && what.result == default_result_dtype(what.op, what.input);
}

template <op_family Family, class T>
void enqueue(const plan& p, const call& c) {
  visit_fold<Family, T>(p.what.op, p.what.nan, [&](auto op) {
    const workspace_cursor space(p, c.workspace);
    built_in_output output{};
    output.data = c.results;
    output.merge = c.merge;
    output.plain = is_plain(p.what, p.form.length);
    output.only = p.form.results() == 1;
    output.op = p.what.op;
    output.result = p.what.result;
    output.count = p.form.length;
    if (p.form.pattern != access::strided) {
      output.layout = {p.form.inner, p.form.outer_run.result_stride, p.form.inner_run.result_stride};
    }
    output.status_word = space.status();
    output.initial = p.what.initial;
    launch(p, op, output, static_cast<const T*>(c.data) + p.form.offset, space, c.first_index, c.stream);
  });
}

template <op_family Family, class T>
void fill_identity(const reduction& what, void* accumulators, std::int64_t count, cudaStream_t stream) {
  if (count == 0) return;
  visit_fold<Family, T>(what.op, what.nan, [&](auto op) {
    using accumulator = typename decltype(op)::accumulator;
    kernels::fill_identity<<<grid_for(count, 256), 256, 0, stream>>>(op, static_cast<accumulator*>(accumulators),
                                                                     count);
  });
  check(cudaGetLastError());
}

template <op_family Family, class T>
void lower(const reduction& what, const void* accumulators, std::int64_t count, std::int64_t length, void* results,
           std::uint32_t* status_word, cudaStream_t stream) {
  if (count == 0) return;
  visit_fold<Family, T>(what.op, what.nan, [&](auto op) {
    using Op = decltype(op);
    built_in_output output{};
    output.data = results;
    output.plain = is_plain(what, length);
    output.op = what.op;
    output.result = what.result;
    output.count = length;
    output.status_word = status_word;
    output.initial = what.initial;
    kernels::pass_arguments<Op, built_in_output> args{
        op, output, {nullptr, nullptr, finish::next_pass}, count, 1, 1, 1, 1, 0, block_form::shuffle};
    kernels::few_partials<<<grid_for(count, 256), 256, 0, stream>>>(
        static_cast<const typename Op::accumulator*>(accumulators), args);
  });
  check(cudaGetLastError());
}

}  // namespace multifold::cuda::detail

#define MULTIFOLD_INSTANCE(FAMILY, TYPE)                                                    \
  template void multifold::cuda::detail::enqueue<multifold::op_family::FAMILY, TYPE>(       \
      const multifold::plan&, const multifold::cuda::detail::call&);                        \
  template void multifold::cuda::detail::fill_identity<multifold::op_family::FAMILY, TYPE>( \
      const multifold::reduction&, void*, std::int64_t, cudaStream_t);                      \
  template void multifold::cuda::detail::lower<multifold::op_family::FAMILY, TYPE>(         \
      const multifold::reduction&, const void*, std::int64_t, std::int64_t, void*, std::uint32_t*, cudaStream_t);
