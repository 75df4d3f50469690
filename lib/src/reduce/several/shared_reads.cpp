// Summaries hold results of eight operations, and counts those of three.
#include "reduce/several/shared_reads.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <utility>

#include "multifold/error.hpp"
#include "multifold/ops/moments/finish_moments.hpp"
#include "reduce/request.hpp"

namespace multifold::inline v0_1::detail {
namespace {

// Runs from this many bytes on are described at the speed of memory, as by any other operation.
constexpr std::int64_t least_long_run_bytes = 65536;
// Of shorter runs a description takes the time of about this many others: three to four of them on an H200.
constexpr int least_reads_of_short_runs = 4;

const std::byte* bytes_of(const std::int64_t& x) { return reinterpret_cast<const std::byte*>(&x); }

// Where a summary has the result of `op`; null: it does not.
const std::byte* field_of(op_kind op, const summary& of) {
  if (op == op_kind::sum) return of.sum;
  if (op == op_kind::mean) return of.mean;
  if (op == op_kind::std) return of.std;
  if (op == op_kind::norm2) return of.norm2;
  if (op == op_kind::min) return of.min;
  if (op == op_kind::max) return of.max;
  if (op == op_kind::argmin) return bytes_of(of.argmin);
  if (op == op_kind::argmax) return bytes_of(of.argmax);
  return nullptr;
}

dtype field_type(op_kind op, const reduction& description) {
  if (op == op_kind::sum) return summary_sum_dtype(description.input, description.result);
  return gives_real(op) ? description.result : default_result_dtype(op, description.input);
}

// Of the elements that are not zero, and of those that take part.
void put_truth(op_kind op, std::int64_t set, std::int64_t count, std::byte* to) {
  if (op == op_kind::count_nonzero) std::memcpy(to, &set, sizeof set);
  else *to = std::byte{op == op_kind::any ? set != 0 : set == count};
}

class shared_reads {
 public:
  shared_reads(std::span<const op_kind> ops, const array_view& x, read_from where, const reduce_options& options,
               const reduce_by_one& reduce)
      : ops_(ops), options_(options), reduce_(reduce), where_(where) {
    for (const op_kind op : ops) requests_.push_back(make_request(op, x, options_for(op, options)));
    if (x.elements() == 0) return;
    const auto truths = std::count_if(all_truths.begin(), all_truths.end(), [&](op_kind op) { return takes(op); });
    counts_ = truths > 1 && !omits(x.type) && !options.result;
    choose_description(x, truths > 0 && !options.result);
  }

  // How many reads there are.
  int reads() const {
    int own = 0;
    for (std::size_t i = 0; i < ops_.size(); ++i) own += described(i) || counted(ops_[i]) ? 0 : 1;
    return own + (description_ ? 1 : 0) + (counts_ && !(description_ && has_truths_) ? 1 : 0);
  }

  reduce_result result(std::size_t i) {
    const op_kind op = ops_[i];
    if (described(i)) {
      if (read(op_kind::describe, summaries_, description_options_)) {
        if (std::optional<reduce_result> found = out_of_summaries(requests_[i])) return std::move(*found);
      }
    } else if (counted(op)) {
      if (read(op_kind::count_nonzero, counted_, options_for(op_kind::count_nonzero, options_))) {
        return out_of_counts(requests_[i]);
      }
    }
    return reduce_(op, options_for(op, options_));
  }

 private:
  static constexpr std::array all_truths{op_kind::any, op_kind::all, op_kind::count_nonzero};

  // What one read gave, its elements apart from the rest.
  struct shared {
    std::optional<reduce_result> result;
    std::vector<std::byte> data;
    bool failed = false;
  };

  bool takes(op_kind op) const { return std::count(ops_.begin(), ops_.end(), op) != 0; }
  bool omits(dtype type) const { return options_.nan == nan_policy::omit && is_floating(type); }
  bool counted(op_kind op) const { return counts_ && takes_truths(op); }
  bool described(std::size_t i) const {
    if (!description_) return false;
    return takes_truths(ops_[i]) ? has_truths_ : fits(requests_[i].what);
  }
  bool fits(const reduction& what) const {
    // Where nothing takes part, these fail, and a second read would have to say so.
    if (where_ == read_from::once && !has_identity(what.op) && omits(what.input)) return false;
    return field_of(what.op, summary{}) != nullptr && what.result == field_type(what.op, description_->what) &&
           !what.initial.given && achieved_by(what) == accuracy::exact;
  }

