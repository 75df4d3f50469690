// Arrays in parts, means by weights, and complex numbers.
#include <algorithm>
#include <utility>
#include <vector>

#include "agreement/generate/chance.hpp"
#include "agreement/run/attempt.hpp"
#include "agreement/worker.hpp"
#include "multifold/complex.hpp"
#include "multifold/devices.hpp"
#include "multifold/weighted.hpp"

namespace multifold::agreement {
namespace {

void keep_counted(reduce_result r, std::int64_t elements, outcome& got) {
  got.extents = std::move(r.extents);
  got.type = r.type;
  got.bytes = std::move(r.data);
  if (r.count != elements) got.damage = "count " + std::to_string(r.count);
}

}  // namespace

outcome run_parts(const trial& t, const laid_out& arrays) {
  return attempt([&](outcome& got) {
    chance c(t.data.seed, static_cast<std::uint64_t>(t.pieces));
    array_view left{arrays.x, t.type, t.extents, t.strides};
    std::vector<array_view> parts;
    for (int i = 1; i < t.pieces && left.rank() > 0; ++i) {  // each is cut off at the beginning of some axis
      const std::size_t axis = c.bits() % left.extents.size();
      array_view part = left;
      part.extents[axis] = c.between(0, left.extents[axis]);
      left.extents[axis] -= part.extents[axis];
      left.data =
          static_cast<const std::byte*>(left.data) + part.extents[axis] * left.strides[axis] * item_bytes(t.type);
      parts.push_back(std::move(part));
    }
    parts.push_back(std::move(left));
    c.shuffle(parts);
    reduce_options options = options_of(t);
    keep_counted(reduce_parts(t.op, parts, options), elements_of(t), got);
  });
}

outcome run_complex(const trial& t, const laid_out& arrays) {
  return attempt([&](outcome& got) {
    const array_view x{arrays.x, t.type, t.extents, t.strides}, y{arrays.y, t.type, t.extents, second_strides(t)};
    reduce_result r =
        takes_two_arrays(t.op) ? reduce_complex(t.op, x, y, options_of(t)) : reduce_complex(t.op, x, options_of(t));
    const std::int64_t count = r.count;  // of numbers or of their parts, as the operation reads them
    keep_counted(std::move(r), count, got);
  });
}

// Weights repeat by strides of 0, by extents of 1, or by axes that are not there.
outcome run_weighted(const trial& t, const laid_out& arrays) {
  return attempt([&](outcome& got) {
    array_view weights{arrays.y, t.type, t.extents, second_strides(t)};
    if (t.data.seed % 3 != 0 && elements_of(t) > 0) {
      for (std::size_t i = 0; i < weights.extents.size(); ++i) {
        if (weights.strides[i] == 0) weights.extents[i] = 1;
      }
      while (t.data.seed % 3 == 1 && weights.rank() > 0 && weights.extents.front() == 1) {
        weights.extents.erase(weights.extents.begin());
        weights.strides.erase(weights.strides.begin());
      }
    }
    keep_counted(weighted_mean({arrays.x, t.type, t.extents, t.strides}, weights, options_of(t)), elements_of(t), got);
  });
}

}  // namespace multifold::agreement
