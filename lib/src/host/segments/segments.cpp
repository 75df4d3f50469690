// Tasks are ranges of neighbouring segments with about as much work each; what is too long for one is cut into
// parts, whose accumulators meet in the end.
#include "host/segments/segments.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>

#include "host/aligned_bytes.hpp"
#include "host/float_environment.hpp"
#include "host/reduce_box.hpp"
#include "host/segments/rows.hpp"
#include "host/segments/shape.hpp"
#include "host/threads/progress.hpp"
#include "host/threads/tasks.hpp"
#include "multifold/error.hpp"

namespace multifold::inline v0_1::host {
namespace {

// The value of a segment without elements, which needs no accumulator.
struct empty_result {
  aligned_bytes bytes;
  status became;

  empty_result(const fold& f, const reduction& what) : bytes(allocate_accumulators(1, result_bytes(what))) {
    const aligned_bytes acc = allocate_accumulators(1, f.acc_bytes());
    f.clear(acc.get(), 1);
    became = f.lower({&what, acc.get(), 1, 0, bytes.get(), 0}).worst;
  }
};

class execution {
 public:
  execution(const segment_work& work, const segment_census& census, const run_options& options)
      : work_(work),
        fold_(make_fold(*work.what)),
        nest_(nest_of(work.form)),
        neighbours_(nest_.kept.empty() && nest_.loops.front().stride == 1),
        shape_(shape_of_segments(work, census, fold_, nest_.results, options.threads)),
        order_(work.of.count, census, shape_),
        shared_(shared_segments(work.of, census, shape_)),
        empty_(fold_, *work.what),
        item_(result_bytes(*work.what)),
        data_(static_cast<const std::byte*>(work.data.x)),
        other_(takes_two_arrays(work.what->op) ? static_cast<const std::byte*>(work.data.y) - data_ : 0),
        results_(static_cast<std::byte*>(work.results)),
        options_(options) {}

  void run() {
    const std::int64_t parts = shared_.parts * shape_.blocks, ranges = order_.tasks() * shape_.blocks;
    if (parts > 0) partials_ = allocate_accumulators(parts * shape_.block, fold_.acc_bytes());
    const auto make_scratch = [this] { return scratch(*this); };
    share_out(shape_.threads, parts + ranges, make_scratch, [&](std::int64_t task, scratch& s) {
      if (task < parts) reduce_part(task, s);
      else reduce_range(task - parts, s);
    });
    share_out(shape_.threads, static_cast<std::int64_t>(shared_.list.size()) * shape_.blocks, make_scratch,
              [&](std::int64_t task, scratch& s) { finish_shared(task, s); });
    const outcome all = outcome_.get();
    const bool single = work_.before + work_.of.count == 1 && nest_.results == 1;
    check_status(all.worst, *work_.what, single ? -1 : all.result);
  }

 private:
  struct scratch {
    explicit scratch(const execution& e)
        : acc(allocate_accumulators((e.shape_.batch + 1) * e.shape_.block, e.fold_.acc_bytes())),
          counts(static_cast<std::size_t>(e.shape_.batch)),
          boxes(e.nest_, e.shape_) {
      segments.reserve(counts.size());
    }
    aligned_bytes acc;  // of a batch of segments, and of one more part
    std::vector<std::int64_t> counts;
    std::vector<interval> segments;
    block_boxes boxes;
    std::optional<segment_rows> rows;
  };

  std::byte* at(std::byte* acc, std::int64_t number) const { return acc + number * shape_.block * fold_.acc_bytes(); }

  void look_at_stop() const {
    if (options_.stop.stop_requested()) throw cancelled_error("the reduction was cancelled");
  }

  // Elements `part` of a segment that begins at element `begin`.
  void gather(block_boxes& boxes, std::int64_t begin, interval part, std::byte* acc) const {
    if (neighbours_) {
      const std::int64_t length = part.end - part.begin;
      const std::byte* const first = data_ + (nest_.offset + part.begin) * fold_.item;
      return fold_.rows({first, length, 1, length, acc, 1, part.begin - begin, 0, 1, other_});
    }
    for (box& b : boxes.list) {
      b[boxes.along] = part;
      reduce_box(fold_, nest_, b, {data_, 0, acc, boxes.numbers.begin, other_, begin});
    }
  }

