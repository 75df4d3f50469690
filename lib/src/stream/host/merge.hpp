// Brings the partial results of chunks together in the order of the chunks, whatever the order in which they come.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>

#include "host/aligned_bytes.hpp"
#include "host/fold.hpp"
#include "stream/host/slices.hpp"

namespace multifold::inline v0_1::stream {

/// What a chunk leaves of the slices that it shares with others: the end (or middle) of one, the start of another.
struct remains {
  host::aligned_bytes head, tail;  // accumulators of one slice each; either may be missing
  std::int64_t slice = 0;          // of the head
  bool head_ends = false;
};

/// Results on their way out, and the worst that happened to one.
struct result_sink {
  const reduction& what;
  std::byte* results;
  host::shared_outcome outcome{};

  void lower(const host::fold& f, const host::nest& n, const std::byte* acc, host::interval range, std::int64_t count);
  /// After the last: throws what belongs to the worst.
  void check() const { check_status(outcome.get().worst, what, outcome.get().result); }
};

/// No thread waits here, unless one chunk lags so far behind that the others would fill memory.
class host_merge {
 public:
  host_merge(const host::fold& f, const slices& s, result_sink& sink);

  void submit(std::int64_t chunk, remains r);
  /// Of a slice that stays open, and whose parts merge in any order: instead of all `submit`.
  void add(remains r);
  /// Wakes everybody: a chunk will never come.
  void abandon();
  /// After the last chunk: those of the slice that is open.
  std::byte* accumulators() const { return open_.get(); }

 private:
  void merge(remains& r);

  const host::fold& fold_;
  const slices& slices_;
  result_sink& sink_;
  host::aligned_bytes open_;  // the slice that the next chunk continues
  std::mutex mutex_;
  std::condition_variable moved_;
  std::map<std::int64_t, remains> early_;
  std::int64_t next_ = 0;
  bool abandoned_ = false;
};

}  // namespace multifold::inline v0_1::stream
