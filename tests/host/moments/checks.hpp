// How norms, dot products, variances and descriptions of the engine are run and checked: against the interpreter, and
// against their folds element by element, at every SIMD level and with several threads.
#pragma once

#include <cmath>
#include <utility>

#include "core/fractional_correction.hpp"
#include "host/exact/checks.hpp"
#include "multifold/error.hpp"
#include "random_bits.hpp"

namespace test {

inline constexpr op_kind moment_ops[] = {op_kind::norm1, op_kind::sumsq, op_kind::norm2, op_kind::var,
                                         op_kind::std,   op_kind::dot,   op_kind::cov,   op_kind::describe};
inline constexpr dtype moment_dtypes[] = {dtype::boolean, dtype::i8,  dtype::i16, dtype::i32, dtype::i64,
                                          dtype::u8,      dtype::u16, dtype::u32, dtype::u64, dtype::f16,
                                          dtype::bf16,    dtype::f32, dtype::f64};

/// An array, and another one of the same shape and strides.
struct array_pair {
  array x, y;

  operands data() const { return {x.view.data, y.view.data}; }
};

inline void fill_any(dtype type, family f, std::byte* at, std::int64_t count, test::random_bits& random) {
  if (is_floating(type)) fill_family(type, f, at, count, random);
  else fill(type, at, count, random);
}

inline array_pair pair_of(array x, family f, test::random_bits& random) {
  array y = x;
  const auto offset = static_cast<const std::byte*>(x.view.data) - x.memory.data();
  const std::int64_t item = item_bytes(x.view.type), first = offset % item;
  fill_any(x.view.type, f, y.memory.data() + first, (static_cast<std::int64_t>(y.memory.size()) - first) / item,
           random);
  y.view.data = y.memory.data() + offset;
  x.view.data = x.memory.data() + offset;  // the same, for vectors keep their memory when they are moved
  return {std::move(x), std::move(y)};
}

inline array_pair random_pair(dtype type, family f, const std::vector<std::int64_t>& extents,
                              test::random_bits& random) {
  array x = is_floating(type) ? random_array_of(type, f, extents, random) : random_array(type, extents, random);
  return pair_of(std::move(x), random() % 2 == 0 ? f : family::normal, random);
}

inline array_pair dense_pair(dtype type, family f, const std::vector<std::int64_t>& extents,
                             test::random_bits& random) {
  const auto misalign = static_cast<std::int64_t>(random() % 8);
  array x;
  x.view = make_view(nullptr, type, extents);
  x.memory.resize(static_cast<std::size_t>(x.view.elements() * item_bytes(type) + misalign));
  x.view.data = x.memory.data() + misalign;
  fill_any(type, f, x.memory.data() + misalign, x.view.elements(), random);
  return pair_of(std::move(x), random() % 2 == 0 ? f : family::normal, random);
}

/// Result bytes, or the error that there was instead.
struct moment_outcome {
  bytes results;
  std::string error;
  bool operator==(const moment_outcome&) const = default;
};

template <class Run>
moment_outcome moments_by(const plan& p, const Run& run) {
  moment_outcome o;
  o.results.assign(static_cast<std::size_t>(p.form.results() * result_bytes(p.what)), 0xab);
  try {
    run(o.results.data());
  } catch (const error& e) {
    o.error = e.what();
    o.results.clear();
  }
  return o;
}

/// Of dense rows, element by element; for a long row the interpreter is slow.
inline moment_outcome moments_of_rows(const plan& p, const operands& data) {
  return moments_by(p, [&](unsigned char* out) {
    visit_dtype(p.what.input, [&]<class T>() {
      visit_fold<op_family::moments, T>(p.what, [&](const auto& op) {
        const auto load = [](const void* from, std::int64_t i) {
          T x;
          std::memcpy(&x, static_cast<const std::byte*>(from) + i * static_cast<std::int64_t>(sizeof(T)), sizeof(T));
          return x;
        };
        for (std::int64_t row = 0; row < p.form.results(); ++row) {
          auto sums = op.identity();
          for (std::int64_t k = 0; k < p.form.length; ++k) {
            const std::int64_t i = row * p.form.length + k;
            if constexpr (reads_two_arrays(std::remove_cvref_t<decltype(op)>::set)) {
              op.add(sums, {load(data.x, i), load(data.y, i)}, k);
            } else {
              op.add(sums, load(data.x, i), k);
            }
          }
          const auto value = multifold::detail::finish_any(p.what.op, op.lower(sums, p.form.length), p.what.initial);
          alignas(8) unsigned char result[sizeof(summary)];
          check_status(store(value, p.what.result, result), p.what, p.form.results() == 1 ? -1 : row);
          const std::int64_t size = result_bytes(p.what);
          std::memcpy(out + row * size, result, static_cast<std::size_t>(size));
        }
      });
    });
  });
}

inline moment_outcome interpreted_moments(const plan& p, const operands& data) {
  return moments_by(p, [&](unsigned char* out) { interpret(p, data, out); });
}

inline void expect_moments(const moment_outcome& expected, const plan& p, const array_pair& a, family f) {
  const operands data = takes_two_arrays(p.what.op) ? a.data() : operands{a.x.view.data};
  for (host::simd_level level : levels()) {
    const simd_guard guard(level);
    for (int threads : {1, 3}) {
      host::run_options options;
      options.threads = threads;
      const moment_outcome found = moments_by(p, [&](unsigned char* out) { host::run(p, data, out, options); });
      ASSERT_EQ(expected, found) << describe(p, a.x.view, f) << name(level) << " x" << threads << " expected "
                                 << expected.error << " found " << found.error;
      if (a.x.view.elements() * item_bytes(p.what.input) < (256 << 10)) break;  // those run on the calling thread
    }
  }
}

inline void check_rows_of_moments(const reduction& what, family f, const array_pair& rows) {
  const plan p = plan_for(what, rows.x.view, {rows.x.view.rank() - 1});
  expect_moments(moments_of_rows(p, rows.data()), p, rows, f);
}

/// As reduction::correction holds it: an integer, or any fraction.
inline std::int64_t random_correction(test::random_bits& random) {
  if (random() % 3 != 0) return static_cast<std::int64_t>(random() % 4) - 1;
  const auto fraction = static_cast<double>(random() >> 12) * 0x1p-52 * static_cast<double>(1 + random() % 8);
  return multifold::correction(random() % 2 == 0 ? fraction : std::ceil(fraction * 4) / 4).held();
}

/// Any moments of any dtype, half of them of floating point.
inline reduction random_moments(test::random_bits& random) {
  const op_kind op = moment_ops[random() % std::size(moment_ops)];
  const dtype type = moment_dtypes[random() % 2 == 0 ? random() % 13 : 9 + random() % 4];
  reduction what = make_reduction(op, type, random() % 2 == 0 ? nan_policy::propagate : nan_policy::omit);
  if (random() % 3 == 0) what.result = dtype::f64;
  what.correction = random_correction(random);
  return what;
}

}  // namespace test
