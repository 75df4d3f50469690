// From intervals of loops to a normal form: a box of an array is an array.
#include "stream/device/boxes.hpp"

#include <algorithm>

#include "multifold/error.hpp"

namespace multifold::inline v0_1::stream {
namespace {

// That kernels take as their arguments.
constexpr std::size_t most_runs = 8;

}  // namespace

bool streams_to_device(const batches& form) {
  if (form.pattern != access::strided || form.elements() == 0) return true;
  if (form.kept.size() > most_runs || form.reduced.size() > most_runs) return false;
  // Else the indices in a box, in the order of the batch, have gaps.
  const host::nest n = host::nest_of(form);
  return std::is_sorted(n.reduced.begin(), n.reduced.end());
}

void check_streams_to_device(const batches& form, const std::string& who) {
  if (streams_to_device(form)) return;
  throw unsupported_error(who +
                          ": a GPU takes chunks of up to 8 runs of kept and of reduced elements, in which indices "
                          "ascend along memory: use the host engine");
}

// Boxes are cut in memory order, so that the loops behind one with several turns are whole: the kept ones number
// neighbouring results, the reduced ones neighbouring indices, and batches of the box count as those of the array do.
device_box box_of(const host::nest& n, const host::box& b) {
  device_box box{};
  array_view view;
  view.type = dtype::u8;  // steps count elements
  std::vector<std::int64_t> reduced;
  std::int64_t offset = n.offset;
  for (std::size_t i = 0; i < n.loops.size(); ++i) {
    const host::nest_loop& loop = n.loops[i];
    if (loop.reduced) reduced.push_back(static_cast<std::int64_t>(i));
    view.extents.push_back(b[i].end - b[i].begin);
    view.strides.push_back(loop.stride);
    offset += b[i].begin * loop.stride;
    box.first_result += b[i].begin * loop.acc_step;
    box.first_index += b[i].begin * loop.index_step;
  }
  box.form = normalise(view, reduced, element_order::indexed);
  box.form.offset += offset;
  return box;
}

}  // namespace multifold::inline v0_1::stream
