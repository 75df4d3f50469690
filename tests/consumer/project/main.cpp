// A user's program. It needs what is compiled, what headers call of it, and types that are the same on both sides.
#include <multifold/exact.hpp>
#include <multifold/graphs/topology.hpp>
#include <multifold/multifold.hpp>

#include <array>
#include <cstring>
#include <string_view>
#include <vector>

namespace mf = multifold;

namespace {

// The numbers 0, 1, ... 9.
class ten_numbers final : public mf::source {
 public:
  const std::string& name() const noexcept override { return name_; }
  const mf::array_layout& layout() const noexcept override { return layout_; }
  bool random_access() const noexcept override { return true; }
  std::int64_t read(std::int64_t first, std::span<std::byte> chunk) override {
    const std::int64_t count =
        std::min<std::int64_t>(static_cast<std::int64_t>(chunk.size() / sizeof(double)), 10 - first);
    for (std::int64_t i = 0; i < count; ++i) {
      const auto x = static_cast<double>(first + i);
      std::memcpy(&chunk[static_cast<std::size_t>(i) * sizeof x], &x, sizeof x);
    }
    return count;
  }

 private:
  std::string name_ = "ten numbers";
  mf::array_layout layout_{mf::dtype::f64, {10}};
};

bool arrays() {
  const std::vector<float> halves(1000, 0.5F);
  const auto view = mf::make_view(halves.data(), {10, 100});
  const auto rows = mf::reduce(mf::op_kind::sum, view, {.axes = {1}});
  return mf::sum(halves) == 500.0F && rows.values<float>()[9] == 50.0F &&
         mf::explain(mf::plan_for(mf::op_kind::sum, view)).starts_with("sum of f32") && !mf::engines().empty();
}

bool sources() {
  ten_numbers numbers;
  return mf::reduce(mf::op_kind::sum, numbers).value<double>() == 45 && mf::dtype_of<double> == mf::dtype::f64;
}

bool segments() {
  const std::array<double, 4> x{1, 2, 3, 4};
  const std::array<std::int64_t, 3> offsets{0, 1, 4};
  std::array<double, 2> sums{};
  mf::reduce(mf::op_kind::sum, mf::make_view(x.data(), {4}),
             mf::segments::from_offsets(mf::make_view(offsets.data(), {3})),
             {.into = std::as_writable_bytes(std::span(sums))});
  return sums[0] == 1 && sums[1] == 9;
}

bool states() {
  const auto none = mf::empty_state(mf::dtype::f32);
  std::vector<std::byte> saved(none.size());
  mf::save_exact(mf::exact_accumulator<mf::exact_traits<float>>{}, saved);
  return saved == mf::merge_states(none, saved) && mf::load_exact<mf::exact_traits<float>>(saved).counters().n == 0;
}

bool errors() {
  try {
    const float x = 1;
    mf::reduce(mf::op_kind::sum, mf::make_view(&x, {1}), {.axes = {{7}}});
  } catch (const mf::shape_error&) {
    return true;
  }
  return false;
}

}  // namespace

int main() {
  const bool named = mf::graphs::name(mf::graphs::node_kind::kernel) == std::string_view("kernel");
  return named && arrays() && sources() && segments() && states() && errors() ? 0 : 1;
}
