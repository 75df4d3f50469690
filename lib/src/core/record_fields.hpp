// The parts that records of states are made of: counts, exact sums and extremes as bytes. The tables: docs/states.md.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>

#include "core/little_endian.hpp"
#include "multifold/exact/blob.hpp"
#include "multifold/ops/extremum.hpp"

namespace multifold::inline v0_1::detail {

/// Elements [first, first + count) of every batch.
struct index_run {
  std::int64_t first, count;
  bool operator==(const index_run&) const = default;
};

/// What all records of a state have in common.
struct record_context {
  std::int64_t count;  // elements of each result, NaN that is omitted among them
  nan_policy nan;
  std::span<const index_run> runs;  // of operations that keep indices

  bool holds(std::int64_t index) const {
    return std::any_of(runs.begin(), runs.end(),
                       [&](const index_run& r) { return index >= r.first && index - r.first < r.count; });
  }
};

/// Throws: format_error about byte `at` of a state.
[[noreturn]] void reject_state(std::size_t at, const std::string& found, const std::string& expected);

class record_writer {
 public:
  explicit record_writer(std::byte* out) : out_(out) {}

  void put(std::uint64_t value, std::size_t bytes) {
    put_little_endian({out_, bytes}, value);
    out_ += bytes;
  }
  void put(std::int64_t value) { put(static_cast<std::uint64_t>(value), 8); }
  void put_wide(uint128_t value) {
    put(static_cast<std::uint64_t>(value), 8);
    put(static_cast<std::uint64_t>(value >> 64), 8);
  }

 private:
  std::byte* out_;
};

class record_reader {
 public:
  /// `at`: the place of the record in its state.
  record_reader(const std::byte* in, std::size_t at) : in_(in), at_(at) {}

  std::uint64_t get(std::size_t bytes) {
    const std::uint64_t value = little_endian({in_, bytes});
    in_ += bytes;
    at_ += bytes;
    return value;
  }
  std::int64_t get() { return static_cast<std::int64_t>(get(8)); }
  uint128_t get_wide() {
    const std::uint64_t low = get(8);
    return static_cast<uint128_t>(get(8)) << 64 | low;
  }
  /// A count from 0 to `most`.
  std::int64_t get_count(std::int64_t most, const char* of) {
    const std::int64_t n = get();
    if (n < 0 || n > most) reject(8, std::to_string(n) + " " + of, "0 to " + std::to_string(most));
    return n;
  }
  /// About what lies `back` bytes before the place of the next.
  [[noreturn]] void reject(std::size_t back, const std::string& found, const std::string& expected) const {
    reject_state(at_ - back, found, expected);
  }

