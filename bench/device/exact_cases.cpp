// The table of exact sums: a case is a line. Cases of the same elements stand together, so that they are filled once.
#include "device/contenders.hpp"

namespace bench {
namespace {

using namespace multifold;

constexpr std::int64_t two_to(int e) { return std::int64_t{1} << e; }

contender exact() {
  contender c = ours("exact");
  c.numerics = accuracy::exact;
  return c;
}
contender fast() { return ours("fast"); }

struct named_set {
  const char* name;
  data_set set;
};
constexpr named_set normal{"normal", data_set::normal}, uniform{"uniform", data_set::uniform},
    lognormal_1{"lognormal_1", data_set::lognormal_1}, lognormal_3{"lognormal_3", data_set::lognormal_3},
    lognormal_10{"lognormal_10", data_set::lognormal_10}, lognormal_50{"lognormal_50", data_set::lognormal_50},
    any_finite{"any_finite", data_set::any_finite}, adversarial{"adversarial", data_set::adversarial};

bench_case exact_case(const std::string& label, dtype type, std::vector<std::int64_t> extents, std::int64_t axis,
                      std::vector<contender> contenders) {
  bench_case c{"exact/" + label, op_kind::sum, type, std::move(extents), {axis}, std::move(contenders)};
  c.data = data_set::normal;
  return c;
}

bench_case full_case(const named_set& of, dtype type, std::vector<contender> contenders) {
  const std::string label = std::string(of.name) + "/" + std::string(name(type));
  bench_case c = exact_case(label, type, {0}, 0, std::move(contenders));
  c.data = of.set;
  return c;
}

bench_case small_case(const named_set& of, dtype type, int log_bytes, bool captured, const contender& cub_sum) {
  const bool kib = log_bytes < 20;
  const std::string size = std::to_string(two_to(log_bytes - (kib ? 10 : 20))) + (kib ? "KiB" : "MiB");
  const std::string set = of.set == data_set::normal ? "" : std::string(of.name) + "/";
  bench_case c = exact_case("small/" + set + size + (captured ? "/captured/" : "/single/") + std::string(name(type)),
                            type, {two_to(log_bytes) / item_bytes(type)}, 0, {exact(), fast(), cub_sum});
  c.data = of.set;
  c.how = captured ? pace::captured : pace::single;
  return c;
}

// Rows that one wave of blocks reads.
void append_small(std::vector<bench_case>& all, const named_set& of, dtype type, const contender& cub_sum) {
  for (int log_bytes : {20, 23, 25}) all.push_back(small_case(of, type, log_bytes, true, cub_sum));
}

// Of normal elements, all of them.
void append_shapes(std::vector<bench_case>& all, const contender& cub_f32) {
  const auto add = [&](const std::string& label, std::vector<std::int64_t> extents, std::int64_t axis) {
    all.push_back(exact_case(label + "/f32", dtype::f32, std::move(extents), axis, {exact(), fast(), read()}));
  };
  add("mean", {0}, 0);
  all.back().op = op_kind::mean;
  add("few_huge/4x2^28", {4, two_to(28)}, 1);
  add("rows/2^20x1024", {two_to(20), 1024}, 1);
  add("rows/2^24x64", {two_to(24), 64}, 1);
  add("rows/2^26x16", {two_to(26), 16}, 1);
  add("columns/2^20x1024", {two_to(20), 1024}, 0);
  add("columns/2^28x4", {two_to(28), 4}, 0);
  for (int log_bytes : {12, 16, 18, 20, 22, 23, 24, 25, 26}) {
    for (bool captured : {false, true}) all.push_back(small_case(normal, dtype::f32, log_bytes, captured, cub_f32));
  }
}

// Beside sums of CUB that have the same bits on every GPU. Of 2^31 f64 and of 2^32 f32 those of CUB 3.6.0 came out wrong:
// here are fewer.
void append_reproducible(std::vector<bench_case>& all, dtype type, std::int64_t count, const contender& cub_sum,
                         const contender& same_bits) {
  const std::string label = "reproducible/" + std::string(name(type));
  all.push_back(exact_case(label, type, {count}, 0, {exact(), fast(), cub_sum, same_bits, read()}));
}

}  // namespace

std::vector<bench_case> exact_cases() {
  constexpr tolerance in_f32 = tolerance::f32;
  const contender cub_f32 = cub(cub_sum<float, float>, dtype::f32, in_f32);
  const contender cub_f64 = cub(cub_sum<double, double>, dtype::f64, tolerance::f64);
  const contender cub_f16 = cub(cub_sum_in_f32<f16>, dtype::f32, in_f32);
  const contender cub_bf16 = cub(cub_sum_in_f32<bf16>, dtype::f32, in_f32);
  const contender narrow_f16 = peer("cub in f16", cub_sum<f16, f16>, dtype::f16, tolerance::unchecked);
  const contender narrow_bf16 = peer("cub in bf16", cub_sum<bf16, bf16>, dtype::bf16, tolerance::unchecked);

  std::vector<bench_case> all{full_case(normal, dtype::f32, {exact(), fast(), cub_f32, read()})};
  append_shapes(all, cub_f32);
  // Not of f32: CUB 3.6.0 gave -1.3e33 for 5619, of 2^30 normal numbers.
  append_reproducible(all, dtype::f64, two_to(29), cub_f64,
                      peer("cub gpu_to_gpu", cub_reproducible_sum<double>, dtype::f64, tolerance::f64));
  for (const named_set& of : {uniform, lognormal_1, lognormal_3, lognormal_10, lognormal_50, any_finite, adversarial}) {
    all.push_back(full_case(of, dtype::f32, {exact(), fast(), cub_f32, read()}));
    if (of.set == data_set::any_finite) append_small(all, of, dtype::f32, cub_f32);
  }
  for (const named_set& of :
       {normal, uniform, lognormal_1, lognormal_3, lognormal_10, lognormal_50, any_finite, adversarial}) {
    all.push_back(full_case(of, dtype::f64, {exact(), fast(), cub_f64, read()}));
    if (of.set == data_set::normal || of.set == data_set::any_finite) append_small(all, of, dtype::f64, cub_f64);
  }
  for (const named_set& of : {normal, lognormal_50, any_finite}) {
    all.push_back(full_case(of, dtype::bf16, {exact(), fast(), cub_bf16, narrow_bf16, read()}));
    if (of.set != data_set::lognormal_50) append_small(all, of, dtype::bf16, cub_bf16);
  }
  for (const named_set& of : {normal, lognormal_50, any_finite}) {
    all.push_back(full_case(of, dtype::f16, {exact(), fast(), cub_f16, narrow_f16, read()}));
  }
  return all;
}

}  // namespace bench
