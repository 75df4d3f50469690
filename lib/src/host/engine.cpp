// How an array is run: by one thread at once, or by tasks; each job for itself, or several together.
#include "host/engine.hpp"

#include <algorithm>
#include <vector>

#include "host/aligned_bytes.hpp"
#include "host/execution.hpp"
#include "host/float_environment.hpp"
#include "host/short_row.hpp"
#include "multifold/error.hpp"

namespace multifold::inline v0_1::host {
namespace {

// As many as were asked for, if there is a task for a second one.
int threads_for(const plan& p, int asked) {
  const std::int64_t bytes = p.form.elements() * item_bytes(p.what.input);
  if (asked > 0) return bytes < task_bytes ? 1 : asked;
  return is_for_one_thread(p.what, is_row(p.form), bytes) ? 1 : usable_threads();
}

int threads_for(std::span<const job> jobs, int asked) {
  int most = 1;
  for (const job& j : jobs) most = std::max(most, threads_for(*j.p, asked));
  return most;
}

// No elements: every result is the identity's.
void run_empty(const plan& p, void* results) {
  const fold f = make_fold(p.what);
  const aligned_bytes acc = allocate_accumulators(1, f.acc_bytes());
  f.clear(acc.get(), 1);
  for (std::int64_t batch = 0; batch < p.form.results(); ++batch) {
    std::byte* const out = static_cast<std::byte*>(results) + batch * result_bytes(p.what);
    check_status(f.lower({&p.what, acc.get(), 1, 0, out, 0}).worst, p.what, p.form.results() == 1 ? -1 : batch);
  }
}

// Whether `p` is a row for one thread, with no progress to tell. What is rounded on the way is cut into tasks all the
// same.
bool is_short_row(const plan& p, const run_options& options) {
  if (!is_row(p.form) || p.passes.size() > 1 || options.stop.stop_possible() || options.progress) return false;
  const bool uncut = merges_in_any_order(p.what) || p.form.length <= task_bytes / item_bytes(p.what.input);
  return uncut && threads_for(p, options.threads) == 1;
}

void run_short_row(const plan& p, const operands& data, void* results) {
  const std::int64_t offset = p.form.offset * item_bytes(p.what.input);
  const auto first = [&](const void* x) { return static_cast<const std::byte*>(x) + offset; };
  const operands from{first(data.x), takes_two_arrays(p.what.op) ? first(data.y) : nullptr};
  const outcome done = make_row_fold(p.what).row({&p.what, from, p.form.length, static_cast<std::byte*>(results)});
  check_status(done.worst, p.what);
}

void check_parts(const plan& p) {
  const pass& first = p.passes.front();
  if ((p.form.length - 1) / first.part_length + 1 == first.parts) return;
  throw unsupported_error("the host engine takes plans with contiguous parts: make the plan with host traits");
}

// Whether both can be had of one read: their tasks are alike, and no bit depends on where tasks are cut.
bool go_together(const plan& a, const plan& b) {
  const pass &x = a.passes.front(), &y = b.passes.front();
  return merges_in_any_order(a.what) && merges_in_any_order(b.what) && a.form == b.form && x.parts == y.parts &&
         x.part_length == y.part_length;
}

void run_together(std::span<const job> jobs, const operands& data, const run_options& options,
                  const operand_apart* apart) {
  const auto is_short = [&](const job& j) { return apart == nullptr && is_short_row(*j.p, options); };
  if (std::all_of(jobs.begin(), jobs.end(), is_short)) {
    for (const job& j : jobs) run_short_row(*j.p, data, j.results);
  } else {
    execution(jobs, data, options, apart, threads_for(jobs, options.threads)).run();
  }
}

}  // namespace

void run(std::span<const job> jobs, const operands& data, const run_options& options, const operand_apart* apart) {
  const default_float_environment environment;
  std::vector<job> left(jobs.begin(), jobs.end());
  std::int64_t read = 0;
  run_options each = options;
  if (options.progress) each.progress = [&](std::int64_t bytes) { options.progress(read + bytes); };
  while (!left.empty()) {
    const plan& first = *left.front().p;
    if (first.form.elements() == 0) {
      run_empty(first, left.front().results);
      left.erase(left.begin());
      continue;
    }
    check_parts(first);
    const auto others =
        std::stable_partition(left.begin() + 1, left.end(), [&](const job& j) { return go_together(first, *j.p); });
    run_together({left.begin(), others}, data, each, apart);
    read += first.form.elements() * item_bytes(first.what.input);
    left.erase(left.begin(), others);
  }
}

void run(const plan& p, const operands& data, void* results, const run_options& options) {
  const default_float_environment environment;
  if (p.form.elements() == 0) return run_empty(p, results);
  check_parts(p);
  const job only{&p, results};
  run_together({&only, 1}, data, options, nullptr);
}

}  // namespace multifold::inline v0_1::host
