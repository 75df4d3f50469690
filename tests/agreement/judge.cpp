// The worker, and the comparison of what came with what has to come.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <stdexcept>

#include "agreement/device/room.hpp"
#include "agreement/reference/batch.hpp"
#include "agreement/reference/refusals.hpp"
#include "agreement/trial/data.hpp"
#include "agreement/worker.hpp"

namespace multifold::agreement {
namespace {

constexpr std::int64_t margin = 4096;  // around arrays
constexpr std::int64_t garbage = 256;  // as many bytes of it are filled, so that who reads them gets something else
constexpr std::int64_t alignment = 256;

std::string hex_of(const std::byte* bytes, std::size_t size) {
  std::string text = "0x";
  char digits[3];
  for (std::size_t i = size; i-- > 0;) {
    std::snprintf(digits, sizeof digits, "%02x", static_cast<unsigned>(bytes[i]));
    text += digits;
  }
  return text;
}

double number_at(const std::byte* bytes, dtype type) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, bytes, static_cast<std::size_t>(item_bytes(type)));
  return value_of(real_of(bits, format_of(type)));
}

bool is_right(const std::byte* got, const std::byte* wanted, std::size_t size, const tolerance* bounds, dtype type) {
  if (std::memcmp(got, wanted, size) == 0) return true;
  if (bounds == nullptr) return false;
  const double x = number_at(got, type);
  if (bounds->any_nan) return std::isnan(x);
  if (bounds->may_overflow && !std::isfinite(x)) return true;
  if (!(bounds->low < bounds->high)) {  // but for the sign of a zero, if the exact value is close to it
    return x == 0 && bounds->low == 0 && std::signbit(bounds->low) != std::signbit(bounds->high);
  }
  return x >= bounds->low && x <= bounds->high;
}

std::string difference_of_bytes(const expectation& wanted, const outcome& got, std::size_t item) {
  if (got.bytes.size() != wanted.bytes.size()) {
    return std::to_string(got.bytes.size()) + " bytes for " + std::to_string(wanted.bytes.size());
  }
  const std::size_t results = wanted.bytes.size() / item;
  std::size_t wrong = 0, first = 0;
  for (std::size_t i = 0; i < results; ++i) {
    const tolerance* bounds = wanted.inexact.empty() ? nullptr : &wanted.inexact[i];
    if (is_right(&got.bytes[i * item], &wanted.bytes[i * item], item, bounds, wanted.type)) continue;
    if (wrong++ == 0) first = i;
  }
  if (wrong == 0) return "";
  return std::to_string(wrong) + " of " + std::to_string(results) + " results differ; number " + std::to_string(first) +
         " is " + hex_of(&got.bytes[first * item], item) + " for " + hex_of(&wanted.bytes[first * item], item);
}

std::string kind_text(outcome::kind kind) {
  switch (kind) {
    case outcome::kind::value: return "a value";
    case outcome::kind::unsupported: return "unsupported_error";
    case outcome::kind::shape: return "shape_error";
    case outcome::kind::overflow: return "overflow_error";
    case outcome::kind::memory: return "out_of_memory";
    case outcome::kind::other: break;
  }
  return "another exception";
}

// A sum of integers has to fit in each part.
bool parts_may_overflow(const trial& t) {
  return t.way == entry::parts && t.op == op_kind::sum && item_bytes(t.type) == 8 && !is_floating(t.type);
}

// What `t` is to the operation `op` of the same read.
trial alone(const trial& t, op_kind op) {
  trial one = t;
  one.op = op;
  one.beside.clear();
  if (!takes_initial(op)) one.initial.reset();
  if (!takes_correction(op)) one.correction = 0;
  return one;
}

std::vector<trial> all_alone(const trial& t) {
  std::vector<trial> all{alone(t, t.op)};
  for (const op_kind op : t.beside) all.push_back(alone(t, op));
  return all;
}

std::string difference_of_value(const trial& t, const expectation& wanted, const outcome& got) {
  if (got.extents != wanted.extents) return "shape " + to_string(got.extents) + " for " + to_string(wanted.extents);
  if (got.type != wanted.type) return std::string(name(got.type)) + " for " + std::string(name(wanted.type));
  return difference_of_bytes(wanted, got, static_cast<std::size_t>(result_bytes_of(t)));
}

}  // namespace

