// The bytes of a checkpoint: believed only after every check.
#include "reduce/states/checkpoint.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include "core/little_endian.hpp"
#include "multifold/error.hpp"

namespace multifold::inline v0_1::detail {
namespace {

constexpr std::string_view magic = "MFCHECK\n";
constexpr std::uint64_t version = 2;
constexpr std::size_t version_at = 8, nan_at = 10, size_at = 12, elements_at = 16, done_at = 24, summed_at = 32,
                      identity_at = 48, state_at = 64, checksum_bytes = 8;

[[noreturn]] void reject(std::size_t at, const std::string& found, const std::string& expected) {
  throw format_error("checkpoint, byte " + std::to_string(at) + ": found " + found + ", expected " + expected);
}

void put(std::span<std::byte> out, std::size_t at, const element_digest& digest) {
  put_little_endian(out.subspan(at, 8), digest.low);
  put_little_endian(out.subspan(at + 8, 8), digest.high);
}

element_digest get(std::span<const std::byte> in, std::size_t at) {
  return {little_endian(in.subspan(at, 8)), little_endian(in.subspan(at + 8, 8))};
}

}  // namespace

std::vector<std::byte> encode(const checkpoint& c) {
  std::vector<std::byte> bytes(state_at + c.state.size() + checksum_bytes);
  const std::span<std::byte> out(bytes);
  std::copy_n(std::as_bytes(std::span(magic)).begin(), magic.size(), out.begin());
  put_little_endian(out.subspan(version_at, 2), version);
  put_little_endian(out.subspan(nan_at, 2), c.nan == nan_policy::omit ? 1 : 0);
  put_little_endian(out.subspan(size_at, 4), bytes.size());
  put_little_endian(out.subspan(elements_at, 8), static_cast<std::uint64_t>(c.elements));
  put_little_endian(out.subspan(done_at, 8), static_cast<std::uint64_t>(c.done));
  put(out, summed_at, c.summed);
  put(out, identity_at, c.identity);
  std::copy(c.state.begin(), c.state.end(), out.begin() + state_at);
  put_little_endian(out.last(checksum_bytes), fnv1a(out.first(bytes.size() - checksum_bytes)));
  return bytes;
}

checkpoint decode_checkpoint(std::span<const std::byte> in) {
  const auto text = std::as_bytes(std::span(magic));
  for (std::size_t i = 0; i < magic.size() && i < in.size(); ++i) {
    if (in[i] != text[i]) reject(i, std::to_string(std::to_integer<int>(in[i])), "the magic bytes of a checkpoint");
  }
  if (in.size() >= nan_at) {
    if (const std::uint64_t found = little_endian(in.subspan(version_at, 2)); found != version) {
      reject(version_at, "version " + std::to_string(found),
             "version " + std::to_string(version) +
                 (found > version ? "; a newer multifold wrote this"
                                  : "; an older multifold wrote this: remove it to start anew"));
    }
  }
  if (in.size() < state_at + checksum_bytes) {
    reject(in.size(), "the end", std::to_string(state_at + checksum_bytes) + " bytes or more");
  }
  const std::uint64_t bytes = little_endian(in.subspan(size_at, 4));
  if (bytes != in.size()) {
    reject(size_at, "a size of " + std::to_string(bytes) + " bytes", std::to_string(in.size()) + " bytes");
  }
  const std::size_t checksum_at = in.size() - checksum_bytes;
  if (little_endian(in.subspan(checksum_at)) != fnv1a(in.first(checksum_at))) {
    reject(checksum_at, "another checksum", "that of the bytes before; the checkpoint is corrupted");
  }
  checkpoint c;
  const std::uint64_t nan = little_endian(in.subspan(nan_at, 2));
  c.elements = static_cast<std::int64_t>(little_endian(in.subspan(elements_at, 8)));
  c.done = static_cast<std::int64_t>(little_endian(in.subspan(done_at, 8)));
  if (nan > 1) reject(nan_at, std::to_string(nan), "0 (NaN propagates) or 1 (NaN is omitted)");
  if (c.done < 0 || c.done > c.elements) {
    reject(done_at, std::to_string(c.done) + " of " + std::to_string(c.elements) + " elements", "no more than all");
  }
  c.nan = nan == 1 ? nan_policy::omit : nan_policy::propagate;
  c.summed = get(in, summed_at);
  c.identity = get(in, identity_at);
  const auto state = in.subspan(state_at, checksum_at - state_at);
  c.state.assign(state.begin(), state.end());
  return c;
}

}  // namespace multifold::inline v0_1::detail
