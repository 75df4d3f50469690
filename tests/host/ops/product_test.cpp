// Products on every SIMD level, of rows and columns, short and long, of elements anywhere in their range: the bits of
// the interpreter's.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "host/engine.hpp"
#include "host/random_array.hpp"
#include "host/simd_guard.hpp"
#include "random_bits.hpp"

namespace {

using namespace multifold;

enum class family { near_one, wide, balanced, any_bits, rare_special, often_special };

double real_of(family kind, dtype type, std::int64_t index, test::random_bits& random) {
  const double widest = type == dtype::f64 ? 1070 : type == dtype::f16 ? 14 : 120;
  const double sign = random() % 2 == 0 ? 1 : -1;
  const auto uniform = [&](double a, double b) { return std::uniform_real_distribution<double>(a, b)(random); };
  const double specials[] = {0.0, -0.0, HUGE_VAL, -HUGE_VAL, std::numeric_limits<double>::quiet_NaN()};
  switch (kind) {
    case family::near_one: return sign * uniform(0.8, 1.25);
    case family::wide: return sign * std::exp2(uniform(-widest, widest * 0.95));
    case family::balanced: return sign * std::exp2((index % 2 == 0 ? 0.9 : -0.9) * widest + uniform(-1, 1));
    case family::rare_special: return random() % 300 == 0 ? specials[random() % 2] : sign * uniform(0.8, 1.25);
    case family::often_special: return random() % 3 == 0 ? specials[random() % 5] : sign * uniform(0.8, 1.25);
    case family::any_bits: break;
  }
  return std::exp2(uniform(-widest - 20, -widest));  // subnormal, or nearly
}

void fill(family kind, dtype type, std::byte* at, std::int64_t count, test::random_bits& random) {
  visit_dtype(type, [&]<class T>() {
    for (std::int64_t i = 0; i < count; ++i) {
      T x;
      if constexpr (std::is_same_v<T, f16>) x = to_f16(real_of(kind, type, i, random));
      else if constexpr (std::is_same_v<T, bf16>) x = to_bf16(real_of(kind, type, i, random));
      else if constexpr (std::is_floating_point_v<T>) x = static_cast<T>(real_of(kind, type, i, random));
      else if constexpr (std::is_same_v<T, bool8>) x = {static_cast<std::uint8_t>(random() % 200 == 0 ? 0 : 7)};
      else if (kind == family::near_one) x = static_cast<T>(random() % 50 == 0 ? 3 : 1);
      else if (kind == family::rare_special && random() % 300 == 0) x = 0;
      else x = static_cast<T>(static_cast<T>(random() >> (random() % 64)) | 1);
      std::memcpy(at + i * static_cast<std::int64_t>(sizeof(T)), &x, sizeof(T));
    }
  });
}

struct shape {
  std::vector<std::int64_t> extents, axes;
};
const shape shapes[] = {{{1}, {0}},        {{7}, {0}},       {{200}, {0}},      {{5, 3}, {1}},      {{40, 8}, {1}},
                        {{30, 31}, {1}},   {{9, 127}, {1}},  {{3, 1001}, {1}},  {{70001}, {0}},     {{40, 3}, {0}},
                        {{300, 17}, {0}},  {{50, 100}, {0}}, {{33, 1500}, {0}}, {{3, 50, 65}, {1}}, {{6, 7, 8}, {0, 2}},
                        {{2, 40000}, {1}}, {{2000, 5}, {0}}};

void expect_interpreted(const reduction& what, const shape& s, const std::byte* data) {
  const array_view view = make_view(data, what.input, s.extents);
  const plan p = make_plan(what, normalise(view, s.axes, order_of(what.op)), {}, host::traits(1));
  const auto bytes = static_cast<std::size_t>(p.form.results() * item_bytes(what.result));
  std::vector<std::byte> expected(bytes), found(bytes);
  interpret(p, data, expected.data());
  for (const host::simd_level level : test::levels()) {
    const test::simd_guard guard(level);
    host::run(p, data, found.data());
    ASSERT_EQ(expected, found) << name(what.input) << " to " << name(what.result) << " at " << name(level) << "\n"
                               << explain(p);
  }
}

TEST(product_host, has_the_bits_of_the_interpreter) {
  test::random_bits random(11);
  std::vector<std::byte> memory(80'000 * 8);
  for (const dtype type : {dtype::f16, dtype::bf16, dtype::f32, dtype::f64, dtype::boolean, dtype::i8, dtype::u16,
                           dtype::i32, dtype::i64, dtype::u64}) {
    for (const family kind : {family::near_one, family::wide, family::balanced, family::any_bits, family::rare_special,
                              family::often_special}) {
      for (const shape& s : shapes) {
        fill(kind, type, memory.data(), element_count(s.extents), random);
        for (const nan_policy nan : {nan_policy::propagate, nan_policy::omit}) {
          reduction what = make_reduction(op_kind::prod, type, nan);
          what.result = random() % 2 == 0 || !is_floating(type) ? dtype::f64 : type;
          ASSERT_NO_FATAL_FAILURE(expect_interpreted(what, s, memory.data()));
        }
      }
    }
  }
}

}  // namespace
