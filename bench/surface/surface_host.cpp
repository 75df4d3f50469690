// The CPU's engine: arrays in ordinary memory, a plain read by the same threads, the interpreter as its judge.
#include <algorithm>
#include <chrono>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "host/aligned_bytes.hpp"
#include "host/engine.hpp"
#include "multifold/error.hpp"
#include "multifold/reduce.hpp"
#include "plain_read.hpp"
#include "surface_elements.hpp"
#include "surface_engine.hpp"
#include "surface_sample.hpp"

namespace bench::surface {
namespace {

using multifold::array_view;

// Elements beyond so many are copies of those before: drawing takes longer than reducing.
constexpr std::int64_t drawn_elements = (1 << 20) + 7;
constexpr std::int64_t interpreted_elements = 1 << 19;

class host_surface final : public surface_engine {
 public:
  explicit host_surface(int threads) : threads_(threads > 0 ? threads : multifold::host::usable_threads()) {}

  std::string name() const override { return "host, " + std::to_string(threads_) + " threads"; }
  sizes usual_sizes() const override { return {INT64_C(64) << 20, INT64_C(512) << 20}; }

  figure run(const surface_case& c, std::uint64_t seed) override {
    const std::int64_t item = multifold::item_bytes(c.type), each = (c.elements() + c.shift) * item;
    const std::int64_t stride = (each + 63) / 64 * 64;
    if (memory_.size() < static_cast<std::size_t>(stride * c.arrays())) memory_ = bytes(stride * c.arrays());
    for (std::int64_t a = 0; a < c.arrays(); ++a)
      fill(c, memory_.data() + a * stride, each, seed + static_cast<std::uint64_t>(a));
    const array_view x = view_of(c, memory_.data() + c.shift * item, multifold::place::host);
    array_view y = x;
    y.data = memory_.data() + stride + c.shift * item;

    figure f;
    multifold::reduce_options options;
    options.axes = c.axes;
    options.engine = multifold::engine_choice::host;
    options.threads = threads_;
    if (multifold::has_exact_form(c.op) && multifold::is_floating(c.type)) options.wanted = c.numerics;
    bytes results;
    std::byte* written = nullptr;
    const auto reduced = [&] {
      const auto start = std::chrono::steady_clock::now();
      if (c.arrays() == 2) multifold::reduce(c.op, x, y, options);
      else multifold::reduce(c.op, x, options);
      return seconds_since(start);
    };
    try {
      results = bytes(c.results() * multifold::result_bytes(reduction_of(c)));
      written = written_to(results.size());
      options.into = {results.data(), results.size()};
      f.seconds = median_seconds(reduced);
    } catch (const multifold::error& e) {
      f.refused = e.what();
      return f;
    }
    f.roof_seconds = median_seconds([&] {
      const auto start = std::chrono::steady_clock::now();
      for (std::int64_t a = 0; a < c.arrays(); ++a) plain_read(memory_.data() + a * stride, each, threads_);
      std::memset(written, 1, results.size());
      return seconds_since(start);
    });
    f.wrong = wrong_of(c, seed, results, stride);
    return f;
  }

 private:
  class bytes {
   public:
    bytes() = default;
    explicit bytes(std::int64_t size)
        : memory_(multifold::host::try_allocate(size)), size_(static_cast<std::size_t>(size)) {
      if (!memory_) throw multifold::out_of_memory("could not get " + std::to_string(size) + " bytes of memory");
      std::memset(memory_.get(), 0, size_);
    }
    std::byte* data() const { return memory_.get(); }
    std::size_t size() const { return size_; }

   private:
    multifold::host::aligned_bytes memory_;
    std::size_t size_ = 0;
  };

  // Memory that has been written to before.
  std::byte* written_to(std::size_t size) {
    if (written_.size() < size) written_ = bytes(static_cast<std::int64_t>(size));
    return written_.data();
  }

  static void fill(const surface_case& c, std::byte* to, std::int64_t size, std::uint64_t seed) {
    const std::int64_t item = multifold::item_bytes(c.type), drawn = std::min(size, drawn_elements * item);
    multifold::visit_dtype(c.type, [&]<class T>() {
      for (std::int64_t i = 0; i < drawn / item; ++i) {
        const T x = element<T>(c.data, integer_bits(c.op), seed, static_cast<std::uint64_t>(i));
        std::memcpy(to + i * item, &x, sizeof x);
      }
    });
    for (std::int64_t at = drawn; at < size; at += drawn) {
      std::memcpy(to + at, to, static_cast<std::size_t>(std::min(drawn, size - at)));
    }
  }

  std::string wrong_of(const surface_case& c, std::uint64_t seed, const bytes& results, std::int64_t stride) const {
    const std::vector<std::int64_t> sample = sampled(c, seed, interpreted_elements);
    if (sample.empty()) return {};
    const walk kept = kept_axes(c), reduced = reduced_axes(c);
    const auto item = static_cast<std::size_t>(multifold::item_bytes(c.type));
    const auto result = static_cast<std::size_t>(multifold::result_bytes(reduction_of(c)));
    std::vector<std::byte> got, of[2];
    for (const std::int64_t r : sample) {
      const std::byte* const at = results.data() + static_cast<std::size_t>(r) * result;
      got.insert(got.end(), at, at + result);
      for (std::int64_t a = 0; a < c.arrays(); ++a) {
        const std::byte* const first =
            memory_.data() + a * stride + (c.shift + kept.offset_of(r)) * static_cast<std::int64_t>(item);
        for (std::int64_t i = 0; i < c.length(); ++i) {
          const std::byte* const element = first + reduced.offset_of(i) * static_cast<std::int64_t>(item);
          of[a].insert(of[a].end(), element, element + item);
        }
      }
    }
    const auto interpreted = [&](const array_view& x, const void* y) {
      const multifold::batches form = multifold::normalise(x, {1}, multifold::order_of(c.op));
      const multifold::plan p = multifold::make_plan(reduction_of(c), form, {}, {});
      std::vector<std::byte> out(static_cast<std::size_t>(form.results()) * result);
      multifold::interpret(p, {x.data, y}, out.data());
      return out;
    };
    return difference(c, static_cast<std::int64_t>(sample.size()), got, of[0], of[1], interpreted);
  }

  int threads_;
  bytes memory_, written_;
};

}  // namespace

std::unique_ptr<surface_engine> host_engine(int threads) { return std::make_unique<host_surface>(threads); }

}  // namespace bench::surface
