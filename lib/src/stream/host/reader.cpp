// Claims by a counter; sequential sources are read under a lock, in reads short enough to notice a cancellation.
#include "stream/host/reader.hpp"

#include <algorithm>
#include <chrono>
#include <span>
#include <string>
#include <utility>

#include "multifold/error.hpp"

namespace multifold::inline v0_1::stream {
namespace {

constexpr std::int64_t least_read_bytes = 4 << 10;
constexpr std::int64_t first_read_bytes = 64 << 10;  // what a pipe holds
constexpr std::int64_t greatest_read_bytes = 4 << 20;

}  // namespace

host_reader::host_reader(const inputs& from, std::int64_t elements, std::int64_t chunk_elements, std::ptrdiff_t other,
                         stop_signal stop, const unit_claims& shared)
    : inputs_(from),
      other_(other),
      item_(item_bytes(from.x.layout().type)),
      elements_(elements),
      chunk_elements_(chunk_elements),
      random_access_(from.random_access() && elements >= 0),
      stop_(std::move(stop)),
      shared_(shared),
      read_bytes_(first_read_bytes) {}

void host_reader::check_cancelled() const {
  if (stop_.stop_requested()) throw cancelled_error(inputs_.x.name() + ": the reduction was cancelled");
}

std::optional<chunk> host_reader::claim() {
  chunk c{0, 0, chunk_elements_, {}};
  if (!random_access_) c.turn = std::unique_lock(turn_);
  if (stopped() || ended_) return std::nullopt;
  check_cancelled();
  if (shared_.units != nullptr) return claim_of_unit();
  c.number = next_.fetch_add(1, std::memory_order_relaxed);
  c.first = c.number * chunk_elements_;
  if (elements_ >= 0) {
    if (c.first >= elements_) return std::nullopt;
    c.count = std::min(chunk_elements_, elements_ - c.first);
  }
  return c;
}

// Numbers ascend by one with the elements of a unit, and from unit to unit.
std::optional<chunk> host_reader::claim_of_unit() {
  const std::lock_guard lock(claims_);
  if (unit_.begin == unit_.end) unit_ = shared_.units->claim(shared_.who, shared_.wanted);
  if (unit_.begin == unit_.end) return std::nullopt;
  const std::int64_t first = unit_.begin;
  unit_.begin += std::min(chunk_elements_, unit_.end - first);
  return chunk{next_.fetch_add(1, std::memory_order_relaxed), first, unit_.begin - first, {}};
}

const std::byte* host_reader::in_memory(const chunk& c) const {
  if (inputs_.memory.x == nullptr) return nullptr;
  return static_cast<const std::byte*>(inputs_.memory.x) + c.first * item_;
}

std::int64_t host_reader::read(chunk& c, std::int64_t done, std::byte* into, std::int64_t room) {
  const std::int64_t wanted = std::min(room, c.count - done);
  const std::int64_t first = c.first + done;
  std::int64_t got = 0;
  try {
    got = read_from(inputs_.x, first, into, wanted);
    if (inputs_.y != nullptr) read_from(*inputs_.y, first, into + other_, got);
  } catch (...) {
    stop();  // before the turn is given up: a sequential source that failed is not read again
    throw;
  }
  if (got < wanted) c.count = done + got;
  if (done + got == c.count && c.turn.owns_lock()) c.turn.unlock();
  return got;
}

std::int64_t host_reader::read_from(source& input, std::int64_t first, std::byte* into, std::int64_t count) {
  const std::int64_t got = random_access_ ? input.read(first, std::span(into, static_cast<std::size_t>(count * item_)))
                                          : read_in_turns(input, first, into, count);
  if (got < count) end_at(input, first + got);
  return got;
}

void host_reader::end_at(const source& input, std::int64_t element) {
  if (elements_ >= 0) {
    throw format_error(input.name() + ": ends after " + std::to_string(element) + " elements; expected " +
                       std::to_string(elements_));
  }
  ended_ = true;
  elements_ = element;
}

// A read that takes long is followed by a shorter one, so that slow pipes are cancelled promptly too.
std::int64_t host_reader::read_in_turns(source& input, std::int64_t first, std::byte* into, std::int64_t count) {
  using clock = std::chrono::steady_clock;
  std::int64_t done = 0;
  while (done < count) {
    check_cancelled();
    const std::int64_t some = std::min(count - done, read_bytes_ / item_);
    const auto start = clock::now();
    const std::int64_t got =
        input.read(first + done, std::span(into + done * item_, static_cast<std::size_t>(some * item_)));
    const auto taken = clock::now() - start;
    done += got;
    if (got < some) break;
    if (taken > std::chrono::milliseconds(40)) read_bytes_ = std::max(least_read_bytes, read_bytes_ / 2);
    else if (taken < std::chrono::milliseconds(10)) read_bytes_ = std::min(greatest_read_bytes, read_bytes_ * 2);
  }
  return done;
}

}  // namespace multifold::inline v0_1::stream
