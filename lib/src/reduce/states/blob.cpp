// The bytes of states: written in little endian, and believed only after every check. See docs/states.md.
#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <string_view>

#include "multifold/error.hpp"
#include "reduce/states/contents.hpp"

namespace multifold::inline v0_1::detail {
namespace {

constexpr std::string_view magic = "MFSTATE\n", sum_magic = "MFEXACT\n";
// The second has a number of elements for each result.
constexpr std::uint64_t version = 1, counted_version = 2;
constexpr std::size_t version_at = 8, family_at = 10, element_at = 11, nan_at = 12, rank_at = 13, reserved_at = 14,
                      size_at = 16, count_at = 24, runs_at = 32, extents_at = 40;
constexpr std::size_t checksum_bytes = 8, run_bytes = 16;

// What the element's byte means, from 1 on: apart from the enumerators, which may be renumbered.
constexpr std::array<dtype, 13> elements{dtype::boolean, dtype::i8,  dtype::i16, dtype::i32, dtype::i64,
                                         dtype::u8,      dtype::u16, dtype::u32, dtype::u64, dtype::f16,
                                         dtype::bf16,    dtype::f32, dtype::f64};

bool starts_with(std::span<const std::byte> in, std::string_view text) {
  return in.size() >= text.size() && std::memcmp(in.data(), text.data(), text.size()) == 0;
}

std::uint64_t get(std::span<const std::byte> in, std::size_t at, std::size_t bytes) {
  return little_endian(in.subspan(at, bytes));
}

std::int64_t get_signed(std::span<const std::byte> in, std::size_t at) {
  return static_cast<std::int64_t>(get(in, at, 8));
}

// What stands before the extents.
state_contents decode_header(std::span<const std::byte> in) {
  for (std::size_t i = 0; i < magic.size() && i < in.size(); ++i) {
    if (std::to_integer<char>(in[i]) != magic[i]) {
      reject_state(i, std::to_string(std::to_integer<int>(in[i])), "the magic bytes of a state");
    }
  }
  if (in.size() >= family_at) {
    if (const std::uint64_t found = get(in, version_at, 2); found < version || found > counted_version) {
      reject_state(version_at, "version " + std::to_string(found),
                   "version 1 or 2" + std::string(found > counted_version ? "; a newer multifold wrote this" : ""));
    }
  }
  if (in.size() < extents_at + checksum_bytes) {
    reject_state(in.size(), "the end", std::to_string(extents_at + checksum_bytes) + " bytes or more");
  }
  const std::uint64_t bytes = get(in, size_at, 8);
  if (bytes > in.size()) reject_state(in.size(), "the end", std::to_string(bytes) + " bytes");
  if (bytes < in.size()) {
    reject_state(size_at, "a size of " + std::to_string(bytes) + " bytes", std::to_string(in.size()) + " bytes");
  }
  const std::size_t checksum_at = in.size() - checksum_bytes;
  if (const std::uint64_t sum = fnv1a(in.first(checksum_at)); get(in, checksum_at, checksum_bytes) != sum) {
    reject_state(checksum_at, "checksum " + std::to_string(get(in, checksum_at, checksum_bytes)),
                 std::to_string(sum) + "; the state is corrupted");
  }
  const std::uint64_t family = get(in, family_at, 1), element = get(in, element_at, 1), nan = get(in, nan_at, 1);
  if (family < 1 || family > 13) reject_state(family_at, std::to_string(family), "a family from 1 to 13");
  if (element < 1 || element > elements.size()) reject_state(element_at, std::to_string(element), "1 to 13");
  if (nan > 1) reject_state(nan_at, std::to_string(nan), "0 (NaN propagates) or 1 (NaN is omitted)");
  state_contents made{static_cast<state_family>(family),
                      elements[element - 1],
                      nan == 1 ? nan_policy::omit : nan_policy::propagate,
                      {},
                      0,
                      {},
                      {}};
  if (nan == 1 && !is_floating(made.element)) reject_state(nan_at, "1", "0, since integers have no NaN");
  if (const std::uint64_t found = get(in, reserved_at, 2); found != 0) {
    reject_state(reserved_at, std::to_string(found), "0");
  }
  made.count = get_signed(in, count_at);
  if (made.count < 0) reject_state(count_at, std::to_string(made.count) + " elements", "0 or more");
  return made;
}

void require_room(std::span<const std::byte> in, std::size_t at, int128_t bytes, const std::string& of) {
  const auto room = static_cast<int128_t>(in.size() - checksum_bytes - at);
  if (bytes > room) {
    reject_state(in.size() - checksum_bytes, "the end", of);
  }
}

// Both return the place behind what they read.
std::size_t decode_extents(std::span<const std::byte> in, state_contents& made) {
  const auto rank = static_cast<std::size_t>(get(in, rank_at, 1));
  require_room(in, extents_at, static_cast<int128_t>(8 * rank), std::to_string(rank) + " extents");
  for (std::size_t i = 0; i < rank; ++i) {
    const std::size_t at = extents_at + 8 * i;
    made.extents.push_back(get_signed(in, at));
    if (made.extents.back() < 0) reject_state(at, "an extent of " + std::to_string(made.extents.back()), "0 or more");
  }
  try {
    element_count(made.extents);
  } catch (const shape_error&) {
    reject_state(extents_at, "more than 2^63 - 1 results", "fewer");
  }
  if (made.is_exact_sum()) {
    reject_state(family_at, "one " + made.name(), "the state of an exact sum, whose magic bytes are \"MFEXACT\"");
  }
  return extents_at + 8 * rank;
}

std::size_t decode_runs(std::span<const std::byte> in, std::size_t at, state_contents& made) {
  const std::uint64_t runs = get(in, runs_at, 8);
  if (runs > 0 && !made.keeps_indices()) reject_state(runs_at, std::to_string(runs) + " runs of indices", "none");
  require_room(in, at, static_cast<int128_t>(runs) * static_cast<int128_t>(run_bytes),
               std::to_string(runs) + " runs of indices");
  std::int64_t end = -1, all = 0;
  for (std::uint64_t i = 0; i < runs; ++i, at += run_bytes) {
    const index_run next{get_signed(in, at), get_signed(in, at + 8)};
    if (next.first <= end || next.count < 1 || next.count > INT64_MAX - next.first) {
      reject_state(at, std::to_string(next.count) + " elements from " + std::to_string(next.first) + " on",
                   "1 or more, behind element " + std::to_string(end) + " and apart from it");
    }
    end = next.first + next.count;
    all += next.count;  // below 2^63, as the last end is
    made.runs.push_back(next);
  }
  if (made.keeps_indices() && all != made.count) {
    reject_state(count_at, std::to_string(made.count) + " elements", std::to_string(all) + ", as the runs have");
  }
  return at;
}

// The same, of the second version.
std::size_t decode_counts(std::span<const std::byte> in, std::size_t at, state_contents& made) {
  if (get(in, version_at, 2) != counted_version) return at;
  if (made.keeps_indices()) reject_state(version_at, "version 2 of " + made.name(), "version 1, as indices have");
  if (made.count != 0)
    reject_state(count_at, std::to_string(made.count) + " elements", "0, beside those of each result");
  const std::int64_t results = element_count(made.extents);
  require_room(in, at, 8 * static_cast<int128_t>(results), std::to_string(results) + " numbers of elements");
  std::vector<std::int64_t> counts;
  for (std::int64_t i = 0; i < results; ++i, at += 8) {
    counts.push_back(get_signed(in, at));
    if (counts.back() < 0) reject_state(at, std::to_string(counts.back()) + " elements", "0 or more");
  }
  set_counts(made, std::move(counts));
  if (made.counts.empty()) reject_state(version_at, "version 2, and as many elements of each result", "version 1");
  return at;
}

void decode_records(std::span<const std::byte> in, std::size_t at, state_contents& made) {
  const std::int64_t results = element_count(made.extents), each = record_bytes(made.what());
  if (each == 0) reject_state(family_at, made.name(), "an operation that is exact");
  const std::span<const std::byte> found = in.subspan(at, in.size() - checksum_bytes - at);
  if (static_cast<int128_t>(results) * each != static_cast<int128_t>(found.size())) {
    reject_state(at, std::to_string(found.size()) + " bytes",
                 std::to_string(results) + " records of " + std::to_string(each));
  }
  visit_fold(made.what(), [&]<class Op>(const Op& op) {
    if constexpr (has_state_record<Op>) {
      using record = state_record<Op>;
      std::array<std::byte, static_cast<std::size_t>(record::bytes)> again;
      std::int64_t result = 0;
      for (std::size_t i = 0; i < found.size(); i += again.size(), ++result) {
        record::put(op, record::get(op, {found.data() + i, at + i}, made.context(result)), made.count_of(result),
                    record_writer(again.data()));
        const auto [ours, theirs] = std::mismatch(again.begin(), again.end(), found.begin() + static_cast<long>(i));
        if (ours == again.end()) continue;
        reject_state(at + i + static_cast<std::size_t>(ours - again.begin()),
                     std::to_string(std::to_integer<int>(*theirs)),
                     std::to_string(std::to_integer<int>(*ours)) + ", as the only form of this value has it");
      }
    }
  });
  made.records.assign(found.begin(), found.end());
}

// The only record of an exact sum.
template <class F>
void visit_exact_sum(const state_contents& contents, const F& f) {
  visit_floating(contents.element, [&]<class T>() {
    f(state_record<exact_float_sum<T>>::get({}, {contents.records.data(), 0}, contents.context()));
  });
}

}  // namespace

bool is_exact_blob(std::span<const std::byte> in) noexcept { return starts_with(in, sum_magic); }

state_contents contents_of_sum(std::span<const std::byte> blob) {
  const exact_kind kind = exact_state_kind(blob);
  return visit_floating(kind.element, [&]<class T>() {
    const exact_sum<T> sum = load_exact<exact_traits<T>>(blob);
    state_contents made = empty_contents(op_kind::sum, kind.element, {}, nan_policy::propagate);
    made.count = sum.counters().n;
    state_record<exact_float_sum<T>>::put({}, sum, made.count, record_writer(made.records.data()));
    return made;
  });
}

std::vector<std::byte> encode(const state_contents& contents) {
  std::vector<std::byte> bytes;
  if (contents.is_exact_sum()) {
    visit_exact_sum(contents, [&]<class T>(const exact_accumulator<T>& sum) {
      bytes.resize(exact_state_bytes<T>);
      save_exact(sum, bytes);
    });
    return bytes;
  }
  bytes.resize(extents_at + 8 * contents.extents.size() + run_bytes * contents.runs.size() +
               8 * contents.counts.size() + contents.records.size() + checksum_bytes);
  const std::span<std::byte> out(bytes);
  std::copy_n(std::as_bytes(std::span(magic)).begin(), magic.size(), out.begin());
  const auto put = [&](std::size_t at, std::size_t size, auto value) {
    put_little_endian(out.subspan(at, size), static_cast<std::uint64_t>(value));
  };
  const auto element = std::find(elements.begin(), elements.end(), contents.element) - elements.begin() + 1;
  put(version_at, 2, contents.counts.empty() ? version : counted_version);
  put(family_at, 1, contents.family);
  put(element_at, 1, element);
  put(nan_at, 1, contents.nan == nan_policy::omit ? 1 : 0);
  put(rank_at, 1, contents.extents.size());
  put(size_at, 8, bytes.size());
  put(count_at, 8, contents.count);
  put(runs_at, 8, contents.runs.size());
  std::size_t at = extents_at;
  for (const std::int64_t extent : contents.extents) put(at, 8, extent), at += 8;
  for (const index_run& r : contents.runs) {
    put(at, 8, r.first);
    put(at + 8, 8, r.count);
    at += run_bytes;
  }
  for (const std::int64_t count : contents.counts) put(at, 8, count), at += 8;
  std::copy(contents.records.begin(), contents.records.end(), out.begin() + static_cast<long>(at));
  put(bytes.size() - checksum_bytes, checksum_bytes, fnv1a(out.first(bytes.size() - checksum_bytes)));
  return bytes;
}

state_contents decode_state(std::span<const std::byte> in) {
  if (is_exact_blob(in)) return contents_of_sum(in);
  state_contents made = decode_header(in);
  std::size_t at = decode_extents(in, made);
  at = decode_runs(in, at, made);
  at = decode_counts(in, at, made);
  decode_records(in, at, made);
  return made;
}

}  // namespace multifold::inline v0_1::detail
