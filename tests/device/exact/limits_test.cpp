// Exact sums on the GPU of data at the limits of what their accumulators hold, and one element beyond.
#include <cmath>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "device/exact/expected.hpp"
#include "device/interpreted.hpp"
#include "multifold/cuda/buffer.hpp"
#include "multifold/exact/expansions/pair.hpp"

namespace multifold::device_tests {
namespace {

using multifold::detail::nearest;

class exact_limits : public exact_on_device {};

TEST_F(exact_limits, magnitudes_as_far_apart_as_one_double_allows_and_farther) {
  for (const std::int64_t length : {std::int64_t{2}, std::int64_t{200}, std::int64_t{1024}}) {
    const array_view view = make_view(nullptr, dtype::f32, {length});
    reduction what = make_reduction(op_kind::sum, dtype::f32, nan_policy::propagate, accuracy::exact);
    const plan p = make_plan(what, normalise(view, {0}, element_order::any), {}, cuda::device_traits());
    for (int apart = 10; apart < 60; ++apart) {
      for (const float sign : {1.0f, -1.0f}) {
        std::vector<float> x(static_cast<std::size_t>(length), 0x1.fffffep10f);
        x.front() = std::ldexp(sign * 0x1.000002p0f, 10 - apart);
        x[x.size() / 2] = sign * 0x1.000002p10f;
        const auto bytes = std::as_bytes(std::span<const float>(x));
        const device_array on_device({bytes.begin(), bytes.end()});
        ASSERT_EQ(run_on_device(p, on_device.data()), summed(p, x.data())) << length << " elements, 2^" << apart;
      }
    }
  }
}

// One element among millions of ordinary ones that no pair holds, wherever it stands: one part is lost, the others not.
TEST_F(exact_limits, a_single_special_is_seen_anywhere) {
  for (const dtype type : real_dtypes) {
    for (const std::int64_t length : {(1 << 20) + 77, 1 << 20}) {  // with a rest, and of whole vectors
      const auto bytes = exact_elements(type, length, data_family::normal, rng);
      const array_view view = make_view(bytes.data(), type, {length});
      reduction what = make_reduction(op_kind::sum, type, nan_policy::propagate, accuracy::exact);
      what.result = dtype::f64;
      const batches form = normalise(view, {0}, element_order::any);
      const plan p = make_plan(what, form, {}, cuda::device_traits());
      // Many tiles for every part: the last ones are dealt as blocks ask for them.
      const plan dealt = make_plan(what, form, {.parts = 7, .threads = 64}, cuda::device_traits());
      cuda::device_buffer memory(static_cast<std::int64_t>(bytes.size()) + 64);
      const std::int64_t item = item_bytes(type);
      for (int turn = 0; turn < 32; ++turn) {
        auto changed = bytes;
        const std::int64_t spot[] = {0, length - 1, turn,
                                     static_cast<std::int64_t>(rng() % static_cast<std::uint64_t>(length))};
        visit_dtype(type, [&]<class T>() {
          if constexpr (floating_storage<T>) {
            using bits = typename detail::float_layout<T>::bits_type;
            const bits infinity = detail::float_layout<T>::infinity;
            const bits special[] = {infinity, static_cast<bits>(infinity | detail::float_layout<T>::sign),
                                    static_cast<bits>(infinity + 1), 1};
            std::memcpy(changed.data() + spot[turn % 4] * item, &special[turn / 4 % 4], sizeof(bits));
          }
        });
        cuda::check(cudaMemcpy(memory.data(), changed.data(), changed.size(), cudaMemcpyHostToDevice));
        cuda::check(cudaDeviceSynchronize());
        const auto expected = summed(p, changed.data());
        ASSERT_EQ(run_on_device(p, memory.data()), expected) << "element " << spot[turn % 4];
        ASSERT_EQ(run_on_device(dealt, memory.data()), expected) << "element " << spot[turn % 4] << ", seven parts";
      }
    }
  }
}

// The most that a bin, a lane or a window may take, one less and one more.
TEST_F(exact_limits, constants_at_the_limits_of_every_accumulator) {
  for (const dtype type : real_dtypes) {
    for (const std::int64_t adds : {1 << 9, 1 << 11, 1 << 12, 1 << 14}) {
      for (const std::int64_t off : {-1, 0, 1}) {
        for (const double exponent : {0.0, 15.0, -14.0}) {
          // One block of 32 threads: every thread gets that many elements, all of one sign and the largest significand.
          const std::int64_t length = (adds + off) * 32;
          std::vector<std::byte> bytes(static_cast<std::size_t>(length * item_bytes(type)));
          visit_dtype(type, [&]<class T>() {
            if constexpr (floating_storage<T>) {
              using layout = detail::float_layout<T>;
              using bits = typename layout::bits_type;
              const auto field = static_cast<bits>(static_cast<bits>(layout::bias + static_cast<int>(exponent))
                                                   << layout::mantissa_bits);
              const bits x = static_cast<bits>(field | ((bits{1} << layout::mantissa_bits) - 1));
              for (std::int64_t i = 0; i < length; ++i) {
                std::memcpy(bytes.data() + i * static_cast<std::int64_t>(sizeof(T)), &x, sizeof(T));
              }
            }
          });
          const array_view view = make_view(bytes.data(), type, {length});
          reduction what = make_reduction(op_kind::sum, type, nan_policy::propagate, accuracy::exact);
          what.result = dtype::f64;
          const plan p = make_plan(what, normalise(view, {0}, element_order::any), {.parts = 1, .threads = 32},
                                   cuda::device_traits());
          const device_array on_device(bytes);
          ASSERT_EQ(run_on_device(p, on_device.data()), summed(p, bytes.data())) << explain(p);
        }
      }
    }
  }
}

// A few numbers anywhere in the range of a type, of which some are the middle between two results and some cancel: the
// leading limbs of their sum are enough, or what lies far below decides, or nothing is left of them.
TEST_F(exact_limits, long_rows_whose_leading_limbs_do_not_decide) {
  const auto try_all = [&]<class T>(dtype type, int least, int most, int digits) {
    constexpr std::int64_t rows = 64;
    const std::int64_t length = (100 << 10) / static_cast<std::int64_t>(sizeof(T)) + 13;
    for (int turn = 0; turn < 4; ++turn) {
      std::vector<T> x(static_cast<std::size_t>(rows * length), nearest<T>(0.0));
      for (std::int64_t r = 0; r < rows; ++r) {
        const auto put = [&](double value) {
          x[static_cast<std::size_t>(r * length) + rng() % static_cast<std::size_t>(length)] = nearest<T>(value);
        };
        const auto power = [&] { return least + static_cast<int>(rng() % static_cast<unsigned>(most - least)); };
        const int top = power();
        put(std::ldexp(1.0, top));
        if (rng() % 2 == 0) put(std::ldexp(1.0, top - digits));  // half a place
        for (auto others = rng() % 3; others > 0; --others) put(std::ldexp(rng() % 2 == 0 ? 1.0 : -1.0, power()));
        if (rng() % 4 == 0) put(-std::ldexp(1.0, top));
      }
      for (const op_kind op : {op_kind::sum, op_kind::mean}) {
        const reduction what = make_reduction(op, type);
        ASSERT_NO_FATAL_FAILURE(expect_interpreted(what, {rows, length}, {1}, x, {}, {.threads = 256}));
        ASSERT_NO_FATAL_FAILURE(expect_interpreted(what, {rows, length}, {1}, x, {}, {.parts = 3}));
        ASSERT_NO_FATAL_FAILURE(expect_interpreted(what, {rows * length}, {0}, x, {}, {.threads = 512}));
      }
    }
  };
  try_all.operator()<float>(dtype::f32, -149, 127, 24);
  try_all.operator()<bf16>(dtype::bf16, -133, 127, 8);
  try_all.operator()<f16>(dtype::f16, -24, 15, 11);
}

}  // namespace
}  // namespace multifold::device_tests
