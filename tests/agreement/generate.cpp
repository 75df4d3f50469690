// Most trials are small, some reach beyond the sizes where plans change, and every member has its chance.
#include "agreement/generate.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "agreement/data.hpp"
#include "agreement/reference.hpp"

namespace multifold::agreement {
namespace {

constexpr std::array<op_kind, 18> ops{
    op_kind::sum,  op_kind::prod,  op_kind::min,      op_kind::max,   op_kind::argmin, op_kind::argmax,
    op_kind::mean, op_kind::norm1, op_kind::sumsq,    op_kind::norm2, op_kind::var,    op_kind::std,
    op_kind::dot,  op_kind::cov,   op_kind::describe, op_kind::any,   op_kind::all,    op_kind::count_nonzero};
// Sizes near which plans change, in bytes.
constexpr std::array<std::int64_t, 9> thresholds{1 << 10, 8 << 10, 32 << 10, 64 << 10, 512 << 10,
                                                 1 << 20, 8 << 20, 32 << 20, 64 << 20};

class chance {
 public:
  chance(std::uint64_t seed, std::uint64_t index) : state_(mixed(seed, index)) {}
  std::uint64_t bits() { return mixed(state_, ++drawn_); }
  std::int64_t between(std::int64_t least, std::int64_t greatest) {
    return least + static_cast<std::int64_t>(bits() % static_cast<std::uint64_t>(greatest - least + 1));
  }
  bool percent(int p) { return between(0, 99) < p; }
  double unit() { return static_cast<double>(bits() >> 11) * 0x1p-53; }
  template <class T, std::size_t N>
  T one_of(const std::array<T, N>& all) {
    return all[bits() % N];
  }

 private:
  std::uint64_t state_, drawn_ = 0;
};

class maker {
 public:
  maker(std::uint64_t seed, std::uint64_t index, const limits& most) : c_(seed, index), most_(most) {}

