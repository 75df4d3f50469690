// Folds on the CPU: logsumexp, and operations of the user's own, one of which has to have elements in order.
#include <cstring>
#include <type_traits>

#include "agreement/fold.hpp"
#include "agreement/run/attempt.hpp"
#include "agreement/run/sources.hpp"
#include "agreement/worker.hpp"
#include "multifold/fold.hpp"
#include "multifold/logsumexp.hpp"

namespace multifold::agreement {
namespace {

template <class T>
fingerprint print_of(T x, std::int64_t index) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &x, sizeof x);
  return fingerprint::of(bits, index);
}

template <class T>
struct print_fold {
  using value_type = T;
  using accumulator = fingerprint;

  fingerprint identity() const { return {}; }
  fingerprint lift(T x, std::int64_t index) const { return print_of(x, index); }
  fingerprint combine(fingerprint a, const fingerprint& b) const {
    a.merge(b);
    return a;
  }
  fingerprint lower(fingerprint a, std::int64_t count) const {
    a.length = count;
    return a;
  }
};

// Neighbours, which meet in order.
struct ordered_print {
  fingerprint all;
  std::int64_t first = 0, end = 0;
  bool torn = false;
};

template <class T>
struct ordered_fold {
  using value_type = T;
  using accumulator = ordered_print;
  static constexpr bool ordered = true;

  ordered_print identity() const { return {}; }
  ordered_print lift(T x, std::int64_t index) const { return {print_of(x, index), index, index + 1, false}; }
  ordered_print combine(ordered_print a, const ordered_print& b) const {
    if (b.first == b.end) return a.torn || !b.torn ? a : b;
    if (a.first == a.end) return b;
    a.torn = a.torn || b.torn || a.end != b.first;
    a.end = b.end;
    a.all.merge(b.all);
    return a;
  }
  fingerprint lower(ordered_print a, std::int64_t count) const {
    a.all.length = a.torn ? -1 : count;
    return a.all;
  }
};

// Booleans are no numbers to it.
template <class T>
using logsumexp_of = logsumexp_fold<std::conditional_t<std::is_same_v<T, bool8>, bool, T>>;

// `keep` gets what came of it.
template <template <class> class Op, class Keep>
void fold_by(const trial& t, const laid_out& arrays, const std::filesystem::path& folder, const Keep& keep) {
  fold_options options;
  if (t.axes) options.axes = *t.axes;
  options.keepdims = t.keepdims;
  options.threads = t.threads;
  options.memory_bytes = t.memory_bytes;
  visit_dtype(t.type, [&]<class T>() {
    if (!is_source(t.where)) return keep(fold(Op<T>{}, array_view{arrays.x, t.type, t.extents, t.strides}, options));
    const auto x = make_source_of(t, {arrays.buffer_x, static_cast<std::size_t>(arrays.bytes)}, folder / "x");
    keep(fold(Op<T>{}, *x, options));
  });
}

template <class Value>
void keep_folded(const folded<Value>& all, dtype type, outcome& got) {
  got.extents = all.extents;
  got.type = type;
  got.bytes.resize(all.values.size() * sizeof(Value));
  if (!got.bytes.empty()) std::memcpy(got.bytes.data(), all.values.data(), got.bytes.size());
}

}  // namespace

outcome run_fold(const trial& t, const laid_out& arrays, const std::filesystem::path& folder) {
  return attempt([&](outcome& got) {
    const auto keep = [&](const folded<fingerprint>& all) { keep_folded(all, t.type, got); };
    if (t.data.seed % 2 == 1) fold_by<ordered_fold>(t, arrays, folder, keep);
    else fold_by<print_fold>(t, arrays, folder, keep);
  });
}

outcome run_logsumexp(const trial& t, const laid_out& arrays, const std::filesystem::path& folder) {
  return attempt([&](outcome& got) {
    fold_by<logsumexp_of>(t, arrays, folder,
                          [&]<class Value>(const folded<Value>& all) { keep_folded(all, dtype_of<Value>, got); });
  });
}

}  // namespace multifold::agreement
