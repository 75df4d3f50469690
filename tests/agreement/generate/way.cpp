// The way of a trial through the library: its engine, where its elements are, and whether it takes a plan.
#include <array>

#include "agreement/generate/steps.hpp"

namespace multifold::agreement {
namespace {

class way_maker {
 public:
  way_maker(chance& c, const limits& most, trial& t) : c_(c), most_(most), t_(t) {}

  void choose() {
    if (c_.percent(50)) t_.threads = static_cast<int>(c_.percent(90) ? c_.between(1, 4) : c_.between(0, 9));
    t_.into = c_.percent(30);
    if (most_.device && (!most_.host || c_.percent(75))) return choose_device_way();
    if (most_.both && (!most_.host || c_.percent(10))) {
      t_.engine = engine_choice::both;
      t_.where = c_.percent(40) ? origin::pinned : c_.percent(60) ? origin::host : any_source();
    } else if (c_.percent(12) && is_plain(t_) && elements_of(t_) < 3000) {
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

 private:
  origin any_source() { return static_cast<origin>(c_.between(3, 6)); }

  void choose_device_way() {
    t_.engine = engine_choice::device;
    t_.where = origin::device;
    t_.shift = c_.percent(50) ? 0 : c_.between(0, 63);
    if (is_plain(t_) && c_.percent(60)) {
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

  chance& c_;
  const limits& most_;
  trial& t_;
};

}  // namespace

void choose_way(chance& c, const limits& most, trial& t) { way_maker(c, most, t).choose(); }

bool is_plain(const trial& t) {
  return (!t.initial || takes_initial(t.op)) && t.correction >= 0 && (t.correction == 0 || takes_correction(t.op)) &&
         !(t.wanted == accuracy::exact && t.op == op_kind::prod);
}

}  // namespace multifold::agreement
