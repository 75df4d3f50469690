// From intervals of loops to a normal form.
#include "stream/device_boxes.hpp"

namespace multifold::stream {

bool streams_to_device(const batches& form) { return form.pattern != access::strided; }

device_box box_of(const host::nest& n, const host::box& b) {
  device_box box{};
  batches& form = box.form;
  form.offset = n.offset;
  form.length_run.reduced = true;
  form.length_run.stride = 1;
  for (std::size_t i = 0; i < n.loops.size(); ++i) {
    const host::nest_loop& loop = n.loops[i];
    const std::int64_t extent = b[i].end - b[i].begin;
    form.offset += b[i].begin * loop.stride;
    box.first_result += b[i].begin * loop.acc_step;
    box.first_index += b[i].begin * loop.index_step;
    const run r{extent, loop.stride, loop.acc_step, loop.reduced};
    if (loop.reduced) form.length_run = r;
    else if (loop.stride == 1) form.inner_run = r;
    else form.outer_run = r;
  }
  form.outer = form.outer_run.extent;
  form.length = form.length_run.extent;
  form.inner = form.inner_run.extent;
  form.pattern = form.inner_run.stride == 1 ? access::columns : access::rows;
  form.kept = {form.outer_run, form.inner_run};
  form.reduced = {form.length_run};
  return box;
}

}  // namespace multifold::stream
