// Reductions of every family on the device, with what they should give.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "device/device_fixture.hpp"
#include "multifold/error.hpp"

namespace multifold::graphs_tests {

using device_tests::device_array;
using device_tests::random_elements;
using device_tests::random_engine;

/// One kind of pass chain each: bins, pairs and wide bins, folds by every finish, moments, rows and
/// columns, results that wait.
struct problem {
  op_kind op;
  dtype type;
  std::vector<std::int64_t> extents;
  std::vector<std::int64_t> axes;
  accuracy numerics = accuracy::exact;
  plan_options forced = {};
  bool fortran_order = false;

  plan made() const {
    array_view view = make_view(nullptr, type, extents);
    if (fortran_order) view.strides = fortran_strides(extents);
    return make_plan(make_reduction(op, type, nan_policy::propagate, numerics), normalise(view, axes, order_of(op)),
                     forced, cuda::device_traits());
  }
};

inline plan_options finished_by(finish how) {
  plan_options o;
  o.how = how;
  return o;
}

inline plan_options in_passes(int count) {
  plan_options o;
  o.passes = count;
  return o;
}

inline const std::vector<problem> problems{
    {op_kind::sum, dtype::f32, {200'003}, {0}},
    {op_kind::sum, dtype::f64, {200'003}, {0}},
    {op_kind::sum, dtype::f32, {200'003}, {0}, accuracy::exact, {.threads = 512}},
    {op_kind::sum, dtype::f64, {200'003}, {0}, accuracy::exact, finished_by(finish::atomic)},
    {op_kind::sum, dtype::f32, {200'003}, {0}, accuracy::exact, finished_by(finish::last_block)},
    {op_kind::mean, dtype::bf16, {300'001}, {0}},
    {op_kind::sum, dtype::f16, {300'001}, {0}},
    {op_kind::sum, dtype::f32, {5'000}, {0}},
    {op_kind::sum, dtype::f32, {200'003}, {0}, accuracy::fast, finished_by(finish::last_block)},
    {op_kind::sum, dtype::f64, {200'003}, {0}, accuracy::fast, in_passes(2)},
    {op_kind::sum, dtype::i32, {200'003}, {0}, accuracy::fast, finished_by(finish::atomic)},
    {op_kind::max, dtype::i8, {200'003}, {0}, accuracy::fast, in_passes(3)},
    {op_kind::argmin, dtype::f32, {100'007}, {0}},
    {op_kind::norm2, dtype::f32, {150'009}, {0}},
    {op_kind::dot, dtype::f32, {150'009}, {0}},
    {op_kind::describe, dtype::f64, {200'003}, {0}},
    {op_kind::var, dtype::i32, {200'003}, {0}},
    {op_kind::sum, dtype::f32, {3'000, 17}, {1}},
    {op_kind::sum, dtype::f32, {3'000, 64}, {0}},
    {op_kind::sum, dtype::i64, {3, 70'001}, {1}},
    {op_kind::var, dtype::f32, {4'000, 33}, {1}},
    {op_kind::max, dtype::i16, {500, 3, 301}, {1}, accuracy::exact, {}, true},
    {op_kind::mean, dtype::bf16, {500, 3, 301}, {1}, accuracy::exact, {}, true},
    {op_kind::norm2, dtype::f16, {500, 3, 301}, {1}, accuracy::exact, {}, true},
};

/// Elements of both arrays of a problem, small enough for every result to fit.
struct drawn_arrays {
  drawn_arrays(const plan& p, random_engine& rng)
      : x(random_elements(p.what.input, p.form.elements(), op_kind::prod, rng)),
        y(random_elements(p.what.input, p.form.elements(), op_kind::prod, rng)) {}
  operands host() const { return {x.data(), y.data()}; }
  std::vector<std::byte> x, y;
};

/// The same on the device.
struct device_arrays {
  explicit device_arrays(const drawn_arrays& from) : x(from.x), y(from.y) {}
  operands data() const { return {x.data(), y.data()}; }
  device_array x, y;
};

/// Device memory for results, poisoned.
class device_results {
 public:
  explicit device_results(const plan& p) : memory_(p.form.results() * result_bytes(p.what)) { forget(); }
  void* data() const { return memory_.data(); }
  void forget() const {
    cuda::check(cudaMemset(memory_.data(), device_tests::poison, static_cast<std::size_t>(memory_.size())));
    cuda::check(cudaDeviceSynchronize());
  }
  /// Waits for the device.
  std::vector<std::byte> read() const {
    cuda::check(cudaDeviceSynchronize());
    std::vector<std::byte> bytes(static_cast<std::size_t>(memory_.size()));
    cuda::check(cudaMemcpy(bytes.data(), memory_.data(), bytes.size(), cudaMemcpyDeviceToHost));
    return bytes;
  }

 private:
  cuda::device_buffer memory_;
};

}  // namespace multifold::graphs_tests