  // A segment into accumulators that are clear. Where the order shows in bits, parts are cut from its begin on.
  void gather_all(block_boxes& boxes, interval segment, std::byte* acc, std::byte* spare) const {
    const std::int64_t length = shape_.part_length(segment.end - segment.begin);
    interval part{segment.begin, std::min(segment.end, segment.begin + length)};
    gather(boxes, segment.begin, part, acc);
    while (part.end < segment.end) {
      look_at_stop();
      part = {part.end, std::min(segment.end, part.end + length)};
      if (fold_.any_order) {
        gather(boxes, segment.begin, part, acc);
      } else {
        fold_.clear(spare, shape_.block);
        gather(boxes, segment.begin, part, spare);
        fold_.merge(acc, spare, boxes.count());
      }
    }
  }

  void reduce_part(std::int64_t task, scratch& s) {
    look_at_stop();
    const std::int64_t block = task % shape_.blocks, number = task / shape_.blocks;
    const shared_segment& mine = shared_.of_part(number);
    const interval segment = work_.of.at(mine.segment);
    const std::int64_t first = segment.begin + (number - mine.first_part) * mine.part_length;
    std::byte* const acc = at(partials_.get(), block * shared_.parts + number);
    const interval part{first, std::min(segment.end, first + mine.part_length)};
    s.boxes.go_to(block);
    fold_.clear(acc, shape_.block);
    gather(s.boxes, segment.begin, part, acc);
    report((part.end - part.begin) * s.boxes.count());
  }

  void finish_shared(std::int64_t task, scratch& s) {
    const std::int64_t block = task % shape_.blocks;
    const shared_segment& mine = shared_.list[static_cast<std::size_t>(task / shape_.blocks)];
    std::byte* const acc = at(partials_.get(), block * shared_.parts + mine.first_part);
    s.boxes.go_to(block);
    for (std::int64_t i = 1; i < mine.parts; ++i) fold_.merge(acc, at(acc, i), s.boxes.count());
    const interval segment = work_.of.at(mine.segment);
    s.counts[0] = segment.end - segment.begin;
    lower(s.boxes, {mine.segment, mine.segment + 1}, acc, s.counts.data());
  }

  void reduce_range(std::int64_t task, scratch& s) {
    s.boxes.go_to(task % shape_.blocks);
    std::int64_t elements = 0, first = 0;
    const auto flush = [&] {
      if (!s.segments.empty()) reduce_batch(first, s);
      s.segments.clear();
    };
    order_.for_each_in(task / shape_.blocks, work_.of, [&](std::int64_t number, interval segment) {
      const std::int64_t length = segment.end - segment.begin;
      if (shape_.is_shared(length)) return flush();
      if (s.segments.empty()) first = number;
      s.segments.push_back(segment);
      elements += length;
      if (static_cast<std::int64_t>(s.segments.size()) == shape_.batch) flush();
    });
    flush();
    report(elements * s.boxes.count());
  }

  // Segments from number `first` on.
  void reduce_batch(std::int64_t first, scratch& s) {
    look_at_stop();
    const auto count = static_cast<std::int64_t>(s.segments.size());
    if (neighbours_ && count >= segment_rows::fewest && reduce_rows(first, s)) return;
    fold_.clear(s.acc.get(), count * shape_.block);
    for (std::int64_t i = 0; i < count; ++i) {
      const interval segment = s.segments[static_cast<std::size_t>(i)];
      s.counts[static_cast<std::size_t>(i)] = segment.end - segment.begin;
      if (segment.begin < segment.end) gather_all(s.boxes, segment, at(s.acc.get(), i), at(s.acc.get(), shape_.batch));
    }
    lower(s.boxes, {first, first + count}, s.acc.get(), s.counts.data());
  }

