// The table: a case is a line.
#include "device/contenders.hpp"

namespace bench {
namespace {

using namespace multifold;
using kind = contender::kind;

contender whole() { return simple("full sum", kind::whole); }
contender copy() { return simple("copy", kind::copy); }
contender thrust(peer_function call, dtype result, tolerance allowed) { return peer("thrust", call, result, allowed); }
contender segments() { return cub(cub_segments_f32, dtype::f32, tolerance::f32); }
contender fixed_segments() { return peer("cub fixed", cub_fixed_segments_f32, dtype::f32, tolerance::f32); }

plan_options passes(int count) {
  plan_options o;
  o.passes = count;
  return o;
}
plan_options finishing(finish how) {
  plan_options o;
  o.how = how;
  return o;
}
plan_options a_block_a_batch() {
  plan_options o;
  o.parts = 1;
  return o;
}
plan_options classic(block_form form) {
  plan_options o = a_block_a_batch();
  o.form = form;
  return o;
}

constexpr std::int64_t two_to(int e) { return std::int64_t{1} << e; }

}  // namespace

std::vector<bench_case> device_cases() {
  constexpr dtype i8 = dtype::i8, u8 = dtype::u8, i32 = dtype::i32, i64 = dtype::i64, f16 = dtype::f16,
                  bf16 = dtype::bf16, f32 = dtype::f32, f64 = dtype::f64;
  constexpr op_kind sum = op_kind::sum, max = op_kind::max;
  constexpr tolerance exact = tolerance::exact, in_f32 = tolerance::f32;
  using h = multifold::f16;
  using b = multifold::bf16;
  using s8 = std::int8_t;
  using s32 = std::int32_t;
  using s64 = std::int64_t;

  const contender cub_f32 = cub(cub_sum<float, float>, f32, in_f32);
  const contender cub_f64 = cub(cub_sum<double, double>, f64, tolerance::f64);
  const contender cub_i32 = cub(cub_sum<s32, s64>, i64, exact);
  const contender cub_i32_narrow = peer("cub to i32", cub_sum<s32, s32>, i32, tolerance::modulo_32);
  const contender cub_i8 = cub(cub_sum<s8, s64>, i64, exact);
  const contender cub_i8_narrow = peer("cub to i32", cub_sum<s8, s32>, i32, tolerance::modulo_32);
  const contender cub_f16_narrow = peer("cub in f16", cub_sum<h, h>, f16, tolerance::unchecked);
  const contender cub_bf16_narrow = peer("cub in bf16", cub_sum<b, b>, bf16, tolerance::unchecked);
  const contender thrust_f32 = thrust(thrust_sum<float, float>, f32, in_f32);
  const contender thrust_f64 = thrust(thrust_sum<double, double>, f64, tolerance::f64);
  const contender thrust_i32 = thrust(thrust_sum<s32, s64>, i64, exact);
  const contender thrust_i64 = thrust(thrust_sum<s64, s64>, i64, exact);
  const contender shuffle = ours("shuffle", classic(block_form::shuffle));
  const contender tree = ours("shared tree", classic(block_form::shared_tree));
  const contender one_block = ours("a block a batch", a_block_a_batch());
  const contender last = ours("last block", finishing(finish::last_block));
  const contender next = ours("next pass", finishing(finish::next_pass));
  const contender atomic = ours("atomic", finishing(finish::atomic));
  const contender two = ours("2 passes", passes(2)), three = ours("3 passes", passes(3));

  std::vector<bench_case> all{
      {"ceiling", sum, f32, {0}, {0}, {read(), copy()}},
      {"full/sum/f32", sum, f32, {0}, {0}, {ours(), cub_f32, thrust_f32, read()}},
      {"full/sum/f64", sum, f64, {0}, {0}, {ours(), cub_f64, thrust_f64, read()}},
      {"full/sum/i32", sum, i32, {0}, {0}, {ours(), cub_i32, thrust_i32, cub_i32_narrow, read()}},
      {"full/sum/i64", sum, i64, {0}, {0}, {ours(), cub(cub_sum<s64, s64>, i64, exact), thrust_i64, read()}},
      {"full/sum/i8", sum, i8, {0}, {0}, {ours(), cub_i8, cub_i8_narrow, read()}},
      {"full/sum/u8", sum, u8, {0}, {0}, {ours(), cub(cub_sum<std::uint8_t, s64>, i64, exact), read()}},
      {"full/sum/f16", sum, f16, {0}, {0}, {ours(), cub(cub_sum_in_f32<h>, f32, in_f32), cub_f16_narrow, read()}},
      {"full/sum/bf16", sum, bf16, {0}, {0}, {ours(), cub(cub_sum_in_f32<b>, f32, in_f32), cub_bf16_narrow, read()}},
      {"full/max/f32", max, f32, {0}, {0}, {ours(), cub(cub_max<float>, f32, exact), read()}},
      {"full/max/i8", max, i8, {0}, {0}, {ours(), cub(cub_max<s8>, i8, exact), read()}},
      {"full/argmax/f32", op_kind::argmax, f32, {0}, {0}, {ours(), cub(cub_argmax<float>, i64, exact), read()}},
      // CUB has no mean: its sum, which is the same reading. The result is not a mean, so it is not checked here.
      {"full/mean/f32",
       op_kind::mean,
       f32,
       {0},
       {0},
       {ours(), cub(cub_sum<float, float>, f32, tolerance::unchecked), read()}},
      {"classic/2048x262144/f32", sum, f32, {2048, 262144}, {1}, {shuffle, tree, ours(), segments(), read()}},
      {"few_huge/4x2^28/f32", sum, f32, {4, two_to(28)}, {1}, {ours(), segments(), one_block, whole(), read()}},
      {"finish/sum/f32", sum, f32, {0}, {0}, {last, cub_f32, next, two, three}},
      {"finish/sum/i32", sum, i32, {0}, {0}, {last, cub_i32, next, atomic, two, three}},
      {"strided/2^14x2^14x4/axis1/f32", sum, f32, {two_to(14), two_to(14), 4}, {1}, {ours(), read()}},
      {"misaligned/sum/f32", sum, f32, {0}, {0}, {ours(), cub_f32, read()}, 1},
      {"misaligned/sum/i8", sum, i8, {0}, {0}, {ours(), cub_i8, read()}, 1},
  };
  for (int e : {10, 8, 6, 4, 2}) {
    const std::vector<std::int64_t> extents{two_to(30 - e), two_to(e)};
    const std::string shape = "2^" + std::to_string(30 - e) + "x" + std::to_string(two_to(e));
    all.push_back({"rows/" + shape + "/f32", sum, f32, extents, {1}, {ours(), segments(), fixed_segments(), read()}});
    all.push_back({"columns/" + shape + "/f32", sum, f32, extents, {0}, {ours(), read()}});
  }
  for (int e : {12, 14, 16, 18, 20, 22, 23, 24, 26, 28}) {
    const std::string size = e < 20 ? std::to_string(two_to(e - 10)) + "KiB" : std::to_string(two_to(e - 20)) + "MiB";
    all.push_back(
        {"small/" + size + "/single/f32", sum, f32, {two_to(e - 2)}, {0}, {ours(), cub_f32}, 0, pace::single});
    all.push_back(
        {"small/" + size + "/captured/f32", sum, f32, {two_to(e - 2)}, {0}, {ours(), cub_f32}, 0, pace::captured});
  }
  for (const bench_case& c : exact_cases()) all.push_back(c);
  for (const bench_case& c : moment_cases()) all.push_back(c);
  return all;
}

array_view view_of(const bench_case& c, const void* data, std::int64_t buffer_bytes) {
  std::vector<std::int64_t> extents = c.extents;
  if (extents == std::vector<std::int64_t>{0})
    extents[0] = buffer_bytes / (reads_two_arrays(c) ? 2 : 1) / item_bytes(c.type) - c.shift;
  const auto* const first = static_cast<const std::byte*>(data) + c.shift * item_bytes(c.type);
  return make_view(first, c.type, std::move(extents), place::device);
}

plan plan_of(const bench_case& c, const contender& who, const array_view& view, const engine_traits& engine) {
  reduction what = make_reduction(who.op.value_or(c.op), c.type, nan_policy::propagate, who.numerics);
  // Narrow sums in f32, which a sum of so many elements fits; u64 would be one more dtype to compare.
  if (c.type == dtype::f16 || c.type == dtype::bf16) what.result = dtype::f32;
  if (what.result == dtype::u64) what.result = dtype::i64;
  const std::vector<std::int64_t> axes = who.what == kind::whole ? all_axes(view.rank()) : c.axes;
  return make_plan(what, normalise(view, axes, order_of(what.op)), who.forced, engine);
}

}  // namespace bench
