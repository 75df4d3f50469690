// Accumulators as GPUs have them, merged into those of the engine: the same bits as by the engine alone.
#include "host/exact/whole_accumulators.hpp"

#include <gtest/gtest.h>

#include <new>
#include <vector>

#include "host/aligned_bytes.hpp"
#include "host/exact/arrays.hpp"
#include "multifold/ops/visit.hpp"
#include "random_bits.hpp"

namespace {

using namespace multifold;

template <class Value>
struct element_at {
  static Value get(const std::byte* x, const std::byte*, std::int64_t i) {
    return reinterpret_cast<const Value*>(x)[i];
  }
};
template <class T>
struct element_at<element_pair<T>> {
  static element_pair<T> get(const std::byte* x, const std::byte* y, std::int64_t i) {
    return {reinterpret_cast<const T*>(x)[i], reinterpret_cast<const T*>(y)[i]};
  }
};

struct arrays {
  std::vector<std::byte> x, y;
  std::int64_t item, count;
};

// As a GPU gathers elements [first, count).
host::aligned_bytes gathered(const reduction& what, const arrays& data, std::int64_t first) {
  host::aligned_bytes made = host::allocate_accumulators(1, accumulator_bytes(what));
  visit_fold(what, [&](auto op) {
    using value_type = typename decltype(op)::value_type;
    auto& sum = *new (made.get()) typename decltype(op)::accumulator(op.identity());
    for (std::int64_t i = first; i < data.count; ++i) {
      const value_type x = element_at<value_type>::get(data.x.data(), data.y.data(), i);
      if constexpr (requires { op.add(sum, x, i); }) op.add(sum, x, i);
      else sum = op.combine(sum, op.lift(x, i));
    }
  });
  return made;
}

// By the engine: elements [0, end).
host::aligned_bytes added(const host::fold& f, const arrays& data, std::int64_t end) {
  host::aligned_bytes made = host::allocate_accumulators(1, f.acc_bytes());
  f.clear(made.get(), 1);
  if (end > 0) f.rows({data.x.data(), end, 1, end, made.get(), 0, 0, 0, 1, data.y.data() - data.x.data()});
  return made;
}

std::vector<std::byte> lowered(const host::fold& f, const reduction& what, const std::byte* acc, std::int64_t count) {
  std::vector<std::byte> out(static_cast<std::size_t>(result_bytes(what)), std::byte{0xa5});
  f.lower({&what, acc, 1, count, out.data(), result_bytes(what)});
  return out;
}

void check(const reduction& what, const arrays& data, std::int64_t cut) {
  const host::fold f = host::make_fold(what);
  const host::aligned_bytes all = added(f, data, data.count), some = added(f, data, cut);
  const host::aligned_bytes rest = gathered(what, data, cut);
  host::merge_whole(f, what, some.get(), rest.get(), 1);
  EXPECT_EQ(lowered(f, what, some.get(), data.count), lowered(f, what, all.get(), data.count))
      << name(what.op) << " of " << name(what.input) << ", cut at " << cut << " of " << data.count;
}

constexpr std::int64_t count = 300;

arrays arrays_of(dtype type, test::family f, std::uint64_t seed) {
  test::random_bits random(seed);
  const auto bytes = static_cast<std::size_t>(count * item_bytes(type));
  arrays made{std::vector<std::byte>(bytes), std::vector<std::byte>(bytes), item_bytes(type), count};
  test::fill_family(type, f, made.x.data(), count, random);
  test::fill_family(type, f, made.y.data(), count, random);
  return made;
}

TEST(whole_accumulators, of_floating_point) {
  for (const dtype type : {dtype::f16, dtype::bf16, dtype::f32, dtype::f64}) {
    for (int each = 0; each < test::families; ++each) {
      const arrays data = arrays_of(type, static_cast<test::family>(each), 5);
      for (const nan_policy nan : {nan_policy::propagate, nan_policy::omit}) {
        for (const std::int64_t cut : {std::int64_t{0}, std::int64_t{1}, count / 2, count}) {
          for (const op_kind op : {op_kind::sum, op_kind::mean, op_kind::min, op_kind::argmax, op_kind::norm1,
                                   op_kind::norm2, op_kind::var, op_kind::dot, op_kind::cov, op_kind::describe}) {
            check(make_reduction(op, type, nan), data, cut);
          }
        }
      }
    }
  }
}

TEST(whole_accumulators, of_integers) {
  test::random_bits random(3);
  for (const dtype type : {dtype::i8, dtype::u16, dtype::i32, dtype::i64, dtype::u64}) {
    arrays data{{}, {}, item_bytes(type), count};
    for (std::vector<std::byte>* each : {&data.x, &data.y}) {
      each->resize(static_cast<std::size_t>(count * data.item));
      // Small, so that sums fit.
      for (std::int64_t i = 0; i < count; ++i)
        (*each)[static_cast<std::size_t>(i * data.item)] = std::byte(random() % 100);
    }
    for (const op_kind op : {op_kind::sum, op_kind::mean, op_kind::max, op_kind::argmin, op_kind::var, op_kind::cov}) {
      for (const std::int64_t cut : {std::int64_t{0}, count / 3, count}) check(make_reduction(op, type), data, cut);
    }
  }
}

TEST(whole_accumulators, of_moments_of_any_integers) {
  test::random_bits random(13);
  for (const dtype type :
       {dtype::boolean, dtype::i8, dtype::u8, dtype::i16, dtype::u32, dtype::i32, dtype::i64, dtype::u64}) {
    for (const op_kind op : {op_kind::norm1, op_kind::sumsq, op_kind::norm2, op_kind::std, op_kind::dot, op_kind::cov,
                             op_kind::describe}) {
      arrays data{{}, {}, item_bytes(type), count};
      for (std::vector<std::byte>* each : {&data.x, &data.y}) {
        each->resize(static_cast<std::size_t>(count * data.item));
        for (std::byte& b : *each) b = type == dtype::boolean ? std::byte(random() % 2) : std::byte(random());
      }
      for (const std::int64_t cut : {std::int64_t{0}, std::int64_t{1}, count / 3, count}) {
        check(make_reduction(op, type), data, cut);
      }
    }
  }
}

// But for exact sums of floating point and moments, accumulators have the same layout on both sides.
TEST(whole_accumulators, are_as_large) {
  for (const dtype type : {dtype::f16, dtype::f32, dtype::f64, dtype::i8, dtype::i64, dtype::boolean}) {
    for (const op_kind op : {op_kind::sum, op_kind::mean, op_kind::prod, op_kind::min, op_kind::argmin, op_kind::norm1,
                             op_kind::std, op_kind::dot, op_kind::cov, op_kind::describe}) {
      const reduction what = make_reduction(op, type);
      if (gathers_exactly(what) || family_of(what) == op_family::moments) continue;
      EXPECT_EQ(host::make_fold(what).acc_bytes(), accumulator_bytes(what)) << name(op) << " of " << name(type);
    }
  }
}

}  // namespace
