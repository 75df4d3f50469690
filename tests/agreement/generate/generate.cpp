// Most trials are small, some reach beyond the sizes where plans change, and every member has its chance.
#include "agreement/generate/generate.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "agreement/generate/steps.hpp"

namespace multifold::agreement {
namespace {

constexpr std::array<op_kind, 18> ops{
    op_kind::sum,  op_kind::prod,  op_kind::min,      op_kind::max,   op_kind::argmin, op_kind::argmax,
    op_kind::mean, op_kind::norm1, op_kind::sumsq,    op_kind::norm2, op_kind::var,    op_kind::std,
    op_kind::dot,  op_kind::cov,   op_kind::describe, op_kind::any,   op_kind::all,    op_kind::count_nonzero};
// Sizes near which plans change, in bytes.
constexpr std::array<std::int64_t, 9> thresholds{1 << 10, 8 << 10, 32 << 10, 64 << 10, 512 << 10,
                                                 1 << 20, 8 << 20, 32 << 20, 64 << 20};

class maker {
 public:
  maker(std::uint64_t seed, std::uint64_t index, const limits& most) : c_(seed, index), most_(most) {}

  trial make() {
    t_.type = static_cast<dtype>(c_.percent(55) ? c_.between(9, 12) : c_.between(0, 8));
    t_.op = c_.percent(20) ? op_kind::sum : c_.percent(8) ? op_kind::mean : c_.one_of(ops);
    choose_extents();
    choose_axes();
    if (c_.percent(3)) choose_layers();
    choose_options();
    choose_data();
    choose_way(c_, most_, t_);
    choose_function(c_, t_);
    choose_company(c_, t_);
    choose_strides(c_, most_, t_);
    return t_;
  }

 private:
  std::int64_t most_elements() {
    const double most = std::log2(static_cast<double>(most_.most_bytes / item_bytes(t_.type)));
    const double top = c_.percent(75) ? 8 : c_.percent(70) ? 13 : c_.percent(80) ? 18 : most;
    return static_cast<std::int64_t>(std::exp2(c_.unit() * std::min(top, most)));
  }

  // The logarithm of the number of elements, dealt to the axes.
  void choose_extents() {
    constexpr std::array<int, 20> ranks{0, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 5, 5};
    const int rank = c_.one_of(ranks);
    const double total = std::log2(static_cast<double>(most_elements()));
    std::vector<double> shares;
    for (int i = 0; i < rank; ++i) shares.push_back(c_.unit() * c_.unit());
    const double sum = std::accumulate(shares.begin(), shares.end(), 1e-9);
    for (const double share : shares) {
      auto extent = static_cast<std::int64_t>(std::exp2(total * share / sum));
      if (c_.percent(15)) extent = (extent + 15) / 16 * 16;
      if (c_.percent(8)) extent = 1;
      t_.extents.push_back(c_.percent(1) ? 0 : extent);
    }
    if (rank > 0 && c_.percent(4)) choose_threshold();
    // The reference takes as long for a description as for hundreds of elements, and there may be one of each.
    constexpr std::int64_t most_descriptions = 1 << 18;
    std::int64_t most = most_.most_bytes / (2 * item_bytes(t_.type));
    if (t_.op == op_kind::describe) most = std::min(most, most_descriptions);
    while (elements_of(t_) > most) {
      *std::max_element(t_.extents.begin(), t_.extents.end()) /= 2;
    }
  }
  // One long axis, whose bytes are a threshold's, or a few elements more or less.
  void choose_threshold() {
    const std::int64_t bytes =
        std::min(c_.percent(80) ? thresholds[c_.bits() % 4] : c_.one_of(thresholds), most_.most_bytes / 2);
    std::fill(t_.extents.begin(), t_.extents.end(), 1);
    const std::size_t axis = c_.bits() % t_.extents.size();
    t_.extents[axis] = std::max<std::int64_t>(1, bytes / item_bytes(t_.type) + c_.between(-3, 3));
    if (c_.percent(30)) t_.extents[c_.bits() % t_.extents.size()] = c_.between(1, 3);
  }

