// Fuzz target: any small view, axes, operation and forced plan gives what a plain loop gives, or is refused.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <numeric>
#include <vector>

#include "multifold/array.hpp"
#include "multifold/error.hpp"
#include "multifold/plan.hpp"

namespace {

using namespace multifold;

// Decisions, one a byte; 0 when there are no more.
class decisions {
 public:
  decisions(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}
  std::int64_t below(std::int64_t limit) {
    if (size_ == 0) return 0;
    --size_;
    return *data_++ % limit;
  }

 private:
  const std::uint8_t* data_;
  std::size_t size_;
};

constexpr std::array ops{op_kind::sum, op_kind::min, op_kind::max, op_kind::argmin, op_kind::argmax};

struct problem {
  std::vector<std::int32_t> elements;
  array_view view;
  std::vector<std::int64_t> axes;
  op_kind op = op_kind::sum;
};

// Axes in any order in memory, with gaps, repeats and negative strides; extents of 0 and 1 among them.
problem drawn(decisions& from) {
  problem p;
  p.op = ops[static_cast<std::size_t>(from.below(ops.size()))];
  const auto rank = static_cast<std::size_t>(from.below(5));
  p.view.type = dtype::i32;
  p.view.extents.resize(rank);
  p.view.strides.resize(rank);
  std::vector<std::size_t> order(rank);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = 0; i < rank; ++i)
    std::swap(order[i], order[static_cast<std::size_t>(from.below(static_cast<std::int64_t>(rank)))]);
  std::int64_t stride = 1, first = 0, last = 0;
  for (const std::size_t axis : order) {
    const std::int64_t extent = from.below(8), kind = from.below(8);
    p.view.extents[axis] = extent;
    p.view.strides[axis] = kind == 7 ? 0 : kind == 6 ? -stride : stride + (kind == 5 ? 1 : 0);
    const std::int64_t reach = std::max<std::int64_t>(extent - 1, 0) * p.view.strides[axis];
    (reach < 0 ? first : last) += reach;
    if (kind != 7) stride = std::max<std::int64_t>((stride + (kind == 5 ? 1 : 0)) * extent, 1);
    if (from.below(2) != 0) p.axes.push_back(static_cast<std::int64_t>(axis));
  }
  p.elements.resize(static_cast<std::size_t>(last - first + 1));
  for (std::int32_t& element : p.elements) element = static_cast<std::int32_t>(from.below(256)) - 100;
  p.view.data = p.elements.data() - first;
  return p;
}

plan_options forced(decisions& from) {
  plan_options options;
  const std::int64_t which = from.below(32);
  if (which & 1) options.passes = 1 + static_cast<int>(from.below(3));
  if (which & 2) options.how = static_cast<finish>(from.below(3));
  if (which & 4) options.parts = 1 + from.below(40);
  if (which & 8) options.threads = 32 * (1 + static_cast<int>(from.below(16)));
  return options;
}

// In row-major order: results of the axes that are kept, and positions of those that are reduced.
std::vector<std::int64_t> plain(const problem& p, std::int64_t results) {
  const bool largest = p.op == op_kind::max || p.op == op_kind::argmax;
  std::vector<std::int64_t> best(static_cast<std::size_t>(results), largest ? INT64_MIN : INT64_MAX);
  std::vector<std::int64_t> where(static_cast<std::size_t>(results)), sums(static_cast<std::size_t>(results));
  const std::size_t rank = p.view.extents.size();
  std::int64_t count = 1;
  for (const std::int64_t extent : p.view.extents) count *= extent;
  for (std::int64_t i = 0; i < count; ++i) {
    std::int64_t rest = i, offset = 0, result = 0, position = 0, result_step = 1, position_step = 1;
    for (std::size_t axis = rank; axis-- > 0;) {
      const std::int64_t extent = p.view.extents[axis], at = rest % extent;
      rest /= extent;
      offset += at * p.view.strides[axis];
      const bool reduced = std::find(p.axes.begin(), p.axes.end(), static_cast<std::int64_t>(axis)) != p.axes.end();
      (reduced ? position : result) += at * (reduced ? position_step : result_step);
      (reduced ? position_step : result_step) *= extent;
    }
    const auto r = static_cast<std::size_t>(result);
    const std::int64_t value = static_cast<const std::int32_t*>(p.view.data)[offset];
    sums[r] += value;
    const bool better = largest ? value > best[r] : value < best[r];
    if (!better && !(value == best[r] && position < where[r])) continue;
    best[r] = value;
    where[r] = position;
  }
  if (p.op == op_kind::sum) return sums;
  return p.op == op_kind::argmin || p.op == op_kind::argmax ? where : best;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  decisions from(data, size);
  const plan_options options = forced(from);
  engine_traits engine = h200_traits();
  if (from.below(2) != 0) engine.units = 1 + static_cast<int>(from.below(200));
  const problem p = drawn(from);
  const bool indexed = p.op == op_kind::argmin || p.op == op_kind::argmax;
  const batches form = normalise(p.view, p.axes, indexed ? element_order::indexed : element_order::any);
  const reduction what = make_reduction(p.op, dtype::i32);
  plan chosen;
  try {
    chosen = make_plan(what, form, options, engine);
  } catch (const unsupported_error&) {
    return 0;  // cannot be forced
  } catch (const shape_error&) {
    if (form.length == 0 && form.results() > 0 && p.op != op_kind::sum) return 0;  // has no value
    throw;
  }
  if (explain(chosen).empty()) std::abort();
  const std::int64_t item = result_bytes(what);
  std::vector<std::byte> results(static_cast<std::size_t>(form.results() * item) + 1, std::byte{0x5a});
  interpret(chosen, {p.view.data, nullptr}, results.data());
  const std::vector<std::int64_t> expected = plain(p, form.results());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    std::int64_t found = 0;
    std::int32_t narrow = 0;
    const std::byte* const at = results.data() + i * static_cast<std::size_t>(item);
    if (item == 8) std::memcpy(&found, at, 8);
    else std::memcpy(&narrow, at, 4);
    if ((item == 8 ? found : narrow) != expected[i]) std::abort();
  }
  if (results.back() != std::byte{0x5a}) std::abort();
  return 0;
}
