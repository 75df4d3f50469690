// Sorting the runs of a normal form by stride.
#include "host/shape/nest.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace multifold::inline v0_1::host {

namespace {

// A loop, and its number among the reduced runs of the form; -1 for kept ones.
struct tagged {
  nest_loop loop;
  int reduced_number;
};

// Numbers loops and accumulators. `runs`: how many reduced ones there are.
void arrange(nest& n, std::vector<tagged> found, std::size_t runs) {
  std::vector<int> place(runs, -1);  // number in form.reduced -> number in loops
  std::stable_sort(found.begin(), found.end(), [](const tagged& a, const tagged& b) {
    return std::llabs(a.loop.stride) > std::llabs(b.loop.stride);
  });
  for (const tagged& t : found) {
    const int number = static_cast<int>(n.loops.size());
    n.all.push_back(number);
    if (t.loop.reduced) place[static_cast<std::size_t>(t.reduced_number)] = number;
    else n.kept.push_back(number);
    n.loops.push_back(t.loop);
  }
  for (int number : place) {
    if (number >= 0) n.reduced.push_back(number);
  }
  std::int64_t step = 1;
  for (std::size_t i = n.kept.size(); i-- > 0;) {
    nest_loop& loop = n.loops[static_cast<std::size_t>(n.kept[i])];
    loop.acc_step = step;
    step *= loop.extent;
    n.in_order = n.in_order && loop.acc_step == loop.result_step;
  }
}

// Whether `slow`, whose turns are whole rounds of `fast`, can be one loop with it.
bool follows(const nest_loop& slow, const nest_loop& fast) {
  const auto is_round = [&](std::int64_t step, std::int64_t of) { return int128_t{of} * fast.extent == step; };
  return slow.reduced == fast.reduced && is_round(slow.stride, fast.stride) &&
         is_round(slow.second_stride, fast.second_stride) && is_round(slow.result_step, fast.result_step) &&
         is_round(slow.index_step, fast.index_step);
}

}  // namespace

nest nest_of(const batches& form) {
  nest n;
  n.offset = form.offset;
  std::vector<tagged> found;
  for (const run& r : form.kept) {
    n.results *= r.extent;
    if (r.extent > 1) found.push_back({{r.extent, r.stride, 0, r.result_stride, 0, false}, -1});
  }
  for (std::size_t i = form.reduced.size(); i-- > 0;) {
    const run& r = form.reduced[i];
    if (r.extent > 1) found.push_back({{r.extent, r.stride, 0, 0, n.length, true}, static_cast<int>(i)});
    n.length *= r.extent;
  }
  arrange(n, std::move(found), form.reduced.size());
  return n;
}

nest joint_nest(const array_view& x, const array_view& second, const std::vector<std::int64_t>& axes) {
  nest n;
  std::vector<bool> reduced(x.extents.size(), false);
  for (const std::int64_t axis : axes) reduced[static_cast<std::size_t>(axis < 0 ? axis + x.rank() : axis)] = true;
  std::vector<nest_loop> of_axes;  // fastest first
  for (std::size_t i = x.extents.size(); i-- > 0;) {
    const std::int64_t extent = x.extents[i];
    std::int64_t& steps = reduced[i] ? n.length : n.results;
    const nest_loop loop{extent,     x.strides[i],     0, reduced[i] ? 0 : steps, reduced[i] ? steps : 0,
                         reduced[i], second.strides[i]};
    steps *= extent;
    if (extent == 1) continue;
    if (!of_axes.empty() && follows(loop, of_axes.back())) of_axes.back().extent *= extent;
    else of_axes.push_back(loop);
  }
  std::vector<tagged> found;
  int runs = 0;
  for (std::size_t i = of_axes.size(); i-- > 0;) found.push_back({of_axes[i], of_axes[i].reduced ? runs++ : -1});
  arrange(n, std::move(found), static_cast<std::size_t>(runs));
  return n;
}

std::int64_t nest::result_of(std::int64_t number) const {
  std::int64_t at = 0;
  for (int k : kept) {
    const nest_loop& loop = loops[static_cast<std::size_t>(k)];
    at += number / loop.acc_step % loop.extent * loop.result_step;
  }
  return at;
}

box whole(const nest& n) {
  box b;
  for (std::size_t i = 0; i < n.loops.size(); ++i) b[i] = {0, n.loops[i].extent};
  return b;
}

bool intersect(const std::vector<int>& loops, const box& with, box& b) {
  bool left = true;
  for (int loop : loops) {
    interval& i = b[static_cast<std::size_t>(loop)];
    const interval k = with[static_cast<std::size_t>(loop)];
    i = {std::max(i.begin, k.begin), std::min(i.end, k.end)};
    left = left && i.begin < i.end;
  }
  return left;
}

}  // namespace multifold::inline v0_1::host
