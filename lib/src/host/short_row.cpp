// Folds that are made once a process, and never destroyed: a call at exit finds them still.
#include "host/short_row.hpp"

#include <array>
#include <atomic>
#include <iterator>
#include <memory>

#include "host/engine.hpp"
#include "host/float_environment.hpp"
#include "host/fold.hpp"
#include "multifold/ops/visit.hpp"

namespace multifold::inline v0_1::host {
namespace {

constexpr std::size_t op_count = std::size(all_ops) + std::size(two_array_ops) + 1, dtype_count = 13;
static_assert(static_cast<std::size_t>(dtype::f64) + 1 == dtype_count);

constexpr std::int64_t most_kept_correction = 1;

using kept_fold = std::atomic<const fold*>;

[[gnu::noinline]] const fold& keep(kept_fold& place, const reduction& what) {
  auto made = std::make_unique<const fold>(make_row_fold(what));
  const fold* other = nullptr;
  return place.compare_exchange_strong(other, made.get()) ? *made.release() : *other;
}

const fold& kept_fold_of(const reduction& what) {
  static std::array<std::array<std::array<kept_fold, most_kept_correction + 1>, dtype_count>, op_count> folds{};
  kept_fold& place = folds[static_cast<std::size_t>(what.op)][static_cast<std::size_t>(what.input)]
                          [static_cast<std::size_t>(what.correction)];
  const fold* const found = place.load(std::memory_order_acquire);
  return found != nullptr ? *found : keep(place, what);
}

// What takes about as long as until other threads are awake. Microseconds of one thread and of all, medians, on an EPYC
// with two cores and a Xeon with sixteen:
//                   0.4 MB      0.8 MB      1 MiB       2 MiB       4 MiB
//     sum f32, EPYC                         25, 27      48, 53      93, 79
//     sum f32, Xeon                         27, 41      77, 45      174, 48
//     var f32, EPYC 33, 57      64, 46
//     max f32, argmax i32, sum i64, EPYC                              45 to 50, 52 to 62
constexpr std::int64_t quick_bytes = 3 << 19, usual_bytes = 512 << 10;
constexpr std::int64_t light_bytes = 9 << 19;  // between two threads, of what is as quick as the cache

bool is_light(const reduction& what, op_family family) {
  if (family == op_family::sum) return !is_floating(what.input);
  return family == op_family::extremum || family == op_family::arg_extremum || family == op_family::tally;
}

}  // namespace

bool is_row(const batches& form) {
  return form.kept.empty() && (form.reduced.empty() || (form.reduced.size() == 1 && form.reduced[0].stride == 1));
}

bool is_for_one_thread(const reduction& what, bool row, std::int64_t bytes) {
  const op_family family = family_of(what);
  const bool multiplies = family == op_family::moments || family == op_family::product;
  if (bytes < (row && !multiplies ? quick_bytes : usual_bytes)) return true;
  return row && bytes < light_bytes && is_light(what, family) && usable_threads() <= 2;
}

void run_row(const reduction& what, const operands& data, std::int64_t count, void* result) {
  const default_float_environment environment;
  const whole_row work{&what, data, count, static_cast<std::byte*>(result)};
  const bool kept = what.correction >= 0 && what.correction <= most_kept_correction;
  const outcome done = kept ? kept_fold_of(what).row(work) : make_row_fold(what).row(work);
  check_status(done.worst, what);
}

}  // namespace multifold::inline v0_1::host
