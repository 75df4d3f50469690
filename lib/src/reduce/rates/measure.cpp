// The host's rates, by the engine itself, and which record is this machine's.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <exception>
#include <fstream>
#include <memory>
#include <mutex>
#include <new>
#include <span>
#include <string>

#include "host/engine.hpp"
#include "host/threads/crew.hpp"
#include "multifold/engine_parts.hpp"
#include "multifold/error.hpp"
#include "multifold/rates.hpp"
#include "multifold/version.hpp"
#include "reduce/rates/device.hpp"
#include "reduce/rates/file.hpp"
#include "stream/copies/staging_copy.hpp"

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

namespace multifold::inline v0_1 {
namespace {

// All threads read all of it, and one thread a part, which has been put out of the caches: some hold more than that.
constexpr std::int64_t elements = INT64_C(64) << 20, few_elements = INT64_C(12) << 20, slice_elements = 1 << 18;
constexpr auto item = static_cast<std::int64_t>(sizeof(float));

template <class Work>
double seconds_of(const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Calls `work(worker, first element)` for ranges, each by a thread that has none.
template <class Work>
void for_slices(int threads, std::int64_t count, const Work& work) {
  std::atomic<std::int64_t> next{0};
  host::run_crew(threads, [&](int worker) {
    for (std::int64_t first = next.fetch_add(slice_elements); first < count; first = next.fetch_add(slice_elements)) {
      work(worker, first);
    }
  });
}

void put_out_of_caches([[maybe_unused]] const float* data, [[maybe_unused]] std::int64_t count) {
#if defined(__x86_64__)
  for_slices(host::usable_threads(), count, [&](int, std::int64_t first) {
    constexpr std::int64_t line = 64 / item;
    for (std::int64_t i = first; i < first + slice_elements; i += line) _mm_clflush(data + i);
    _mm_mfence();
  });
#endif
}

// Linked with these rates, whatever else a program reduces.
[[gnu::used]] host::engine_part* const sums = host::f32_exact_sum;

double summing_rate(const float* data, std::int64_t count, int threads) {
  put_out_of_caches(data, count);
  const batches form = normalise(make_view(data, {count}), {0}, element_order::any);
  const plan p = make_plan(make_reduction(op_kind::sum, dtype::f32), form, {}, host::traits(threads));
  float sum = 0;
  return static_cast<double>(count * item) / seconds_of([&] { host::run(p, data, &sum, {threads, {}, {}}); });
}

double staging_rate(const float* data, std::int64_t count, int threads, std::span<std::byte> to) {
  put_out_of_caches(data, count);
  const std::size_t bytes = slice_elements * sizeof(float), places = to.size() / bytes;
  const double took = seconds_of([&] {
    for_slices(threads, count, [&](int worker, std::int64_t first) {
      std::byte* const place = to.data() + static_cast<std::size_t>(worker) % places * bytes;
      stream::staging_copy(place, data + first, static_cast<std::int64_t>(bytes));
    });
  });
  return static_cast<double>(count * item) / took;
}

machine_rates measured() {
  machine_rates rates;
  rates.threads = host::usable_threads();
  const std::unique_ptr<float[]> data(new (std::nothrow) float[elements]);
  if (!data) return rates;
  for_slices(rates.threads, elements, [&](int, std::int64_t first) {
    for (std::int64_t i = first; i < first + slice_elements; ++i) {
      data[static_cast<std::size_t>(i)] = static_cast<float>(static_cast<std::int32_t>(i * 2654435761)) * 0x1p-31f;
    }
  });
  for (int round = 0; round < 5; ++round) {  // the first one also wakes threads up, and others may be in the way
    rates.host_all = std::max(rates.host_all, summing_rate(data.get(), elements, rates.threads));
    rates.host_one = std::max(rates.host_one, summing_rate(data.get(), few_elements, 1));
  }
  detail::measure_device(rates, [&](std::span<std::byte> pinned) {
    for (int round = 0; round < 3; ++round) {
      rates.staged_all = std::max(rates.staged_all, staging_rate(data.get(), elements / 2, rates.threads, pinned));
      rates.staged_one = std::max(rates.staged_one, staging_rate(data.get(), few_elements, 1, pinned));
    }
  });
  return rates;
}

// What can be had without swapping; files in the page cache do not count. 0 if the system does not tell.
std::int64_t available_bytes() {
  std::ifstream info("/proc/meminfo");
  for (std::string key, rest; info >> key; std::getline(info, rest)) {
    std::int64_t kib = 0;
    if (key == "MemAvailable:" && info >> kib) return kib * 1024;
  }
  return 0;
}

// A first look at the machine shall not be what uses its memory up, or that of a container.
bool has_room() {
  constexpr std::int64_t wanted = 4 * elements * item;
  std::int64_t most = 0;
  const bool limited = static_cast<bool>(std::ifstream("/sys/fs/cgroup/memory.max") >> most);
  return available_bytes() >= wanted && (!limited || most >= 2 * wanted);
}

// A process that may use fewer threads than were measured is served by the same rates.
bool is_of_this_processor(const detail::rates_record& record) {
  return record.version == MULTIFOLD_VERSION && record.processor == host::traits().name &&
         record.rates.threads >= host::usable_threads();
}

std::optional<detail::rates_record> cached_record() {
  std::optional<detail::rates_record> record = detail::load_rates(detail::rates_path());
  if (record && !is_of_this_processor(*record)) record.reset();
  return record;
}

}  // namespace

std::optional<machine_rates> cached_rates() {
  const std::optional<detail::rates_record> record = cached_record();
  return record ? std::optional(record->rates) : std::nullopt;
}

machine_rates measure_rates() {
  try {
    const detail::rates_record record{MULTIFOLD_VERSION, host::traits().name, detail::device_uuid(), measured()};
    if (record.rates.host_all > 0) detail::save_rates(detail::rates_path(), record);
    return record.rates;
  } catch (const std::exception&) {
    return {};  // what cannot be measured is not known, and no reduction fails for that
  }
}

machine_rates rates_of_machine() {
  static std::mutex mutex;
  static std::optional<machine_rates> known;
  const std::scoped_lock lock(mutex);
  if (!known) {
    const std::optional<detail::rates_record> record = cached_record();
    const bool fits = record && record->gpu == detail::device_uuid();
    known = fits ? record->rates : has_room() ? measure_rates() : machine_rates{};
  }
  return *known;
}

}  // namespace multifold::inline v0_1
