// The bytes of an exact sum's state: written in little endian, and believed only after every check.
#include "multifold/exact/blob.hpp"

#include <array>
#include <string>

#include "core/little_endian.hpp"
#include "multifold/error.hpp"

namespace multifold::inline v0_1 {
namespace {

constexpr std::array<char, 8> magic{'M', 'F', 'E', 'X', 'A', 'C', 'T', '\n'};
constexpr std::uint64_t version = 1;
constexpr std::size_t version_at = 8, element_at = 10, products_at = 11, size_at = 12, counters_at = 16, limbs_at = 56;
constexpr std::size_t checksum_bytes = 8;

// What the element's byte means: apart from the enumerators, which may be renumbered.
constexpr std::array<dtype, 5> element_types{dtype::boolean, dtype::f16, dtype::bf16, dtype::f32, dtype::f64};

std::string text(exact_kind kind) {
  return std::string(kind.products ? "sums of products of " : "sums of ").append(name(kind.element));
}

[[noreturn]] void reject(std::size_t at, const std::string& found, const std::string& expected) {
  throw format_error("state of an exact sum, byte " + std::to_string(at) + ": found " + found + ", expected " +
                     expected);
}

void put_little(std::span<std::byte> out, std::size_t at, std::size_t bytes, std::uint64_t value) {
  put_little_endian(out.subspan(at, bytes), value);
}

std::uint64_t get_little(std::span<const std::byte> in, std::size_t at, std::size_t bytes) {
  return little_endian(in.subspan(at, bytes));
}

std::size_t state_bytes(std::size_t limb_count) { return limbs_at + 4 * limb_count + checksum_bytes; }

// The first 16 bytes, but for the size of the state.
exact_kind read_header(std::span<const std::byte> in) {
  for (std::size_t i = 0; i < magic.size() && i < in.size(); ++i) {
    if (std::to_integer<char>(in[i]) != magic[i]) {
      reject(i, std::to_string(std::to_integer<int>(in[i])), "the magic bytes of the state of an exact sum");
    }
  }
  if (in.size() < counters_at) reject(in.size(), "the end", "a header of " + std::to_string(counters_at) + " bytes");
  const std::uint64_t found = get_little(in, version_at, 2);
  if (found != version) {
    reject(version_at, "version " + std::to_string(found),
           "version " + std::to_string(version) + (found > version ? "; a newer multifold wrote this" : ""));
  }
  const std::uint64_t element = get_little(in, element_at, 1), products = get_little(in, products_at, 1);
  if (element < 1 || element >= element_types.size())
    reject(element_at, std::to_string(element), "an element from 1 to 4");
  if (products > 1) reject(products_at, std::to_string(products), "0 (sums) or 1 (products)");
  return {element_types[element], products == 1};
}

exact_counters read_counters(std::span<const std::byte> in) {
  std::array<std::int64_t, 5> counts{};
  for (std::size_t i = 0; i < counts.size(); ++i) {
    counts[i] = static_cast<std::int64_t>(get_little(in, counters_at + 8 * i, 8));
  }
  if (counts[0] < 0) reject(counters_at, "a count of " + std::to_string(counts[0]), "0 or more inputs");
  for (std::size_t i = 1; i < counts.size(); ++i) {
    if (counts[i] < 0 || counts[i] > 1) {
      reject(counters_at + 8 * i, "a mark of " + std::to_string(counts[i]), "0 or 1");
    }
  }
  const exact_counters counters{counts[0], counts[1], counts[2], counts[3], counts[4]};
  const std::int64_t specials = counters.nan + counters.positive_infinity + counters.negative_infinity;
  if (specials > counters.n || counters.not_negative_zero > counters.n) {
    reject(counters_at, std::to_string(counters.n) + " inputs", "one for each mark");
  }
  return counters;
}

}  // namespace

exact_kind exact_state_kind(std::span<const std::byte> in) { return read_header(in); }

namespace detail {

void write_state(exact_kind kind, std::span<const std::int64_t> limbs, const exact_counters& counters,
                 std::span<std::byte> out) {
  const std::size_t bytes = state_bytes(limbs.size());
  if (out.size() != bytes) {
    throw shape_error("the state of " + text(kind) + " has " + std::to_string(bytes) + " bytes, not " +
                      std::to_string(out.size()));
  }
  for (std::size_t i = 0; i < magic.size(); ++i) out[i] = static_cast<std::byte>(magic[i]);
  put_little(out, version_at, 2, version);
  std::size_t element = 1;
  while (element_types[element] != kind.element) ++element;
  put_little(out, element_at, 1, element);
  put_little(out, products_at, 1, kind.products ? 1 : 0);
  put_little(out, size_at, 4, bytes);
  const exact_counters marks = counters.normalised();
  const std::array<std::int64_t, 5> counts{marks.n, marks.nan, marks.positive_infinity, marks.negative_infinity,
                                           marks.not_negative_zero};
  for (std::size_t i = 0; i < counts.size(); ++i) {
    put_little(out, counters_at + 8 * i, 8, static_cast<std::uint64_t>(counts[i]));
  }
  for (std::size_t i = 0; i < limbs.size(); ++i) {
    put_little(out, limbs_at + 4 * i, 4, static_cast<std::uint64_t>(limbs[i]) & 0xffffffffu);
  }
  put_little(out, bytes - checksum_bytes, checksum_bytes, fnv1a(out.first(bytes - checksum_bytes)));
}

exact_counters read_state(exact_kind kind, std::span<const std::byte> in, std::span<std::int64_t> limbs) {
  const exact_kind found = read_header(in);
  if (!(found == kind)) reject(element_at, text(found), text(kind));
  const std::size_t bytes = state_bytes(limbs.size());
  const std::uint64_t promised = get_little(in, size_at, 4);
  if (promised != bytes) {
    reject(size_at, "a size of " + std::to_string(promised) + " bytes", std::to_string(bytes) + " bytes");
  }
  if (in.size() < bytes) reject(in.size(), "the end", std::to_string(bytes) + " bytes");
  if (in.size() > bytes) reject(bytes, std::to_string(in.size() - bytes) + " more bytes", "the end");
  const std::uint64_t sum = fnv1a(in.first(bytes - checksum_bytes));
  const std::uint64_t stored = get_little(in, bytes - checksum_bytes, checksum_bytes);
  if (stored != sum) {
    reject(bytes - checksum_bytes, "checksum " + std::to_string(stored),
           std::to_string(sum) + "; the state is corrupted");
  }
  for (std::size_t i = 0; i < limbs.size(); ++i) {
    limbs[i] = static_cast<std::int64_t>(get_little(in, limbs_at + 4 * i, 4));
  }
  limbs.back() = static_cast<std::int32_t>(limbs.back());
  return read_counters(in);
}

void require_consistent(bool consistent) {
  if (!consistent) reject(limbs_at, "a sum larger than its number of inputs allows", "a smaller one");
}

}  // namespace detail
}  // namespace multifold::inline v0_1
