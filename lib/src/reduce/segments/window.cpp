// Several reads at a time, or one after the other.
#include "reduce/segments/window.hpp"

#include <algorithm>
#include <string>

#include "host/engine.hpp"
#include "host/threads/tasks.hpp"
#include "io/message.hpp"
#include "multifold/error.hpp"

namespace multifold::inline v0_1::detail {
namespace {

constexpr std::int64_t read_bytes = INT64_C(4) << 20;

void read_all(source& from, std::int64_t first, std::int64_t count, std::byte* into) {
  const std::int64_t item = item_bytes(from.layout().type);
  while (count > 0) {
    const std::int64_t read = from.read(first, {into, static_cast<std::size_t>(count * item)});
    if (read <= 0) throw format_error(io::label_of(from.name(), "standard input") + " ends before its last element");
    first += read;
    count -= read;
    into += read * item;
  }
}

}  // namespace

void source_window::load(host::interval rows, int threads) {
  const std::int64_t item = item_bytes(from_.layout().type), first = rows.begin * row_;
  const std::int64_t count = (rows.end - rows.begin) * row_, each = read_bytes / item;
  if (count * item > room_) {
    memory_.reset();
    memory_ = host::try_allocate(room_ = count * item);
    if (!memory_) {
      throw out_of_memory("there is no memory for " + std::to_string(count * item) +
                          " bytes of segments: allow less (reduce_options::memory_bytes)");
    }
  }
  if (!from_.random_access()) {
    hand_over(rows.begin, rows.end - rows.begin);
    return read_all(from_, first, count, memory_.get());
  }
  host::share_out(
      threads > 0 ? threads : host::usable_threads(), (count + each - 1) / each, [] { return 0; },
      [&](std::int64_t task, int) {
        const std::int64_t begin = task * each, some = std::min(each, count - begin);
        read_all(from_, first + begin, some, memory_.get() + begin * item);
      });
}

void source_window::hand_over(std::int64_t row, std::int64_t rows) {
  if (from_.random_access()) return;
  skip_to(row);
  position_ = row + rows;
}

void source_window::skip_to(std::int64_t row) {
  if (row < position_) {
    throw unsupported_error(io::label_of(from_.name(), "standard input") +
                            " is read once, from begin to end, and these segments do not ascend: sort them, or put it "
                            "in a file");
  }
  const std::int64_t item = item_bytes(from_.layout().type), end = row * row_;
  const host::aligned_bytes unused = host::allocate_accumulators(read_bytes / item, item);
  for (std::int64_t at = position_ * row_; at < end;) {
    const std::int64_t some = std::min(read_bytes / item, end - at);
    read_all(from_, at, some, unused.get());
    at += some;
  }
}

}  // namespace multifold::inline v0_1::detail
