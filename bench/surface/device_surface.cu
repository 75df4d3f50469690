// The GPU's engine: arrays in device memory, times of events, the CPU's engine as the judge.
#include <cuda_runtime.h>

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "device/data.hpp"
#include "multifold/cuda/buffer.hpp"
#include "multifold/cuda/error.hpp"
#include "multifold/cuda/event.hpp"
#include "multifold/cuda/reduce_async.hpp"
#include "multifold/cuda/stream.hpp"
#include "multifold/cuda/traits.hpp"
#include "multifold/reduce.hpp"
#include "surface_elements.hpp"
#include "surface_engine.hpp"
#include "surface_sample.hpp"

namespace bench::surface {
namespace {

using multifold::array_view;
using multifold::cuda::check;
using multifold::cuda::device_buffer;

constexpr std::int64_t checked_elements = INT64_C(1) << 28;

template <class T>
__global__ void fill_kernel(T* to, std::int64_t count, family f, int bits, std::uint64_t seed) {
  const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step) {
    to[i] = element<T>(f, bits, seed, static_cast<std::uint64_t>(i));
  }
}

// The elements of some results, one result after another.
template <class T>
__global__ void gather_kernel(const T* from, const std::int64_t* firsts, std::int64_t count, walk reduced,
                              std::int64_t length, T* to) {
  const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count * length; i += step) {
    to[i] = from[firsts[i / length] + reduced.offset_of(i % length)];
  }
}

std::vector<std::byte> copied(const void* from, std::size_t bytes) {
  std::vector<std::byte> to(bytes);
  check(cudaMemcpy(to.data(), from, bytes, cudaMemcpyDeviceToHost));
  return to;
}

class device_surface final : public surface_engine {
 public:
  std::string name() const override { return traits_.name; }
  sizes usual_sizes() const override { return {INT64_C(256) << 20, INT64_C(4) << 30}; }

  figure run(const surface_case& c, std::uint64_t seed) override {
    const std::int64_t item = multifold::item_bytes(c.type), each = (c.elements() + c.shift) * item;
    const std::int64_t stride = (each + 255) / 256 * 256;
    grow(memory_, stride * c.arrays());
    for (std::int64_t a = 0; a < c.arrays(); ++a) {
      fill(c, memory_.data() + a * stride, each / item, seed + static_cast<std::uint64_t>(a));
    }
    stream_.synchronise();
    const array_view view = view_of(c, memory_.data() + c.shift * item, multifold::place::device);
    const multifold::operands data{view.data, memory_.data() + stride + c.shift * item};
    const multifold::reduction what = reduction_of(c);
    const std::int64_t result_bytes = c.results() * multifold::result_bytes(what);

    figure f;
    try {
      grow(results_, result_bytes);
      const multifold::plan p =
          multifold::make_plan(what, multifold::normalise(view, c.axes, multifold::order_of(c.op)), {}, traits_);
      grow(workspace_, p.workspace_bytes());
      f.seconds = median_seconds([&] {
        return timed(
            [&] { multifold::cuda::reduce_async(p, data, results_.data(), workspace_.bytes(), stream_.get()); });
      });
      multifold::check_status(multifold::cuda::status_of(workspace_.bytes(), stream_.get()), what);
    } catch (const multifold::cuda_error&) {
      throw;  // the device is of no more use
    } catch (const multifold::error& e) {
      f.refused = e.what();
      return f;
    }
    f.wrong = wrong_of(c, seed, stride);
    f.roof_seconds = median_seconds([&] {
      return timed([&] {
        for (std::int64_t a = 0; a < c.arrays(); ++a) {
          read_async(memory_.data() + a * stride, each / 16 * 16, workspace_.data(), stream_.get());
        }
        check(cudaMemsetAsync(results_.data(), 1, static_cast<std::size_t>(result_bytes), stream_.get()));
      });
    });
    return f;
  }

 private:
  static void grow(device_buffer& b, std::int64_t bytes) {
    bytes = std::max<std::int64_t>(bytes, 256);
    if (b.size() >= bytes) return;
    b = device_buffer();  // the old one goes first
    b = device_buffer(bytes);
  }

  template <class Work>
  double timed(const Work& work) {
    begin_.record(stream_.get());
    work();
    end_.record(stream_.get());
    end_.synchronise();
    return 1e-3 * end_.elapsed_ms_since(begin_);
  }

  void fill(const surface_case& c, void* to, std::int64_t count, std::uint64_t seed) {
    multifold::visit_dtype(c.type, [&]<class T>() {
      fill_kernel<<<4096, 256, 0, stream_.get()>>>(static_cast<T*>(to), count, c.data, integer_bits(c.op), seed);
    });
    check(cudaGetLastError());
  }

  std::string wrong_of(const surface_case& c, std::uint64_t seed, std::int64_t stride) {
    const std::vector<std::int64_t> sample = sampled(c, seed, checked_elements);
    if (sample.empty()) return {};
    const walk kept = kept_axes(c);
    std::vector<std::int64_t> firsts;
    for (const std::int64_t r : sample) firsts.push_back(c.shift + kept.offset_of(r));
    const auto count = static_cast<std::int64_t>(sample.size());
    const device_buffer at(count * 8);
    check(cudaMemcpy(at.data(), firsts.data(), firsts.size() * 8, cudaMemcpyHostToDevice));
    const std::int64_t bytes = count * c.length() * multifold::item_bytes(c.type);
    grow(gathered_, bytes);
    std::vector<std::byte> of[2];
    for (std::int64_t a = 0; a < c.arrays(); ++a) {
      multifold::visit_dtype(c.type, [&]<class T>() {
        gather_kernel<<<4096, 256, 0, stream_.get()>>>(
            reinterpret_cast<const T*>(memory_.data() + a * stride), reinterpret_cast<const std::int64_t*>(at.data()),
            count, reduced_axes(c), c.length(), reinterpret_cast<T*>(gathered_.data()));
      });
      check(cudaGetLastError());
      stream_.synchronise();
      of[a] = copied(gathered_.data(), static_cast<std::size_t>(bytes));
    }
    const auto result = static_cast<std::size_t>(multifold::result_bytes(reduction_of(c)));
    std::vector<std::byte> got;
    for (const std::int64_t r : sample) {
      const std::vector<std::byte> one = copied(results_.data() + r * static_cast<std::int64_t>(result), result);
      got.insert(got.end(), one.begin(), one.end());
    }
    return difference(c, count, got, of[0], of[1], [&](const array_view& x, const void* y) {
      multifold::reduce_options options;
      options.axes = {1};
      options.engine = multifold::engine_choice::host;
      if (multifold::has_exact_form(c.op) && multifold::is_floating(c.type)) options.wanted = c.numerics;
      array_view other = x;
      other.data = y;
      return c.arrays() == 2 ? multifold::reduce(c.op, x, other, options).data
                             : multifold::reduce(c.op, x, options).data;
    });
  }

  const multifold::engine_traits traits_ = multifold::cuda::device_traits();
  device_buffer memory_, results_, workspace_, gathered_;
  multifold::cuda::stream stream_;
  multifold::cuda::event begin_{multifold::cuda::event::timing::on}, end_{multifold::cuda::event::timing::on};
};

}  // namespace

std::unique_ptr<surface_engine> device_engine() {
  std::string reason;
  if (!multifold::cuda::has_kernels(reason)) return nullptr;
  return std::make_unique<device_surface>();
}

}  // namespace bench::surface
