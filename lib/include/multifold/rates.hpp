// How fast this machine moves memory and reduces it, and the engine that this speaks for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "multifold/array.hpp"
#include "multifold/export.hpp"
#include "multifold/reduce.hpp"

namespace multifold::inline v0_1 {

/// Bytes a second; 0 where there is nothing to measure.
struct machine_rates {
  int threads = 1;      // "all" of them: as many as the process may use
  double host_one = 0;  // the host engine over memory, by one thread and by all
  double host_all = 0;
  double staged_one = 0;  // memory that is brought into pinned buffers
  double staged_all = 0;
  double link = 0;     // from pinned memory to the GPU
  double pinning = 0;  // making buffers pinned

  bool operator==(const machine_rates&) const = default;
};

/// Where an array is that either engine could reduce.
enum class data_place : std::uint8_t {
  pageable,  // ordinary host memory
  pinned,    // host memory that the GPU copies by itself
  source,    // read in chunks: a file, a pipe, a function
};

/// What `threads` do together, when one does `one` and `all` of them do `most`: r with
/// 1 / r^2 = 1 / (threads one)^2 + 1 / limit^2, so nearly `threads` times one while they are few, and never more than a
/// limit. Within 5 % of a 16-core Xeon for 1 to 16 threads, sums and copies.
MULTIFOLD_EXPORT double rate_of_threads(double one, double most, int all, int threads);

/// Seconds from the call to the value, by one engine alone, and by both together. [infinite where nothing is known]
struct engine_times {
  double host, device, both;
};

/// What is to be reduced, of which `bytes` are read.
struct workload {
  data_place where;
  std::int64_t bytes;
  int threads;            // that may be used
  bool warm;              // the device is open; else that comes first
  bool shareable = true;  // by both engines
};

/// What `work` is expected to take. Sources are thought of as cached files: colder ones take as long on any engine.
/// Both engines read the same memory: copies to the GPU count as so many threads more, in rate_of_threads.
MULTIFOLD_EXPORT engine_times predict(const machine_rates& rates, const workload& work);

/// An engine, and the reason for it in one line:
/// "1.07 GB should take 9.1 ms with 16 threads, 20 ms on the GPU, and 8.5 ms on both".
struct engine_decision {
  engine_choice engine = engine_choice::host;
  std::string reason;
};

/// The quickest; of engines that are about as quick, the one that needs less: the host, then the device, then both.
MULTIFOLD_EXPORT engine_decision decide(const machine_rates& rates, const workload& work);

/// A dense array that is not in device memory.
struct reducible {
  const reduction& what;
  const batches& form;
  const void* data;           // null for a source
  std::int64_t bytes;         // -1: a stream of unknown length
  bool random_access = true;  // of a source: it can be read from any place on
};

/// The engine on which reduce runs `array`: the one that `options` or MULTIFOLD_ENGINE name, else the quickest.
/// Throws: engine_error if MULTIFOLD_ENGINE says something else.
/// Cost:   nothing below 256 MiB. Above, the rates of the machine are looked up; see rates_of_machine.
MULTIFOLD_EXPORT engine_decision decide_engine(const reducible& array, const reduce_options& options = {});

/// The rates in the cache, where this machine has been measured: $MULTIFOLD_RATES, else multifold/rates in
/// $XDG_CACHE_HOME or ~/.cache. A file that is damaged, of another machine or another version is none.
MULTIFOLD_EXPORT std::optional<machine_rates> cached_rates();

/// Measures the machine, and leaves the rates in the cache if that can be written.
/// Memory: 256 MiB, and 64 MiB pinned with a GPU; all 0 if there is not as much. Cost: 0.1 to 0.3 s.
MULTIFOLD_EXPORT machine_rates measure_rates();

/// Those of the cache if they are of this machine and its GPU, else measured where there is 1 GiB of free memory. Asked
/// once, they stay for the process.
MULTIFOLD_EXPORT machine_rates rates_of_machine();

}  // namespace multifold::inline v0_1
