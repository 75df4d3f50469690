// The oracle is exact_sum on the CPU, which the tests of the library have compared with others.
#include "device/exact_check.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <span>

#include "multifold/cuda/buffer.hpp"
#include "multifold/cuda/error.hpp"
#include "multifold/cuda/reduce_async.hpp"
#include "multifold/exact.hpp"
#include "multifold/types/float16.hpp"

namespace bench {
namespace {

using namespace multifold;
using cuda::check;
using host_bytes = std::vector<std::byte>;

constexpr std::int64_t prefix_bytes = std::int64_t{64} << 20;
constexpr std::int64_t compared_results = std::int64_t{1} << 16;  // of rounded contenders

host_bytes copied(const void* data, std::int64_t bytes, cudaStream_t stream) {
  host_bytes copy(static_cast<std::size_t>(bytes));
  check(cudaStreamSynchronize(stream));
  check(cudaMemcpy(copy.data(), data, copy.size(), cudaMemcpyDeviceToHost));
  return copy;
}

host_bytes results_of(const plan& p, const operands& data, cudaStream_t stream) {
  const std::int64_t bytes = p.form.results() * result_bytes(p.what);
  cuda::device_buffer out(bytes), workspace(p.workspace_bytes());
  const std::span<std::byte> work{workspace.data(), static_cast<std::size_t>(workspace.size())};
  cuda::reduce_async(p, data, out.data(), work, stream);
  check_status(cuda::status_of(work, stream), p.what);
  return copied(out.data(), bytes, stream);
}

// As many of the first rows as fit, or else the beginnings of one.
array_view prefix_of(const array_view& view, std::int64_t bytes = prefix_bytes) {
  std::vector<std::int64_t> extents = view.extents;
  std::int64_t left = bytes / item_bytes(view.type);
  for (std::size_t axis = extents.size(); axis-- > 0;) {
    extents[axis] = std::min(extents[axis], std::max<std::int64_t>(left, 1));
    left /= extents[axis];
  }
  return make_view(view.data, view.type, std::move(extents), view.where);
}

template <floating_storage T>
std::vector<multifold::exact_value> values_of(const T* x, const batches& form, op_kind op) {
  std::vector<multifold::exact_value> values;
  values.reserve(static_cast<std::size_t>(form.results()));
  std::vector<exact_sum<T>> sums;
  for (std::int64_t o = 0; o < form.outer; ++o) {
    sums.assign(static_cast<std::size_t>(form.inner), {});
    for (std::int64_t k = 0; k < form.length; ++k) {
      for (exact_sum<T>& sum : sums) sum.add(*x++);
    }
    for (const exact_sum<T>& sum : sums) values.push_back(op == op_kind::mean ? exact_mean(sum) : exact_total(sum));
  }
  return values;
}

std::vector<multifold::exact_value> values_of(const host_bytes& elements, const reduction& what, const batches& form) {
  return visit_dtype(what.input, [&]<class T>() -> std::vector<multifold::exact_value> {
    if constexpr (floating_storage<T>) return values_of(reinterpret_cast<const T*>(elements.data()), form, what.op);
    else return {};
  });
}

std::string difference(const char* what, const host_bytes& got, const host_bytes& expected, dtype type) {
  if (got == expected) return {};
  const auto at = std::mismatch(got.begin(), got.end(), expected.begin()).first - got.begin();
  return std::string(what) + ": the bits of result " + std::to_string(at / item_bytes(type)) + " are wrong";
}

// Once as it is timed and once as doubles, where fewer sums overflow and more bits are seen.
std::string check_prefix(const bench_case& c, const contender& who, const array_view& view, const plan& timed,
                         cudaStream_t stream) {
  const array_view prefix = prefix_of(view);
  const host_bytes elements = copied(prefix.data, prefix.elements() * item_bytes(prefix.type), stream);
  plan p = plan_of(c, who, prefix, timed.engine);
  const std::vector<multifold::exact_value> values = values_of(elements, p.what, p.form);
  for (dtype type : {p.what.result, dtype::f64}) {
    p.what.result = type;
    host_bytes expected(values.size() * static_cast<std::size_t>(item_bytes(type)));
    for (std::size_t i = 0; i < values.size(); ++i) {
      round_to(values[i], type, expected.data() + i * static_cast<std::size_t>(item_bytes(type)));
    }
    const std::string wrong = difference("first 64 MiB", results_of(p, prefix.data, stream), expected, type);
    if (!wrong.empty()) return wrong;
  }
  return {};
}

double number(dtype type, const std::byte* at) {
  return visit_dtype(type, [&]<class T>() -> double {
    T x;
    std::memcpy(&x, at, sizeof(T));
    if constexpr (floating_storage<T>) return to_double(x);
    else return 0;
  });
}

}  // namespace

std::string check_exact(const bench_case& c, const contender& who, const array_view& view, const plan& timed,
                        const void* results, cudaStream_t stream) {
  const std::string wrong = check_prefix(c, who, view, timed, stream);
  if (!wrong.empty()) return wrong;
  contender other = who;
  other.forced.how = finish::next_pass;
  const plan p = plan_of(c, other, view, timed.engine);
  const bool same_kernels = p.passes.size() == 1 && timed.passes.size() == 1 && p.passes[0].parts == 1 &&
                            p.passes[0].kind == timed.passes[0].kind;
  if (same_kernels) return {};
  const dtype type = timed.what.result;
  const host_bytes got = copied(results, timed.form.results() * item_bytes(type), stream);
  return difference("finish next pass", got, results_of(p, view.data, stream), type);
}

operands operands_of(const bench_case& c, const array_view& view, const void* first) {
  const std::int64_t bytes = view.elements() * item_bytes(view.type);
  return {first, reads_two_arrays(c) ? static_cast<const std::byte*>(first) + bytes : nullptr};
}

std::string check_moments(const bench_case& c, const contender& who, const array_view& view, const plan& timed,
                          const void* results, cudaStream_t stream) {
  constexpr std::int64_t interpreted_bytes = std::int64_t{4} << 20;
  const array_view prefix = prefix_of(view, interpreted_bytes);
  const operands there = operands_of(c, view, view.data);
  const std::int64_t bytes = prefix.elements() * item_bytes(prefix.type);
  const host_bytes x = copied(there.x, bytes, stream);
  const host_bytes y = reads_two_arrays(c) ? copied(there.y, bytes, stream) : host_bytes();
  const plan p = plan_of(c, who, prefix, timed.engine);
  host_bytes expected(static_cast<std::size_t>(p.form.results() * result_bytes(p.what)));
  interpret(p, {x.data(), y.data()}, expected.data());
  if (results_of(p, there, stream) != expected) return "the bits of the first 4 MiB are wrong";
  contender other = who;
  other.forced.parts = timed.passes[0].parts > 1 ? 100 : 2;
  const plan q = plan_of(c, other, view, timed.engine);
  const host_bytes got = copied(results, timed.form.results() * result_bytes(timed.what), stream);
  return got == results_of(q, there, stream) ? "" : "the bits depend on the parts";
}

// The roundings are a random walk, as in oracle.cu; but elements have a mean square of at most 1, and uniform
// ones a mean, so that all sums of a tree over n elements are less than n in the root of their squares.
std::string check_rounded(const bench_case& c, const plan& exact, const void* exact_results, dtype type,
                          const void* results, tolerance allowed, cudaStream_t stream) {
  const bool bounded = c.data == data_set::normal || c.data == data_set::uniform;
  if (!bounded || allowed == tolerance::unchecked) return {};
  const std::int64_t count = std::min(exact.form.results(), compared_results);
  const dtype exact_type = exact.what.result;
  const host_bytes expected = copied(exact_results, count * item_bytes(exact_type), stream);
  const host_bytes got = copied(results, count * item_bytes(type), stream);
  const double unit = allowed == tolerance::f32 ? 0x1p-24 : 0x1p-53;
  const double length = c.op == op_kind::mean ? 1 : static_cast<double>(exact.form.length);
  const double last = type == dtype::f64 && exact_type == dtype::f64 ? 0x1p-52 : 0x1p-23;
  for (std::int64_t i = 0; i < count; ++i) {
    const double x = number(type, got.data() + i * item_bytes(type));
    const double y = number(exact_type, expected.data() + i * item_bytes(exact_type));
    if (std::abs(x - y) <= 16 * unit * length + last * std::abs(y)) continue;
    char text[120];
    std::snprintf(text, sizeof(text), "result %lld is %.17g instead of %.17g", static_cast<long long>(i), x, y);
    return text;
  }
  return {};
}

}  // namespace bench
