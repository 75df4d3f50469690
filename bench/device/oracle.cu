// The oracle: integers summed in 128 bits by a loop as plain as can be, and how far from it a result may be.
#include <cmath>
#include <cstdio>

#include "device/elements.cuh"

namespace bench {
namespace {

using multifold::op_kind;
using multifold::cuda::check;
using multifold::cuda::device_buffer;

constexpr int low_bits = 26;

// Threads take (batch, slice of `slice` elements), neighbouring batches first.
struct oracle_work {
  shape3 shape;
  std::int64_t slices;
};
constexpr std::int64_t slice = 1024;

template <class F>
__device__ void each_element(const oracle_work& work, std::int64_t item, const F& f) {
  const std::int64_t results = work.shape.outer * work.shape.inner;
  const std::int64_t batch = item % results;
  const std::int64_t first = item / results * slice;
  const std::int64_t end = first + slice < work.shape.length ? first + slice : work.shape.length;
  const std::int64_t base = batch / work.shape.inner * work.shape.length * work.shape.inner + batch % work.shape.inner;
  for (std::int64_t k = first; k < end; ++k) f(batch, k, base + k * work.shape.inner);
}

__global__ void clear_kernel(exact_value* out, std::int64_t count, exact_value with) {
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t i = first_item(); i < count; i += step) out[i] = with;
}

template <class T>
__global__ void sum_kernel(const T* data, oracle_work work, exact_value* out) {
  const std::int64_t items = work.shape.outer * work.shape.inner * work.slices;
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t item = first_item(); item < items; item += step) {
    long long high = 0, low = 0;
    each_element(work, item, [&](std::int64_t, std::int64_t, std::int64_t at) {
      const std::int64_t v = integer_of(data[at]);
      high += v >> low_bits;
      low += v & ((1 << low_bits) - 1);
    });
    exact_value& into = out[item % (work.shape.outer * work.shape.inner)];
    atomicAdd(reinterpret_cast<unsigned long long*>(&into.high_or_best), static_cast<unsigned long long>(high));
    atomicAdd(reinterpret_cast<unsigned long long*>(&into.low_or_index), static_cast<unsigned long long>(low));
  }
}

template <class T>
__global__ void best_kernel(const T* data, oracle_work work, exact_value* out) {
  const std::int64_t items = work.shape.outer * work.shape.inner * work.slices;
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t item = first_item(); item < items; item += step) {
    long long best = INT64_MIN;
    each_element(work, item, [&](std::int64_t, std::int64_t, std::int64_t at) {
      const long long v = integer_of(data[at]);
      if (v > best) best = v;
    });
    atomicMax(&out[item % (work.shape.outer * work.shape.inner)].high_or_best, best);
  }
}

template <class T>
__global__ void index_kernel(const T* data, oracle_work work, exact_value* out) {
  const std::int64_t items = work.shape.outer * work.shape.inner * work.slices;
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t item = first_item(); item < items; item += step) {
    each_element(work, item, [&](std::int64_t batch, std::int64_t k, std::int64_t at) {
      if (integer_of(data[at]) == out[batch].high_or_best && k < out[batch].low_or_index) {
        atomicMin(&out[batch].low_or_index, static_cast<long long>(k));
      }
    });
  }
}

struct judgement {
  op_kind op;
  tolerance allowed;
  int scale;
  std::int64_t length;
  double absolute;  // error of the accumulation
  double relative;  // error of the rounding to the result
};

struct verdict {
  unsigned long long wrong;
  unsigned long long first;  // batch
  double got, expected;
};

template <class R>
__device__ double as_double(R x) {
  if constexpr (std::is_same_v<R, f16> || std::is_same_v<R, bf16>) return multifold::to_float(x);
  else return static_cast<double>(x);
}

template <class R>
__device__ bool agrees(const judgement& how, const exact_value& exact, R got, double& expected) {
  if (how.op == op_kind::argmax) {
    expected = static_cast<double>(exact.low_or_index);
    return static_cast<long long>(as_double(got)) == exact.low_or_index;
  }
  if (how.op == op_kind::max) {
    expected = ldexp(static_cast<double>(exact.high_or_best), -how.scale);
    return as_double(got) == expected;
  }
  const long long high = exact.high_or_best + (exact.low_or_index >> low_bits);
  const long long low = exact.low_or_index & ((1 << low_bits) - 1);
  expected = ldexp(ldexp(static_cast<double>(high), low_bits) + static_cast<double>(low), -how.scale);
  if constexpr (std::is_integral_v<R>) {
    const auto sum = (static_cast<std::uint64_t>(high) << low_bits) + static_cast<std::uint64_t>(low);
    if (how.allowed == tolerance::modulo_32) return static_cast<std::uint32_t>(sum) == static_cast<std::uint32_t>(got);
    return sum == static_cast<std::uint64_t>(got);
  } else {
    if (how.op == op_kind::mean) expected /= static_cast<double>(how.length);
    return fabs(as_double(got) - expected) <= how.absolute + how.relative * fabs(expected);
  }
}