  void choose_description(const array_view& x, bool truths) {
    description_options_ = options_;
    description_options_.initial = {};
    if (!takes(op_kind::std)) description_options_.correction = 0;
    if (options_.result && !result_dtype_allowed(op_kind::describe, x.type, *options_.result)) {
      description_options_.result = {};
    }
    description_ = make_request(op_kind::describe, x, description_options_);
    if (description_->achieved != accuracy::exact) return description_.reset();
    std::vector<op_kind> kinds;
    for (const request& each : requests_) {
      if (fits(each.what) && std::count(kinds.begin(), kinds.end(), each.what.op) == 0) kinds.push_back(each.what.op);
    }
    const std::int64_t run_bytes = description_->form.length * item_bytes(x.type);
    const bool quick = where_ != read_from::device_memory || run_bytes >= least_long_run_bytes;
    has_truths_ = truths && !kinds.empty();
    const int reads = static_cast<int>(kinds.size()) + (has_truths_ ? 1 : 0);
    if (reads < (quick ? 2 : least_reads_of_short_runs)) description_.reset();
  }

  // Once. False: it failed, and each operation says by itself what it makes of the elements.
  bool read(op_kind op, shared& kept, const reduce_options& options) {
    if (kept.result || kept.failed) return !kept.failed;
    try {
      kept.result = reduce_(op, options);
      kept.data.swap(kept.result->data);
    } catch (const cancelled_error&) {
      throw;
    } catch (const error&) {
      if (where_ == read_from::once) throw;
      kept.failed = true;
    }
    return !kept.failed;
  }

  static reduce_result result_of(const shared& kept, const request& r, std::size_t results) {
    reduce_result one = *kept.result;
    one.type = r.what.result;
    one.achieved = r.achieved;
    one.used.what = r.what;
    one.data.resize(results * static_cast<std::size_t>(item_bytes(r.what.result)));
    return one;
  }

  // Nothing, if there are batches that no element takes part in, and the operation has no value for them.
  std::optional<reduce_result> out_of_summaries(const request& r) const {
    const op_kind op = r.what.op;
    const std::span all(reinterpret_cast<const summary*>(summaries_.data.data()),
                        summaries_.data.size() / sizeof(summary));
    const auto empty = [](const summary& each) { return each.count == 0; };
    if (!has_identity(op) && std::any_of(all.begin(), all.end(), empty)) return {};
    reduce_result one = result_of(summaries_, r, all.size());
    std::byte* to = one.data.data();
    for (const summary& from : all) {
      const auto item = static_cast<std::size_t>(item_bytes(r.what.result));
      if (takes_truths(op)) put_truth(op, from.count - from.zero, from.count, to);
      else std::memcpy(to, field_of(op, from), item);
      to += item;
    }
    return one;
  }

  reduce_result out_of_counts(const request& r) const {
    const std::span all(reinterpret_cast<const std::int64_t*>(counted_.data.data()),
                        counted_.data.size() / sizeof(std::int64_t));
    reduce_result one = result_of(counted_, r, all.size());
    std::byte* to = one.data.data();
    for (const std::int64_t set : all) {
      put_truth(r.what.op, set, one.count / static_cast<std::int64_t>(all.size()), to);
      to += item_bytes(r.what.result);
    }
    return one;
  }

  std::span<const op_kind> ops_;
  const reduce_options& options_;
  const reduce_by_one& reduce_;
  read_from where_;
  std::vector<request> requests_;
  std::optional<request> description_;
  reduce_options description_options_;
  bool has_truths_ = false;  // the description's
  bool counts_ = false;
  shared summaries_, counted_;
};

}  // namespace

reduce_options options_for(op_kind op, const reduce_options& options) {
  reduce_options own = options;
  if (!takes_initial(op)) own.initial = {};
  if (!takes_correction(op)) own.correction = 0;
  return own;
}

std::vector<reduce_result> reduce_by_shared_reads(std::span<const op_kind> ops, const array_view& x, read_from where,
                                                  const reduce_options& options, const reduce_by_one& reduce) {
  shared_reads all(ops, x, where, options, reduce);
  if (where == read_from::once && all.reads() > 1) {
    throw unsupported_error(
        "these operations take several reads on a GPU, and their input can be read once: "
        "ask for the host engine");
  }
  std::vector<reduce_result> results;
  for (std::size_t i = 0; i < ops.size(); ++i) results.push_back(all.result(i));
  return results;
}

}  // namespace multifold::inline v0_1::detail
