// Marks are broadcast to the array, and counted, since a mean divides by the elements that take part.
#include "reduce/parts/apart.hpp"

#include <new>
#include <string>

#include "multifold/engine_parts.hpp"
#include "multifold/error.hpp"
#include "reduce/places.hpp"

namespace multifold::inline v0_1::detail {
namespace {

bool is_for_host(const array_view& x, const reduce_options& options) {
  const engine_choice engine = choice_of(options);
  return x.where == place::host && engine != engine_choice::device && engine != engine_choice::both;
}

void check_host(const array_view& x, const reduce_options& options) {
  if (is_for_host(x, options)) return;
  throw unsupported_error(std::string("where is served by the host engine, of arrays in host memory: ") +
                          (x.where == place::device ? "copy the array there" : "leave the engine open"));
}

array_view checked_marks(const array_view& x, const array_view& where) {
  if (where.type != dtype::boolean) {
    throw unsupported_error("where is an array of " + std::string(name(where.type)) + "; expected boolean");
  }
  if (where.where != place::host || is_device_memory(where.data))
    throw unsupported_error("where lies in device memory: copy it to the host's");
  if (where.strides.size() != where.extents.size()) {
    throw shape_error("where has " + std::to_string(where.extents.size()) + " axes, but " +
                      std::to_string(where.strides.size()) + " strides were given");
  }
  check_address(where);
  return broadcast_to(where, x.extents);
}

bool lies_alike(const array_view& x, const array_view& y) {
  if (x.elements() == 0) return true;
  for (std::size_t i = 0; i < x.extents.size(); ++i) {
    if (x.extents[i] > 1 && x.strides[i] != y.strides[i]) return false;
  }
  return true;
}

}  // namespace

void refuse_where(const char* what, const reduce_options& options) {
  if (!options.where) return;
  throw unsupported_error(std::string(what) + " takes no where: it is for arrays in host memory");
}

std::optional<operand_apart> operand_apart::of(request& r, const array_view& x, const array_view* y,
                                               const reduce_options& options) {
  operand_apart made;
  if (options.where) {
    if (y != nullptr) {
      throw unsupported_error(std::string(name(r.what.op)) + " takes no where: operations of one array do");
    }
    check_host(x, options);
    if (options.keep_state) throw unsupported_error("where takes no state: keep that of the elements that it selects");
    made.second_ = checked_marks(x, *options.where);
    made.marks_ = true;
  } else if (y != nullptr && !lies_alike(x, *y)) {
    if (!is_for_host(x, options)) check_same_order(r.what.op, x, *y);
    made.second_ = *y;
  } else {
    return std::nullopt;
  }
  made.x_ = x;
  made.axes_ = options.axes.of(x.rank());
  normalise(made.second_, made.axes_, element_order::any);  // for what it refuses
  r.form = normalise(x, made.axes_, element_order::indexed);
  return made;
}

// Linked with whatever takes marks, which are counted.
[[gnu::used]] static host::engine_part* const counts_marks = host::tallies;

void operand_apart::count(const reduce_options& options) {
  if (!marks_ || x_.elements() == 0) return;
  const batches form = normalise(second_, axes_, element_order::any);
  const reduction tally = make_reduction(op_kind::count_nonzero, dtype::boolean);
  try {
    counts_.resize(static_cast<std::size_t>(form.results()));
  } catch (const std::bad_alloc&) {
    throw out_of_memory("the counts of " + std::to_string(form.results()) + " results do not fit in memory");
  }
  host::run(make_plan(tally, form, {}, host::traits(options.threads)), second_.data, counts_.data(),
            {options.threads, options.stop, {}});
}

void operand_apart::check_values(const reduction& what) const {
  if (has_identity(what.op) || what.initial.given) return;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    if (counts_[i] != 0) continue;
    throw shape_error(std::string(name(what.op)) + " has no value where no element takes part: that is so of " +
                      (counts_.size() == 1 ? "all of the array" : "result " + std::to_string(i)));
  }
}

host::operand_apart operand_apart::on_host() const {
  return {x_, second_, axes_, counts_.empty() ? nullptr : counts_.data()};
}

}  // namespace multifold::inline v0_1::detail
