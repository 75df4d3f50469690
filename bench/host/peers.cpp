// What peers.py calls: reductions of arrays that NumPy or PyTorch made, timed.
#include <chrono>
#include <cstdio>
#include <cstring>
#include <exception>
#include <span>
#include <string_view>

#include "multifold/ranges.hpp"
#include "multifold/reduce.hpp"

namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

template <class T>
T value_of(std::string_view op, std::span<const T> x, std::span<const T> y) {
  using namespace multifold;
  if (op == "mean") return mean(x);
  if (op == "var") return var(x);
  if (op == "max") return multifold::max(x);
  if (op == "norm2") return norm2(x);
  if (op == "dot") return dot(x, y);
  return sum(x);
}

}  // namespace

/// Seconds of one reduction of `rows` x `columns` dense elements, over `axis` or, where that is -1, over both; less
/// than 0 if it was refused, and why on stderr. `y` is the second array of operations that read two, or null.
/// `results` has room for them.
extern "C" [[gnu::visibility("default")]] double multifold_reduce_seconds(const char* op, const char* type,
                                                                          const void* x, const void* y,
                                                                          std::int64_t rows, std::int64_t columns,
                                                                          int axis, int threads, int exact,
                                                                          void* results, std::int64_t result_bytes) {
  using namespace multifold;
  try {
    const op_kind kind = parse_op(op).value();
    const dtype element = parse_dtype(type).value();
    reduce_options options;
    if (axis >= 0) options.axes = {axis};
    options.engine = engine_choice::host;
    options.threads = threads;
    if (has_exact_form(kind) && is_floating(element)) options.wanted = exact != 0 ? accuracy::exact : accuracy::fast;
    options.into = {static_cast<std::byte*>(results), static_cast<std::size_t>(result_bytes)};
    const array_view a = make_view(x, element, {rows, columns});
    const auto start = std::chrono::steady_clock::now();
    if (y != nullptr) reduce(kind, a, make_view(y, element, {rows, columns}), options);
    else reduce(kind, a, options);
    return seconds_since(start);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s of %s: %s\n", op, type, e.what());
    return -1;
  }
}

/// Seconds of one of `calls` calls of the function for spans: sum, mean, var, max, norm2 or dot of `count` elements.
extern "C" [[gnu::visibility("default")]] double multifold_span_seconds(const char* op, const char* type, const void* x,
                                                                        const void* y, std::int64_t count,
                                                                        std::int64_t calls) {
  using namespace multifold;
  return visit_floating(parse_dtype(type).value(), [&]<class T>() {
    const std::span<const T> a(static_cast<const T*>(x), static_cast<std::size_t>(count));
    const std::span<const T> b(static_cast<const T*>(y), y != nullptr ? a.size() : 0);
    const auto start = std::chrono::steady_clock::now();
    for (std::int64_t i = 0; i < calls; ++i) {
      T value = value_of<T>(op, a, b);
      asm volatile("" : : "r"(&value) : "memory");
    }
    return seconds_since(start) / static_cast<double>(calls);
  });
}