  // False if a result has no value, or does not fit: one by one it shows which is the first.
  bool reduce_rows(std::int64_t first, scratch& s) {
    if (!s.rows) s.rows.emplace(fold_, *work_.what, work_.form, shape_.batch);
    s.rows->take(s.segments);
    s.rows->gather_long(
        [&](interval segment, std::byte* acc) { gather_all(s.boxes, segment, acc, at(s.acc.get(), shape_.batch)); });
    s.rows->gather_short(data_, other_);
    const std::int64_t step = work_.result_step * item_;
    if (s.rows->lower(results_ + first * step, step) != status::ok) return false;
    for (const interval& segment : s.segments) {
      if (segment.begin == segment.end) put_empty(first, 0);
      ++first;
    }
    return true;
  }

  // Accumulators of neighbouring segments to results.
  void lower(const block_boxes& boxes, interval segments, std::byte* acc, const std::int64_t* counts) {
    if (shape_.block == 1) return lower_singles(boxes, segments, acc, counts);
    for (std::int64_t i = segments.begin; i < segments.end; ++i, acc = at(acc, 1), ++counts) {
      std::byte* const results = results_ + i * work_.result_step * item_;
      if (*counts == 0) {
        for (std::int64_t k = boxes.numbers.begin; k < boxes.numbers.end; ++k) put_empty(i, nest_.result_of(k));
      } else {
        note(i, lower_range(fold_, nest_, *work_.what, acc, boxes.numbers, {*counts}, results));
      }
    }
  }

  // One result a segment: those between two empty ones together.
  void lower_singles(const block_boxes& boxes, interval segments, std::byte* acc, const std::int64_t* counts) {
    const std::int64_t place = nest_.result_of(boxes.numbers.begin);
    for (std::int64_t i = segments.begin; i < segments.end;) {
      const std::int64_t first = i;
      while (i < segments.end && counts[i - segments.begin] > 0) ++i;
      if (first < i) {
        const std::int64_t* const own = counts + (first - segments.begin);
        std::byte* const out = results_ + (first * work_.result_step + place) * item_;
        const outcome some = fold_.lower(
            {work_.what, at(acc, first - segments.begin), i - first, own[0], out, work_.result_step * item_, own});
        if (some.worst != status::ok) note(first + some.result, {some.worst, place});
      }
      if (i < segments.end) put_empty(i++, place);
    }
  }

  void put_empty(std::int64_t segment, std::int64_t place) {
    std::memcpy(results_ + (segment * work_.result_step + place) * item_, empty_.bytes.get(),
                static_cast<std::size_t>(item_));
    note(segment, {empty_.became, place});
  }

  // `o` counts from the first result of a segment.
  void note(std::int64_t segment, const outcome& o) {
    if (o.worst == status::ok) return;
    outcome_.note({o.worst, (work_.before + segment) * work_.result_step + std::max<std::int64_t>(o.result, 0)});
  }

  void report(std::int64_t elements) {
    if (!options_.progress) return;
    const std::int64_t bytes = elements * fold_.item;
    progress_.tell(bytes_.fetch_add(bytes) + bytes);
  }

  const segment_work& work_;
  const fold fold_;
  const nest nest_;
  const bool neighbours_;  // elements of a segment are, and it has one result
  const segment_shape shape_;
  const segment_order order_;
  const shared_list shared_;
  const empty_result empty_;
  const std::int64_t item_;  // bytes of a result
  const std::byte* const data_;
  const std::ptrdiff_t other_;
  std::byte* const results_;
  const run_options& options_;
  aligned_bytes partials_;
  shared_outcome outcome_;
  std::atomic<std::int64_t> bytes_{0};
  progress progress_{options_.progress, memory_progress_step};
};

}  // namespace

void run_segments(const segment_work& work, const segment_census& census, const run_options& options) {
  const default_float_environment environment;
  if (work.of.count == 0 || work.results_a_segment() == 0) return;
  execution(work, census, options).run();
  if (options.progress) options.progress(census.elements * work.results_a_segment() * item_bytes(work.what->input));
}

}  // namespace multifold::inline v0_1::host