std::string difference_of(const trial& t, const std::vector<expectation>& wanted, const outcome& got) {
  const std::string came = kind_text(got.what) + (got.message.empty() ? "" : " (" + got.message + ")");
  if (!got.damage.empty()) return got.damage;
  const std::string must = must_be_refused(t);
  if (!must.empty()) {
    const bool empty_first = got.what == outcome::kind::shape && elements_of(t) == 0;  // of two reasons, either
    return got.what == outcome::kind::unsupported || empty_first ? "" : came + " for a refusal of " + must;
  }
  if (got.what == outcome::kind::unsupported) return may_be_refused(t).empty() ? came + " for a value" : "";
  // Of an axis that is not the slowest all has to be in memory.
  if (got.what == outcome::kind::memory && t.cut && is_source(t.where) && t.memory_bytes > 0) return "";
  // A fold of elements whose results lie apart has to have all of them in memory.
  const bool folds = t.way == entry::fold || t.way == entry::logsumexp;
  if (got.what == outcome::kind::memory && folds && is_source(t.where) && t.memory_bytes > 0) return "";
  // The states of all results of a pipe are open at once.
  if (got.what == outcome::kind::memory && t.where == origin::pipe && t.memory_bytes > 0) return "";
  if (t.count && *t.count > elements_of(t)) {
    return got.what == outcome::kind::shape ? "" : came + " for a count beyond the plan";
  }
  const auto some = [&](bool expectation::*what) {
    return std::any_of(wanted.begin(), wanted.end(), [what](const expectation& e) { return e.*what; });
  };
  const bool overflow = some(&expectation::overflow), empty = some(&expectation::empty);
  if (overflow && got.what == outcome::kind::overflow) return "";
  if (empty && got.what == outcome::kind::shape) return "";
  if (overflow || empty) return came + " where a result " + (overflow ? "does not fit" : "has no value");
  if (got.what == outcome::kind::overflow && parts_may_overflow(t)) return "";
  if (got.what != outcome::kind::value) return came + " for a value";
  const std::vector<trial> all = all_alone(t);
  std::string difference = difference_of_value(all[0], wanted[0], got);
  for (std::size_t i = 0; difference.empty() && i < got.beside.size(); ++i) {
    difference = difference_of_value(all[i + 1], wanted[i + 1], got.beside[i]);
    if (!difference.empty()) difference = std::string(name(all[i + 1].op)) + ": " + difference;
  }
  return difference;
}

worker::worker(std::int64_t most_bytes, const std::filesystem::path& folder)
    : most_bytes_(most_bytes),
      folder_(folder),
      x_(most_bytes + 2 * margin),
      y_(most_bytes + 2 * margin),
      device_(make_device_room(most_bytes + 2 * margin)) {}

worker::~worker() = default;

laid_out worker::lay_out(const trial& t) {
  const bool pinned = t.where == origin::pinned || t.where == origin::device;
  if (pinned && !device_) throw std::invalid_argument("the case needs a GPU");
  const std::int64_t item = item_bytes(t.type);
  laid_out a;
  const auto place = [&](int which, std::span<std::byte> memory, std::int64_t shift) {
    const extent_in_memory reach = reach_of(t.extents, which == 0 ? t.strides : second_strides(t));
    const std::int64_t bytes = reach.elements * item;
    if (bytes > most_bytes_) throw std::invalid_argument("the case needs --bytes " + std::to_string(bytes));
    std::byte* at = memory.data() + alignment + shift % 64 * item;
    if (t.at_end && !pinned) at = memory.data() + memory.size() - bytes;
    std::byte* low = std::max(memory.data(), at - garbage);
    std::byte* high = std::min(memory.data() + memory.size(), at + bytes + garbage);
    std::memset(low, 0xfe, static_cast<std::size_t>(at - low));
    std::memset(at + bytes, 0xfe, static_cast<std::size_t>(high - (at + bytes)));
    fill(t.data, t.type, which, {at, static_cast<std::size_t>(bytes)});
    (which == 0 ? a.buffer_x : a.buffer_y) = at;
    (which == 0 ? a.x : a.y) = at + reach.first * item;
    if (which == 0) a.bytes = bytes;
  };
  place(0, pinned ? device_->pinned(0) : x_.bytes(), t.shift);
  if (has_two_arrays(t)) place(1, pinned ? device_->pinned(1) : y_.bytes(), t.shift * 5);
  return a;
}

outcome worker::run(const trial& t, const laid_out& arrays) {
  switch (t.way) {
    case entry::interpret: return run_interpreted(t, arrays);
    case entry::range: return run_range(t, arrays);
    case entry::weighted: return run_weighted(t, arrays);
    case entry::merge: return run_merged(t, arrays);
    case entry::parts: return run_parts(t, arrays);
    case entry::logsumexp: return run_logsumexp(t, arrays, folder_);
    case entry::complex: return run_complex(t, arrays);
    case entry::fold:
      if (t.engine == engine_choice::host) return run_fold(t, arrays, folder_);
      break;
    case entry::reduce:
    case entry::async:
    case entry::counted:
    case entry::graph: break;
  }
  const laid_out there = t.where == origin::device ? device_->send(t, arrays) : arrays;
  return t.way == entry::reduce ? run_reduce(t, there, results_, folder_) : device_->run(t, there);
}

verdict worker::judge(const trial& t, const std::function<void(outcome&)>& meddle) {
  const laid_out arrays = lay_out(t);
  outcome got = run(t, arrays);
  if (meddle) meddle(got);
  std::vector<expectation> wanted;
  const bool beyond = t.count && *t.count > elements_of(t);  // and nothing is there
  for (const trial& each : all_alone(t)) wanted.push_back(beyond ? expectation() : expected(each, arrays.x, arrays.y));
  return {got.what != outcome::kind::value, difference_of(t, wanted, got)};
}

}  // namespace multifold::agreement
