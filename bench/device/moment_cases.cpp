// The table of norms, dot products, variances and descriptions: a case is a line.
#include "device/contenders.hpp"

namespace bench {
namespace {

using namespace multifold;

contender exactly(op_kind op, const std::string& label) {
  contender c = ours(label);
  c.numerics = accuracy::exact;
  c.op = op;
  return c;
}

bench_case whole(op_kind op, dtype type, data_set data, const std::string& label, std::vector<contender> others) {
  const std::string op_name(name(op));
  bench_case c{"moments/" + op_name + "/" + label + std::string(name(type)), op, type, {0}, {0}, {}};
  c.contenders.push_back(exactly(op, op_name));
  for (contender& other : others) c.contenders.push_back(std::move(other));
  c.contenders.push_back(read());
  c.data = data;
  return c;
}

}  // namespace

std::vector<bench_case> moment_cases() {
  std::vector<bench_case> all;
  const auto add = [&](op_kind op, dtype type, data_set data = data_set::normal, const std::string& label = "",
                       std::vector<contender> others = {}) {
    all.push_back(whole(op, type, data, label, std::move(others)));
  };
  for (const op_kind op : {op_kind::norm1, op_kind::norm2, op_kind::var, op_kind::dot, op_kind::cov}) {
    add(op, dtype::f32);
  }
  std::vector<contender> one_by_one;
  for (const op_kind op : {op_kind::sum, op_kind::mean, op_kind::std, op_kind::min, op_kind::max, op_kind::argmin,
                           op_kind::argmax, op_kind::norm2}) {
    one_by_one.push_back(exactly(op, std::string(name(op))));
  }
  add(op_kind::describe, dtype::f32, data_set::normal, "", one_by_one);
  add(op_kind::norm2, dtype::f32, data_set::lognormal_3, "lognormal_3/");
  add(op_kind::norm2, dtype::f32, data_set::any_finite, "any_finite/");
  for (const dtype type : {dtype::bf16, dtype::f16, dtype::f64}) {
    for (const op_kind op : {op_kind::norm2, op_kind::var, op_kind::dot}) add(op, type);
  }
  const auto shaped = [&](const std::string& label, std::vector<std::int64_t> extents, std::int64_t axis) {
    add(op_kind::norm2, dtype::f32, data_set::normal, label);
    all.back().extents = std::move(extents);
    all.back().axes = {axis};
  };
  shaped("rows/2^14x2^18/", {1 << 14, 1 << 18}, 1);
  shaped("rows/2^20x1024/", {1 << 20, 1 << 10}, 1);
  shaped("rows/2^24x64/", {1 << 24, 1 << 6}, 1);
  shaped("columns/2^20x1024/", {1 << 20, 1 << 10}, 0);
  shaped("columns/2^28x4/", {1 << 28, 4}, 0);
  return all;
}

}  // namespace bench