 private:
  const std::byte* in_;
  std::size_t at_;
};

// An exact sum: marks of its inputs (1 NaN, 2 +Inf, 4 -Inf, 8 anything but -0), and its limbs.
template <exact_format Format>
inline constexpr std::int64_t sum_bytes = 4 + 4 * Format::limb_count;

inline void put_marks(record_writer& out, const exact_counters& c) {
  out.put((c.nan != 0 ? 1u : 0u) | (c.positive_infinity != 0 ? 2u : 0u) | (c.negative_infinity != 0 ? 4u : 0u) |
              (c.not_negative_zero != 0 ? 8u : 0u),
          4);
}

template <exact_format Format>
void put_limbs(record_writer& out, const limbs<Format::limb_count>& sum) {
  for (int i = 0; i < Format::limb_count; ++i) out.put(static_cast<std::uint64_t>(sum.limb[i]) & 0xffffffffu, 4);
}

template <exact_format Format>
exact_accumulator<Format> get_sum(record_reader& in, std::int64_t n) {
  const std::uint64_t marks = in.get(4);
  if (marks > 15) in.reject(4, "marks of " + std::to_string(marks), "0 to 15");
  const exact_counters counters{n, static_cast<std::int64_t>(marks & 1), static_cast<std::int64_t>(marks >> 1 & 1),
                                static_cast<std::int64_t>(marks >> 2 & 1), static_cast<std::int64_t>(marks >> 3)};
  const std::int64_t specials = counters.nan + counters.positive_infinity + counters.negative_infinity;
  if (specials > n || counters.not_negative_zero > n) {
    in.reject(4, "marks of " + std::to_string(marks) + " for " + std::to_string(n) + " elements", "one for each mark");
  }
  limbs<Format::limb_count> sum{};
  for (int i = 0; i < Format::limb_count; ++i) sum.limb[i] = static_cast<std::int64_t>(in.get(4));
  sum.limb[Format::limb_count - 1] = static_cast<std::int32_t>(sum.limb[Format::limb_count - 1]);
  if (!consistent<Format>(sum, n)) {
    in.reject(4 * Format::limb_count, "a sum larger than " + std::to_string(n) + " elements allow", "a smaller one");
  }
  exact_accumulator<Format> loaded;
  loaded.add_counts(counters);
  loaded.add_limbs(sum, 1);
  return loaded;
}

/// A sum of which only the value matters, in the one form that its value has. `lost`: it is NaN, whatever it was;
/// `keeps_sign`: of a zero.
template <exact_format Format>
void put_value(record_writer& out, const exact_accumulator<Format>& sum, bool lost, bool keeps_sign) {
  const exact_counters c = sum.counters().normalised();
  if (c.all_finite() && !lost) {
    const auto value = sum.normalised_limbs();
    const bool zero = value == limbs<Format::limb_count>{};
    put_marks(out, {c.n, 0, 0, 0, c.n > 0 && (!keeps_sign || !zero || c.not_negative_zero != 0) ? 1 : 0});
    return put_limbs<Format>(out, value);
  }
  const bool nan = lost || c.nan != 0 || (c.positive_infinity != 0 && c.negative_infinity != 0);
  put_marks(out, {c.n, nan ? 1 : 0, nan ? 0 : c.positive_infinity, nan ? 0 : c.negative_infinity, 1});
  put_limbs<Format>(out, {});
}

// An extreme: 0 (none), 1 (a number) or 2 (NaN), and the bits of the number.
inline constexpr std::int64_t extreme_bytes = 12;

template <storage_type T>
void put_extreme(record_writer& out, key_of<T> key, key_of<T> flip, bool any) {
  using bits = std::make_unsigned_t<key_of<T>>;
  const bool nan = any && floating_storage<T> && key == least_key<key_of<T>>;
  out.put(!any ? 0u : nan ? 2u : 1u, 4);
  const T element = element_of_key<T>(static_cast<key_of<T>>(key ^ flip));
  out.put(any && !nan ? bit_copy<bits>(element) : bits{0}, 8);
}

struct found_extreme {
  std::uint64_t mark;
  std::int64_t key;
};

template <storage_type T>
found_extreme get_extreme(record_reader& in, key_of<T> flip, std::int64_t n, const record_context& all) {
  using key = key_of<T>;
  const std::uint64_t mark = in.get(4);
  if (mark > 2) in.reject(4, std::to_string(mark), "0 (none), 1 (a number) or 2 (NaN)");
  const bool omits = floating_storage<T> && all.nan == nan_policy::omit;
  if ((mark != 0 && n == 0) || (mark == 0 && n > 0 && !omits)) {
    in.reject(4, std::string(mark == 0 ? "no extreme" : "an extreme") + " of " + std::to_string(n) + " elements",
              n == 0 ? "none" : "one");
  }
  if (mark == 2 && (omits || !floating_storage<T>)) in.reject(4, "NaN, which takes no part here", "a number");
  const auto number = static_cast<std::make_unsigned_t<key>>(in.get(8));
  if (mark == 0) return {mark, greatest_key<key>};
  if (mark == 2) return {mark, least_key<key>};
  return {mark, static_cast<key>(order_key(bit_copy<T>(number), key{0}) ^ flip)};
}

// The same with its index.
inline constexpr std::int64_t indexed_bytes = extreme_bytes + 8;

template <storage_type T>
void put_indexed(record_writer& out, const typename arg_extremum<T>::accumulator& a, key_of<T> flip) {
  const bool any = a.index != arg_extremum<T>::no_index;
  put_extreme<T>(out, static_cast<key_of<T>>(a.key), flip, any);
  out.put(any ? a.index : 0);
}

template <storage_type T>
typename arg_extremum<T>::accumulator get_indexed(record_reader& in, key_of<T> flip, std::int64_t n,
                                                  const record_context& all) {
  const found_extreme found = get_extreme<T>(in, flip, n, all);
  const std::int64_t index = in.get();
  if (found.mark == 0) return {greatest_key<key_of<T>>, arg_extremum<T>::no_index};
  if (!all.holds(index)) in.reject(8, "index " + std::to_string(index), "that of an element");
  return {static_cast<key_of<T>>(found.key), index};
}

}  // namespace multifold::inline v0_1::detail