  void choose_axes() {
    if (c_.percent(30)) return;
    t_.axes.emplace();
    const auto rank = static_cast<std::int64_t>(t_.extents.size());
    for (std::int64_t axis = 0; axis < rank; ++axis) {
      if (c_.percent(55)) t_.axes->push_back(c_.percent(30) ? axis - rank : axis);
    }
    c_.shuffle(*t_.axes);
    t_.keepdims = c_.percent(20);
  }
  // Reduced axes with kept ones between them, long enough to be shared by many threads, which then come by elements in an
  // order of their own.
  void choose_layers() {
    t_.extents = {c_.between(17, 40), c_.between(1, 3), c_.between(20, 400)};
    t_.axes = {0, 2};
    if (c_.percent(40)) {
      t_.extents.insert(t_.extents.begin() + 1, c_.between(1, 4));
      t_.axes = c_.percent(50) ? std::vector<std::int64_t>{0, 1, 3} : std::vector<std::int64_t>{0, 3};
    }
    while (elements_of(t_) > most_.most_bytes / (2 * item_bytes(t_.type))) t_.extents.back() /= 2;
  }
  void choose_options() {
    const bool real = is_floating(t_.type);
    if (real && c_.percent(30)) t_.nan = nan_policy::omit;
    if (takes_correction(t_.op) && c_.percent(50))
      t_.correction = static_cast<double>(c_.percent(80) ? c_.between(1, 2) : c_.between(0, 300));
    if (t_.correction != 0 && c_.percent(25)) choose_fraction();
    if (takes_initial(t_.op) && c_.percent(15)) choose_initial();
    if (c_.percent(20)) choose_result();
    if (real && (t_.op == op_kind::sum || t_.op == op_kind::mean) && c_.percent(20)) t_.wanted = accuracy::fast;
    if (t_.op != op_kind::prod && c_.percent(5)) t_.wanted = accuracy::exact;
    if (c_.percent(1)) choose_nonsense();
    if (c_.percent(10)) choose_plan();
  }
  // Halves, fractions of as many places as there are, and next to nothing.
  void choose_fraction() {
    if (c_.percent(40)) t_.correction -= 0.5;
    else t_.correction *= std::ldexp(static_cast<double>(c_.bits() >> 11) + 1, -53);
    if (c_.percent(10)) t_.correction = std::ldexp(t_.correction, -static_cast<int>(c_.between(0, 1000)));
  }
  void choose_initial() {
    double value = static_cast<double>(c_.between(-8, 8));
    if (is_floating(t_.type) && c_.percent(30)) value /= 4;
    if (is_floating(t_.type) && c_.percent(10)) value = -0.0;
    if (!is_floating(t_.type) && c_.percent(20)) value = std::ldexp(value, static_cast<int>(c_.between(0, 58)));
    if (!is_floating(t_.type) && t_.type == dtype::boolean) value = c_.percent(50) ? 1 : 0;
    t_.initial = value;
  }
  void choose_result() {
    for (int tries = 0; tries < 8 && !t_.result; ++tries) {
      const auto type = static_cast<dtype>(c_.between(0, 12));
      if (result_dtype_allowed(t_.op, t_.type, type)) t_.result = type;
    }
  }
  // What is to be refused.
  void choose_nonsense() {
    switch (c_.between(0, 3)) {
      case 0: t_.correction = static_cast<double>(c_.between(-1, 1)); break;
      case 1: t_.initial = static_cast<double>(c_.between(-3, 3)); break;
      case 2: t_.result = static_cast<dtype>(c_.between(0, 12)); break;
      default: t_.wanted = accuracy::exact;
    }
  }
  void choose_plan() {
    constexpr std::array<int, 6> blocks{32, 64, 96, 128, 256, 512};
    if (c_.percent(40)) t_.forced.passes = static_cast<int>(c_.between(1, 4));
    if (c_.percent(40)) t_.forced.parts = c_.between(1, c_.percent(50) ? 8 : 100);
    if (c_.percent(30)) t_.forced.how = static_cast<finish>(c_.between(0, 2));
    if (c_.percent(30)) t_.forced.threads = c_.one_of(blocks);
    if (c_.percent(30)) t_.forced.form = static_cast<block_form>(c_.between(0, 1));
  }

  void choose_data() {
    constexpr std::array<int, 6> rates{1, 2, 3, 20, 300, 5000};
    t_.data.seed = c_.bits() % 100000;
    t_.data.kind = static_cast<family>(c_.between(0, 9));
    if (c_.percent(25)) t_.data.kind = family::ordinary;
    if (t_.op == op_kind::prod && c_.percent(70)) t_.data.kind = family::factors;
    const bool truths = t_.op == op_kind::any || t_.op == op_kind::all || t_.op == op_kind::count_nonzero;
    if (truths && c_.percent(40)) t_.data.kind = c_.percent(70) ? family::zeros : family::extremes;
    if (c_.percent(10)) t_.data.sign = c_.percent(50) ? 1 : -1;
    if (!is_floating(t_.type)) return;
    if (c_.percent(t_.nan == nan_policy::omit ? 70 : 12)) t_.data.nan_in = c_.one_of(rates);
    if (c_.percent(8)) t_.data.infinite_in = c_.one_of(rates);
  }

  chance c_;
  const limits& most_;
  trial t_;
};

}  // namespace

trial make_trial(std::uint64_t seed, std::uint64_t index, const limits& most) {
  return maker(seed, index, most).make();
}

}  // namespace multifold::agreement
