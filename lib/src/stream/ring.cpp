// The largest chunks of which memory holds enough.
#include "stream/ring.hpp"

#include <algorithm>
#include <numeric>
#include <string>

#include "multifold/error.hpp"

namespace multifold::inline v0_1::stream {
namespace {

// 16 MiB chunks reach 99 % of a PCIe 5 link, 4 MiB 97 %, 1 MiB 88 %. Kernels that read over the link have gaps between
// them, and take longer ones. Staged chunks are best copied on while they are in the CPU's cache, and want a thread
// that fills the next one meanwhile. A file of 16 GiB in the page cache, on three hosts with links of 55 GB/s: eight
// threads with two slots of 4 MiB each bring 0.79, 0.87 and 0.95 of the link, ten 0.91 and 0.95 of the first two,
// twelve 0.92, 0.95 and 0.95, sixteen 0.90 of the first; twelve with three slots 0.83 of it, with two of 8 MiB 0.65,
// with 20 and 16 slots together 0.93 and 0.89 of the second. To pin the slots one by one, when they are filled for the
// first time, is 1 % slower, and 34 in place of 28 ms for 1 GiB: the driver pins one block at a time. So it does where
// windows of the array itself are pinned, 4 to 64 MiB each, and meanwhile no other copy starts: 12 to 20 GB/s with
// any number of threads, which is better than one or two that stage, and worse than four.
constexpr std::int64_t copied_chunk_bytes = INT64_C(16) << 20;
constexpr int slots_a_filler = 2;
constexpr std::int64_t staged_chunk_bytes = filler_bytes / slots_a_filler;
constexpr std::int64_t mapped_chunk_bytes = INT64_C(32) << 20;
constexpr std::int64_t least_result_bytes = 64 << 10;
constexpr int most_in_flight = 8;  // chunks that are not being filled
constexpr int shared_in_flight = 4;

// As many whole slices and pages as fit; where they do not, chunks end inside of slices.
std::int64_t cut_of(const ring_request& r, std::int64_t item) {
  const std::int64_t all = least_chunk_bytes / item;
  if (r.array.elements > all / 4) return all;
  const std::int64_t unit = std::lcm(r.array.elements, page_bytes / item);
  return unit > all / 4 ? all : all / unit * unit;
}

// Results that end in a chunk.
std::int64_t results_in(const slices& s, std::int64_t elements) {
  if (s.elements == INT64_MAX) return 1;  // what stays open comes back as accumulators
  const std::int64_t ends = std::min(s.count, elements / s.elements + 1);
  return s.results > INT64_MAX / ends ? INT64_MAX : ends * s.results;
}

std::int64_t outbox_bytes(const ring_request& r, const ring& made) {
  return status_bytes + made.room * result_bytes(r.what);
}

std::int64_t beside_bytes(const ring_request& r, const ring& made) {
  return made.beside ? 2 * outbox_bytes(r, made) : 0;
}

std::int64_t slot_bytes(const ring_request& r, const ring& made) {
  const std::int64_t chunk = r.how == transfer::mapped ? 0 : made.chunk_bytes * r.arrays;
  return chunk + outbox_bytes(r, made);
}

ring with_chunks_of(const ring_request& r, std::int64_t chunk_bytes, std::int64_t most_result_bytes) {
  const std::int64_t item = item_bytes(r.what.input), result = result_bytes(r.what);
  ring made{};
  made.chunk_bytes = chunk_bytes;
  made.cut_elements = cut_of(r, item);
  made.chunk_elements = chunk_bytes / least_chunk_bytes * made.cut_elements;
  const std::int64_t wanted = results_in(r.array, made.chunk_elements);
  made.room = std::clamp<std::int64_t>(most_result_bytes / result, 1, wanted);
  made.beside = made.room < wanted;
  const std::int64_t of_cut = results_in(r.array, made.cut_elements);
  made.step_results =
      merges_in_any_order(r.what) ? made.room : std::clamp<std::int64_t>(least_result_bytes / result, 1, of_cut);
  const std::int64_t memory = r.memory_bytes - beside_bytes(r, made);
  const int fillers = fillers_of(r.threads);
  const std::int64_t enough = r.how == transfer::staged ? fillers * slots_a_filler
                              : r.shared                ? shared_in_flight
                                                        : most_in_flight;
  const std::int64_t chunks = r.elements < 0 ? enough : (r.elements - 1) / made.chunk_elements + 1;
  made.slots = static_cast<int>(std::min({memory / slot_bytes(r, made), enough, std::max<std::int64_t>(chunks, 1)}));
  // Results that take long to put in their places are the work of several threads, too.
  const bool many = 8 * made.room * result > chunk_bytes * r.arrays;
  made.workers = r.how == transfer::staged ? std::min(made.slots, fillers)
                 : many                    ? std::min(made.slots, std::clamp(r.threads, 1, 4))
                                           : 1;
  return made;
}

}  // namespace

ring ring_of(const ring_request& r, std::int64_t most_chunk_bytes) {
  const std::int64_t item = item_bytes(r.what.input);
  std::int64_t chunk = r.how == transfer::mapped   ? mapped_chunk_bytes
                       : r.how == transfer::staged ? staged_chunk_bytes
                                                   : copied_chunk_bytes;
  while (chunk > most_chunk_bytes && chunk > least_chunk_bytes) chunk /= 2;
  // Two chunks of a small array, so that one is reduced while the other travels.
  while (r.elements >= 0 && chunk / 2 >= r.elements * item / 2 && chunk > least_chunk_bytes) chunk /= 2;
  for (; chunk >= least_chunk_bytes; chunk /= 2) {
    const ring made = with_chunks_of(r, chunk, chunk * r.arrays);
    if (made.slots >= 2 || (made.slots == 1 && made.chunk_elements >= r.elements && r.elements >= 0)) return made;
  }
  ring least = with_chunks_of(r, least_chunk_bytes, least_result_bytes);
  if (least.slots >= 1) return least;
  least.slots = 1;
  const std::int64_t wanted = slot_bytes(r, least) + beside_bytes(r, least);
  throw out_of_memory("reading for the GPU takes a pinned slot of " + std::to_string(wanted) + " bytes at least, but " +
                      std::to_string(r.memory_bytes) + " are allowed: allow more");
}

}  // namespace multifold::inline v0_1::stream