  trial make() {
    t_.type = static_cast<dtype>(c_.percent(55) ? c_.between(9, 12) : c_.between(0, 8));
    t_.op = c_.percent(20) ? op_kind::sum : c_.percent(8) ? op_kind::mean : c_.one_of(ops);
    choose_extents();
    choose_axes();
    choose_options();
    choose_data();
    choose_way();
    if (!t_.extents.empty() && c_.percent(12)) choose_segments();
    if (!t_.cut && c_.percent(10)) choose_marks();
    if (!t_.cut && c_.percent(8)) choose_beside();
    choose_strides();
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
    while (elements_of(t_) > most_.most_bytes / (2 * item_bytes(t_.type))) {
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
    shuffle(*t_.axes);
    t_.keepdims = c_.percent(20);
  }
  template <class T>
  void shuffle(std::vector<T>& list) {
    for (std::size_t i = list.size(); i > 1; --i) std::swap(list[i - 1], list[c_.bits() % i]);
  }

  void choose_options() {
    const bool real = is_floating(t_.type);
    if (real && c_.percent(30)) t_.nan = nan_policy::omit;
    if (takes_correction(t_.op) && c_.percent(50))
      t_.correction = static_cast<double>(c_.percent(80) ? c_.between(1, 2) : c_.between(0, 300));
    if (t_.correction != 0 && c_.percent(25)) choose_fraction();
    const bool takes_initial =
        t_.op == op_kind::sum || t_.op == op_kind::prod || t_.op == op_kind::min || t_.op == op_kind::max;
    if (takes_initial && c_.percent(15)) choose_initial();
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

  void choose_way() {
    if (c_.percent(50)) t_.threads = static_cast<int>(c_.percent(90) ? c_.between(1, 4) : c_.between(0, 9));
    t_.into = c_.percent(30);
    if (most_.device && (!most_.host || c_.percent(75))) return choose_device_way();
    if (most_.both && (!most_.host || c_.percent(10))) {
      t_.engine = engine_choice::both;
      t_.where = c_.percent(40) ? origin::pinned : c_.percent(60) ? origin::host : any_source();
    } else if (c_.percent(12) && is_plain() && elements_of(t_) < 3000) {
      t_.way = entry::interpret;
      t_.into = false;
    } else if (c_.percent(20)) {
      t_.where = any_source();
    }
    if (is_source(t_.where)) choose_source();
    if (t_.way == entry::reduce && c_.percent(5)) t_.state = true;
    t_.shift = c_.between(0, 63);
    t_.at_end = c_.percent(30);
  }
  origin any_source() { return static_cast<origin>(c_.between(3, 6)); }

  // Entries that take plans have no rules for what makes no sense.
  bool is_plain() const {
    const bool takes_initial =
        t_.op == op_kind::sum || t_.op == op_kind::prod || t_.op == op_kind::min || t_.op == op_kind::max;
    return (!t_.initial || takes_initial) && t_.correction >= 0 && (t_.correction == 0 || takes_correction(t_.op)) &&
           !(t_.wanted == accuracy::exact && t_.op == op_kind::prod);
  }

  void choose_device_way() {
    t_.engine = engine_choice::device;
    t_.where = origin::device;
    t_.shift = c_.percent(50) ? 0 : c_.between(0, 63);
    if (is_plain() && c_.percent(60)) {
      t_.way = c_.percent(15) ? entry::graph : c_.percent(15) ? entry::fold : entry::async;
      t_.into = false;
      if (t_.extents.size() == 1 && (!t_.axes || t_.axes->size() == 1) && c_.percent(20)) t_.way = entry::counted;
      if (t_.way == entry::counted) choose_count();
      if (t_.way == entry::fold) {
        t_.type = c_.one_of(std::array{dtype::u8, dtype::i16, dtype::f32, dtype::f64});
        t_.result.reset();
      }
    } else if (c_.percent(40)) {
      t_.where = c_.percent(45) ? origin::pinned : c_.percent(60) ? origin::host : any_source();
      if (t_.where == origin::pinned && c_.percent(50)) t_.sent = static_cast<transfer>(c_.between(1, 3));
    }
    if (is_source(t_.where)) choose_source();
  }

  // On the CPU any there are, on the GPU those by offsets of neighbours.
  void choose_segments() {
    if (t_.engine == engine_choice::both || t_.engine == engine_choice::automatic || t_.way != entry::reduce) return;
    const bool on_device = t_.engine == engine_choice::device;
    const auto rank = static_cast<std::int64_t>(t_.extents.size());
    if (on_device && (rank != 1 || is_source(t_.where))) return;
    std::int64_t axis = c_.between(0, rank - 1);
    if (c_.percent(60)) axis = std::max_element(t_.extents.begin(), t_.extents.end()) - t_.extents.begin();
    if (rank > 1 || c_.percent(50)) t_.axes = {c_.percent(30) ? axis - rank : axis};
    else t_.axes.reset();
    const std::int64_t extent = t_.extents[static_cast<std::size_t>(axis)];
    const bool ranges = !on_device && c_.percent(30);
    // Segments that overlap are more work than there are elements.
    const std::int64_t beside = extent > 0 ? elements_of(t_) / extent : 1;
    std::int64_t most = c_.percent(60) ? 12 : c_.percent(70) ? 300 : 20'000;
    if (ranges) most = std::min(most, (std::int64_t{1} << 22) / std::max<std::int64_t>(elements_of(t_), 1));
    most = std::min(most, (std::int64_t{1} << 18) / std::max<std::int64_t>(beside, 1));
    t_.cut = {ranges, c_.percent(50), c_.between(0, std::max<std::int64_t>(most, 1)), c_.bits() % 100000};
    t_.keepdims = c_.percent(1);
    if (!c_.percent(1)) t_.forced = {};
    t_.state = t_.endless = false;
  }

  // In host memory and on the CPU; seldom where they are refused.
  void choose_marks() {
    if (t_.way != entry::reduce || takes_two_arrays(t_.op) || t_.state) return;
    const bool served = t_.engine == engine_choice::host && t_.where == origin::host;
    if (!served && !c_.percent(2)) return;
    const auto percent = static_cast<int>(c_.percent(30) ? 100 * c_.between(0, 1) : c_.between(0, 100));
    t_.marked = {percent, c_.percent(50) ? 0 : c_.bits() % 32, c_.bits() % 100000};
  }

  // An operation that has a value wherever the other one has.
  void choose_beside() {
    constexpr std::array<op_kind, 5> others{op_kind::any, op_kind::count_nonzero, op_kind::mean, op_kind::norm2,
                                            op_kind::var};
    const bool served = t_.way == entry::reduce && t_.engine != engine_choice::both && !takes_two_arrays(t_.op) &&
                        is_plain() && (t_.engine == engine_choice::host || t_.where != origin::pipe);
    if (!served || t_.result || t_.state) return;
    t_.beside = c_.one_of(others);
    t_.into = false;
    if (!c_.percent(1)) t_.forced = {};
  }

  void choose_count() {
    const std::int64_t n = t_.extents[0];
    t_.count = c_.percent(30) ? n : c_.percent(95) ? c_.between(0, n) : n + 1;
    t_.keepdims = false;
  }

  void choose_source() {
    if (t_.where == origin::npy && t_.type == dtype::bf16) t_.where = origin::raw;
    // A GPU's copies take slots of half a megabyte.
    const bool narrow = t_.engine == engine_choice::host && c_.percent(50);
    if (c_.percent(50)) t_.memory_bytes = narrow ? 256 << 10 : c_.between(2, 8) << 20;
    if (!t_.extents.empty() && c_.percent(25)) t_.pieces = static_cast<int>(c_.between(2, 4));
    t_.swapped = t_.where == origin::npy && c_.percent(20);
    const bool one_row = t_.extents.size() == 1 && (!t_.axes || t_.axes->size() == 1);
    const bool forced = t_.forced.parts || t_.forced.passes || t_.forced.how;
    if (t_.where == origin::pipe && one_row && !takes_two_arrays(t_.op) && !forced) t_.endless = c_.percent(50);
    if (t_.endless) t_.pieces = 1;
  }

  // The axes from the fastest to the slowest in memory, each behind the one before, with gaps, flips and repeats.
  void choose_strides() {
    const std::size_t rank = t_.extents.size();
    std::vector<std::size_t> order(rank);
    std::iota(order.begin(), order.end(), 0);
    if (!c_.percent(35)) {
      if (c_.percent(30) || is_source(t_.where)) std::reverse(order.begin(), order.end());
      else shuffle(order);
    }
    std::reverse(order.begin(), order.end());  // now it begins with the fastest one
    t_.strides.assign(rank, 0);
    if (is_source(t_.where)) {
      const bool rows = order.empty() || order.front() + 1 == rank || t_.where == origin::raw;
      t_.strides = rows ? c_strides(t_.extents) : fortran_strides(t_.extents);
      return;
    }
    const bool dense =
        c_.percent(40) || (t_.engine != engine_choice::host && t_.where != origin::device && c_.percent(85));
    std::int64_t stride = 1;
    for (const std::size_t axis : order) {
      const std::int64_t extent = std::max<std::int64_t>(t_.extents[axis], 1);
      if (!dense && c_.percent(6)) continue;  // repeated
      std::int64_t step = dense || !c_.percent(10) ? 1 : c_.between(2, 3);
      if (!dense && c_.percent(12)) stride += c_.between(1, 9);
      if (stride > most_.most_bytes / (item_bytes(t_.type) * step * extent)) continue;  // no room: repeated, too
      t_.strides[axis] = step * stride * (!dense && c_.percent(12) ? -1 : 1);
      stride *= step * extent;
    }
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
