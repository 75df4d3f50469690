// Eight lanes of multiply and add a block, whose ends are mixed with its place.
// Source: the accumulation is that of XXH3 (Yann Collet, xxHash, doc/xxhash_spec.md, "XXH3 Algorithm"); the rest is
// not.
#include "reduce/states/element_digest.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <mutex>
#include <utility>

#include "host/aligned_bytes.hpp"
#include "host/engine.hpp"
#include "host/threads/crew.hpp"
#include "multifold/error.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace multifold::inline v0_1::detail {
namespace {

constexpr std::size_t lane_count = 8, stripe_bytes = 8 * lane_count, stripes = 16, round_bytes = stripes * stripe_bytes;
constexpr std::int64_t chunk_bytes = 1 << 20;

using lanes = std::array<std::uint64_t, lane_count>;

// Of 64 bits: every bit of the result depends on every bit of `x`. Source: SplitMix64.
constexpr std::uint64_t mixed(std::uint64_t x) noexcept {
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return x ^ x >> 31;
}

constexpr std::uint64_t weyl = 0x9e3779b97f4a7c15u;

// For each stripe of a round a window of its own, then those of the ends.
constexpr auto keys = [] {
  std::array<std::uint64_t, stripes + 4 * lane_count> all{};
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = mixed((i + 1) * weyl);
  return all;
}();
constexpr std::size_t scramble_keys = stripes + lane_count, low_keys = scramble_keys + lane_count,
                      high_keys = low_keys + lane_count / 2;

constexpr std::uint64_t scramble_prime = 0x9e3779b1u;

void add_round(lanes& sum, const std::byte* round) noexcept {
  for (std::size_t stripe = 0; stripe < stripes; ++stripe) {
    for (std::size_t lane = 0; lane < lane_count; ++lane) {
      std::uint64_t word;
      std::memcpy(&word, round + stripe * stripe_bytes + 8 * lane, 8);
      const std::uint64_t keyed = word ^ keys[stripe + lane];
      sum[lane ^ 1] += word;
      sum[lane] += (keyed & 0xffffffffu) * (keyed >> 32);
    }
  }
  for (std::size_t lane = 0; lane < lane_count; ++lane) {
    sum[lane] = (sum[lane] ^ sum[lane] >> 47 ^ keys[scramble_keys + lane]) * scramble_prime;
  }
}

void add_rounds(lanes& sum, const std::byte* data, std::size_t rounds) noexcept {
  for (; rounds > 0; --rounds, data += round_bytes) add_round(sum, data);
}

#if defined(__x86_64__)
// The same, by hand: compilers take a multiplication of 32 bits for one of 64.
[[gnu::target("avx2")]] inline __m256i load(const void* from) noexcept {
  return _mm256_loadu_si256(static_cast<const __m256i*>(from));
}

[[gnu::target("avx2")]] inline __m256i added(__m256i to, __m256i words, __m256i key) noexcept {
  const __m256i keyed = _mm256_xor_si256(words, key);
  const __m256i product = _mm256_mul_epu32(keyed, _mm256_srli_epi64(keyed, 32));
  const __m256i neighbours = _mm256_shuffle_epi32(words, _MM_SHUFFLE(1, 0, 3, 2));
  return _mm256_add_epi64(to, _mm256_add_epi64(product, neighbours));
}

[[gnu::target("avx2")]] inline __m256i scrambled(__m256i of, __m256i key) noexcept {
  const __m256i prime = _mm256_set1_epi64x(static_cast<std::int64_t>(scramble_prime));
  const __m256i keyed = _mm256_xor_si256(_mm256_xor_si256(of, _mm256_srli_epi64(of, 47)), key);
  const __m256i upper = _mm256_mul_epu32(_mm256_srli_epi64(keyed, 32), prime);
  return _mm256_add_epi64(_mm256_mul_epu32(keyed, prime), _mm256_slli_epi64(upper, 32));
}

[[gnu::target("avx2")]] void add_rounds_avx2(lanes& sum, const std::byte* data, std::size_t rounds) noexcept {
  __m256i low = load(sum.data()), high = load(sum.data() + 4);
  for (; rounds > 0; --rounds, data += round_bytes) {
    for (std::size_t stripe = 0; stripe < stripes; ++stripe) {
      const std::byte* const words = data + stripe * stripe_bytes;
      low = added(low, load(words), load(keys.data() + stripe));
      high = added(high, load(words + 32), load(keys.data() + stripe + 4));
    }
    low = scrambled(low, load(keys.data() + scramble_keys));
    high = scrambled(high, load(keys.data() + scramble_keys + 4));
  }
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(sum.data()), low);
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(sum.data() + 4), high);
}
#endif