template <class R>
__global__ void compare_kernel(judgement how, const exact_value* exact, const R* got, std::int64_t count,
                               verdict* out) {
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t i = first_item(); i < count; i += step) {
    double expected = 0;
    if (agrees(how, exact[i], got[i], expected)) continue;
    if (atomicAdd(&out->wrong, 1ull) != 0) continue;
    out->first = static_cast<unsigned long long>(i);
    out->got = as_double(got[i]);
    out->expected = expected;
  }
}

}  // namespace

device_buffer exact_results(op_kind op, dtype type, const void* data, const shape3& shape, cudaStream_t stream) {
  device_buffer memory(shape.results() * static_cast<std::int64_t>(sizeof(exact_value)));
  auto* const out = reinterpret_cast<exact_value*>(memory.data());
  const oracle_work work{shape, (shape.length + slice - 1) / slice};
  const bool extremum = op == op_kind::max || op == op_kind::argmax;
  const exact_value start = extremum ? exact_value{INT64_MIN, INT64_MAX} : exact_value{0, 0};
  clear_kernel<<<wide_grid(), 256, 0, stream>>>(out, shape.results(), start);
  visit(type, [&](auto x) {
    using T = decltype(x);
    const T* const elements = static_cast<const T*>(data);
    if (extremum) best_kernel<T><<<wide_grid(), 256, 0, stream>>>(elements, work, out);
    else sum_kernel<T><<<wide_grid(), 256, 0, stream>>>(elements, work, out);
    if (op == op_kind::argmax) index_kernel<T><<<wide_grid(), 256, 0, stream>>>(elements, work, out);
  });
  check(cudaGetLastError());
  return memory;
}

// Rounding errors. Addition k of any tree is off by at most u |s_k|, where s_k sums m_k elements that are independent
// with variance 1/3, and the m_k of a tree over n elements sum to at most n^2 / 2. Taken as a random walk (Higham and
// Mary 2019), the whole error has a standard deviation of at most u n / sqrt(6); sixteen of them are allowed.
std::string compare(op_kind op, dtype input, const shape3& shape, const device_buffer& exact, dtype type,
                    const void* results, tolerance allowed, cudaStream_t stream) {
  if (allowed == tolerance::unchecked) return {};
  judgement how{op, allowed, scale(input), shape.length, 0, 0};
  const double unit = allowed == tolerance::f32 ? 0x1p-24 : 0x1p-53;
  how.absolute = multifold::is_floating(input) ? 16 * unit * static_cast<double>(shape.length) / std::sqrt(6.0) : 0;
  if (op == op_kind::mean) how.absolute /= static_cast<double>(shape.length);
  const double last = type == dtype::f32   ? 0x1p-24
                      : type == dtype::f64 ? 0x1p-53
                      : type == dtype::f16 ? 0x1p-11
                                           : 0x1p-8;
  how.relative = last + 0x1p-50;  // and what the comparison itself rounds
  device_buffer memory(sizeof(verdict));
  check(cudaMemsetAsync(memory.data(), 0, sizeof(verdict), stream));
  visit(type, [&](auto x) {
    using R = decltype(x);
    compare_kernel<R><<<wide_grid(), 256, 0, stream>>>(how, reinterpret_cast<const exact_value*>(exact.data()),
                                                       static_cast<const R*>(results), shape.results(),
                                                       reinterpret_cast<verdict*>(memory.data()));
  });
  check(cudaGetLastError());
  verdict found{};
  check(cudaStreamSynchronize(stream));
  check(cudaMemcpy(&found, memory.data(), sizeof(found), cudaMemcpyDeviceToHost));
  if (found.wrong == 0) return {};
  char text[160];
  std::snprintf(text, sizeof(text), "%llu of %lld results are wrong: number %llu is %.17g instead of %.17g",
                found.wrong, static_cast<long long>(shape.results()), found.first, found.got, found.expected);
  return text;
}

}  // namespace bench
