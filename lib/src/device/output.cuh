// What the kernels of built-in operations do with a batch's accumulator: lower it to the result, or merge it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "device/plain_result.cuh"
#include "device/short_products.cuh"
#include "multifold/cuda/kernels/result_layout.cuh"
#include "multifold/ops.hpp"

namespace multifold::inline v0_1::cuda::detail {

using kernels::result_layout;

// Kept out of line: divisions and roundings of every kind are a lot of code, and plain results go another way.
__device__ __noinline__ inline status store_result(op_kind op, const scalar& value, const initial_value& initial,
                                                   dtype type, void* out) {
  return store(finish_scalar(op, value, initial), type, out);
}

struct built_in_output {
  void* data;  // results, or accumulators if `merge`
  result_layout layout;
  bool merge;
  bool plain;           // stored in the default dtype, without an initial value or a count in device memory
  bool needs_elements;  // there is no value without any
  bool only;            // there is a single result, whose status is written; else failures are noted in a cleared word
  bool in_order;        // plain results without a status each, one behind the other
  op_kind op;
  dtype result;
  std::uint32_t* status_word;
  kernels::device_length count;
  initial_value initial;
  double divisor = 0, reciprocal = 0;  // the count and its reciprocal, for plain means

  /// The result of a batch, where results are `in_order`, if it has a plain form; else false.
  template <has_plain_results Op>
  __device__ bool store_in_order(const Op& fold, std::int64_t batch, const typename Op::accumulator& value) const {
    return store_plain(fold, value, plain_divisor(), data, batch);
  }

  /// Those of `Width` batches that follow each other, value_of(j), if all have one and words of up to 16 bytes hold
  /// them.
  template <int Width, has_plain_results Op, class F>
  __device__ bool store_neighbours(const Op& fold, std::int64_t batch, const F& value_of) const {
    if constexpr (gives_counts<Op>) {
      if (gives_truths(fold)) return store_truths<Width>(fold, batch, value_of);
    }
    constexpr int item = plain_bytes<Op>, bytes = Width * item;
    using word = std::conditional_t<bytes % 16 == 0, uint4, std::conditional_t<bytes % 8 == 0, uint2, unsigned>>;
    std::byte* const to = static_cast<std::byte*>(data) + batch * item;
    if (reinterpret_cast<std::uintptr_t>(to) % sizeof(word) != 0) return false;
    union {
      std::byte results[bytes];
      word words[bytes / sizeof(word)];
    } all;
    bool stored = true;
#pragma unroll
    for (int j = 0; j < Width; ++j) stored = store_plain(fold, value_of(j), plain_divisor(), all.results, j) && stored;
    if (!stored) return false;
#pragma unroll
    for (int i = 0; i < static_cast<int>(bytes / sizeof(word)); ++i) reinterpret_cast<word*>(to)[i] = all.words[i];
    return true;
  }

  /// Results of a thread's columns, likewise.
  template <class Columns, int Width, class T>
  __device__ unsigned store_side_by_side(const Columns& columns, const kernels::whole_sums<Width, T>& results) const {
    T* out = static_cast<T*>(data) + columns.batch;
#pragma unroll
    for (int j = 0; j < Width; ++j, out += columns.apart) {
      if (columns.has(j)) *out = results.of[j];
    }
    return 0;
  }

  template <class Op>
  __device__ void operator()(const Op& fold, std::int64_t batch, const typename Op::accumulator& value) const {
    const std::int64_t place = layout.at(batch);
    if (merge) {
      auto* into = static_cast<typename Op::accumulator*>(data) + place;
      *into = fold.combine(*into, value);
      return;
    }
    status s = status::ok;
    bool stored = false;
    if constexpr (has_plain_results<Op>) stored = plain && store_plain(fold, value, plain_divisor(), data, place);
    if (!stored) {
      s = !count.in_range()              ? status::bad_count
          : count == 0 && needs_elements ? status::empty
                                         : store_result(op, fold.lower(value, count), initial, result,
                                                        static_cast<char*>(data) + place * item_bytes(result));
    }
    if (only) *status_word = static_cast<std::uint32_t>(s);
    else if (s != status::ok) atomicMax(status_word, static_cast<std::uint32_t>(s));
  }

 private:
  __device__ detail::divisor plain_divisor() const {
    return {op == op_kind::mean || op == op_kind::all ? count.most : 0, divisor, reciprocal};
  }

  template <int Width, class F>
  __device__ bool store_truths(const merged_tally& fold, std::int64_t batch, const F& value_of) const {
    static_assert(Width % 4 == 0);
    std::uint8_t* const to = static_cast<std::uint8_t*>(data) + batch;
    if (reinterpret_cast<std::uintptr_t>(to) % 4 != 0) return false;
#pragma unroll
    for (int i = 0; i < Width; i += 4) {
      unsigned truths = 0;
#pragma unroll
      for (int j = 0; j < 4; ++j) truths |= unsigned{truth_of(fold, value_of(i + j), plain_divisor())} << (8 * j);
      reinterpret_cast<unsigned*>(to)[i / 4] = truths;
    }
    return true;
  }
};

/// For the next batch, where they are segments, each of a length of its own.
__device__ inline void set_length(built_in_output& to, std::int64_t length) {
  to.count = {length, nullptr};
  to.plain = to.in_order && length > 0;
  if (to.op == op_kind::mean) {
    to.divisor = static_cast<double>(length);
    to.reciprocal = 1 / to.divisor;
  }
}

}  // namespace multifold::inline v0_1::cuda::detail