using adder = void (*)(lanes&, const std::byte*, std::size_t) noexcept;

adder best_adder() noexcept {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) return add_rounds_avx2;
#endif
  return add_rounds;
}

// Both halves of the product of 64 by 64 bits.
std::uint64_t folded(std::uint64_t a, std::uint64_t b) noexcept {
  const auto product = static_cast<unsigned __int128>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

std::uint64_t ended(const lanes& sum, std::size_t first_key, std::uint64_t start) noexcept {
  std::uint64_t all = start;
  for (std::size_t pair = 0; pair < lane_count / 2; ++pair) {
    const std::uint64_t key = keys[first_key + pair];
    all += folded(sum[2 * pair] ^ key, sum[2 * pair + 1] ^ mixed(key));
  }
  return mixed(all);
}

element_digest digest_of_block(adder add, std::uint64_t place, std::span<const std::byte> bytes) noexcept {
  lanes sum;
  std::copy_n(keys.begin(), lane_count, sum.begin());
  const std::size_t rounds = bytes.size() / round_bytes, rest = bytes.size() % round_bytes;
  add(sum, bytes.data(), rounds);
  if (rest > 0) {
    std::array<std::byte, round_bytes> last{};
    std::memcpy(last.data(), bytes.data() + rounds * round_bytes, rest);
    add(sum, last.data(), 1);
  }
  const std::uint64_t start = mixed((place + 1) * weyl) + bytes.size();
  return {ended(sum, low_keys, start), ended(sum, high_keys, ~start)};
}

}  // namespace

element_digest digest_of(std::int64_t first, std::span<const std::byte> bytes, bool simd) noexcept {
  static const adder best = best_adder();
  constexpr auto most = static_cast<std::size_t>(digest_block_bytes);
  element_digest all;
  for (auto place = static_cast<std::uint64_t>(first); !bytes.empty(); ++place) {
    const std::size_t block = std::min(bytes.size(), most);
    all += digest_of_block(simd ? best : add_rounds, place, bytes.first(block));
    bytes = bytes.subspan(block);
  }
  return all;
}

element_digest digest_of(std::string_view text) noexcept { return digest_of(0, std::as_bytes(std::span(text))); }

element_digest digest_again(source& input, std::int64_t first, std::int64_t count, const digest_options& options) {
  const std::int64_t item = item_bytes(input.layout().type), bytes = count * item;
  const std::int64_t memory = options.memory_bytes > 0 ? options.memory_bytes : INT64_MAX;
  const std::int64_t chunk =
      std::max(std::min(chunk_bytes, memory) / digest_block_bytes, INT64_C(1)) * digest_block_bytes;
  const std::int64_t most = std::max(std::min(bytes / chunk + 1, memory / chunk), INT64_C(1));
  const int threads = options.threads > 0 ? options.threads : host::usable_threads();
  std::atomic<std::int64_t> next{0}, done{0};
  std::mutex adding;
  element_digest all;
  host::run_crew(static_cast<int>(std::min<std::int64_t>(threads, most)), [&](int worker) {
    const host::aligned_bytes buffer = host::try_allocate(chunk);
    if (!buffer) {
      if (worker > 0) return;  // the others will do
      throw out_of_memory("reading again what a checkpoint has summed takes a buffer of " + std::to_string(chunk) +
                          " bytes, and there is no memory for it");
    }
    element_digest mine;
    try {
      for (std::int64_t at = next.fetch_add(chunk); at < bytes; at = next.fetch_add(chunk)) {
        if (options.before_chunk) options.before_chunk(done);
        const std::span<std::byte> some(buffer.get(), static_cast<std::size_t>(std::min(chunk, bytes - at)));
        const std::int64_t got = input.read(first + at / item, some) * item;
        mine += digest_of((first * item + at) / digest_block_bytes, some.first(static_cast<std::size_t>(got)));
        done += got;
      }
    } catch (...) {
      next = bytes;  // nothing more
      throw;
    }
    const std::lock_guard lock(adding);
    all += mine;
  });
  return all;
}

}  // namespace multifold::inline v0_1::detail
