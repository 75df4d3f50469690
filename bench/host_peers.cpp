// What host_peers.py calls: one reduction of an array that NumPy or PyTorch made, timed.
#include <chrono>
#include <cstdio>
#include <cstring>
#include <exception>

#include "multifold/reduce.hpp"

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
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s of %s: %s\n", op, type, e.what());
    return -1;
  }
}
