// How exact sums of the engine are run and checked: against the interpreter, and against sums element by element, at
// every SIMD level and with several threads.
#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "host/engine.hpp"
#include "host/exact/arrays.hpp"
#include "host/simd_guard.hpp"
#include "multifold/ops/visit.hpp"

namespace test {

using namespace multifold;

using bytes = std::vector<unsigned char>;

inline std::string describe(const plan& p, const array_view& view, family f) {
  return std::string(name(p.what.op)) + " of " + std::string(name(p.what.input)) + " " + to_string(view.extents) +
         " strides " + to_string(view.strides) + " family " + std::to_string(static_cast<int>(f)) +
         (p.what.nan == nan_policy::omit ? " omit" : "") + "\n" + explain(p);
}

inline bytes run_engine(const plan& p, const void* data, int threads) {
  bytes out(static_cast<std::size_t>(p.form.results() * item_bytes(p.what.result)), 0xab);
  host::run_options options;
  options.threads = threads;
  host::run(p, data, out.data(), options);
  return out;
}

// Slow for long rows: an exact_sum is merged for every element.
inline bytes interpreted(const plan& p, const void* data) {
  bytes out(static_cast<std::size_t>(p.form.results() * item_bytes(p.what.result)));
  interpret(p, data, out.data());
  return out;
}

// The sums of dense rows, element by element.
inline bytes by_elements(const plan& p, const array_view& view) {
  const std::int64_t item = item_bytes(p.what.result), length = p.form.length;
  bytes out(static_cast<std::size_t>(p.form.results() * item));
  visit_dtype(view.type, [&]<class T>() {
    if constexpr (floating_storage<T>) {
      for (std::int64_t row = 0; row < p.form.results(); ++row) {
        exact_sum<T> sum;
        for (std::int64_t k = 0; k < length; ++k) {
          T x;
          std::memcpy(&x, static_cast<const T*>(view.data) + row * length + k, sizeof(T));
          if (p.what.nan == nan_policy::propagate || !detail::unpack(x).nan) sum.add(x);
        }
        alignas(8) unsigned char value[8];
        store(finish_scalar(p.what.op, sum, p.what.initial), p.what.result, value);
        std::memcpy(out.data() + row * item, value, static_cast<std::size_t>(item));
      }
    }
  });
  return out;
}

inline void expect_everywhere(const bytes& expected, const plan& p, const array_view& view, family f) {
  for (host::simd_level level : levels()) {
    const simd_guard guard(level);
    for (int threads : {1, 3}) {
      ASSERT_EQ(expected, run_engine(p, view.data, threads)) << describe(p, view, f) << name(level) << " x" << threads;
      if (view.elements() * item_bytes(view.type) < (256 << 10)) break;  // smaller arrays run on the calling thread
    }
  }
}

inline plan plan_for(const reduction& what, const array_view& view, const std::vector<std::int64_t>& axes,
                     const plan_options& forced = {}) {
  return make_plan(what, normalise(view, axes, order_of(what.op)), forced, host::traits(1));
}

template <class T>
double exact_total_of(const std::vector<T>& x, int threads = 1) {
  const array_view view = make_view(x.data(), {static_cast<std::int64_t>(x.size())});
  const plan p = plan_for(exact_reduction(op_kind::sum, dtype_of<T>, dtype::f64), view, {0});
  double result = 0;
  const bytes out = run_engine(p, view.data, threads);
  std::memcpy(&result, out.data(), sizeof result);
  return result;
}

template <class T>
double expected_total_of(const std::vector<T>& x) {
  exact_sum<T> sum;
  for (const T e : x) sum.add(e);
  return round_to<double>(sum);
}

// The elements, and then all but element `kept` with the other sign: what their sum has lost is then all there is.
template <class T>
std::vector<T> cancelled(std::vector<T> x, std::size_t kept) {
  const std::size_t length = x.size();
  for (std::size_t i = 0; i < length; ++i) x.push_back(from_double<T>(i == kept ? 0 : -to_double(x[i])));
  return x;
}

template <class T>
void expect_total(const std::vector<T>& x) {
  const double expected = expected_total_of(x);
  for (host::simd_level level : levels()) {
    const simd_guard guard(level);
    ASSERT_EQ(std::bit_cast<std::uint64_t>(expected), std::bit_cast<std::uint64_t>(exact_total_of(x)))
        << name(level) << " " << name(dtype_of<T>) << " x " << x.size();
  }
}

}  // namespace test
