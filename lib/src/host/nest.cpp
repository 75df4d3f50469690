// Sorting the runs of a normal form by stride.
#include "host/nest.hpp"

#include <algorithm>
#include <cstdlib>

namespace multifold::host {

nest nest_of(const batches& form) {
  nest n;
  n.offset = form.offset;
  std::vector<int> place(form.reduced.size(), -1);  // number in form.reduced -> number in loops
  struct tagged {
    nest_loop loop;
    int reduced_number;
  };
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

}  // namespace multifold::host
