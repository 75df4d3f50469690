// Read in chunks, between which it can be broken off, into memory that begins with a page.
#include "commands/files/whole_array.hpp"

#include <algorithm>
#include <cstring>
#include <exception>
#include <optional>
#include <span>
#include <string>

#include "common/messages/failure.hpp"
#include "multifold/error.hpp"
#include "text/size_text.hpp"

namespace multifold::app {
namespace {

constexpr std::int64_t page_bytes = 4096, chunk_bytes = std::int64_t{4} << 20;

}  // namespace

void whole_array::make_room(std::int64_t bytes) {
  if (bytes <= room_) return;
  const std::int64_t rounded =
      bytes > INT64_MAX - page_bytes ? bytes : (bytes + page_bytes - 1) / page_bytes * page_bytes;
  std::unique_ptr<std::byte, release> larger(static_cast<std::byte*>(
      std::aligned_alloc(static_cast<std::size_t>(page_bytes), static_cast<std::size_t>(rounded))));
  if (larger == nullptr) throw out_of_memory("there is no memory for an array of " + size_text(bytes));
  if (filled_ > 0) std::memcpy(larger.get(), memory_.get(), static_cast<std::size_t>(filled_));
  memory_ = std::move(larger);
  room_ = rounded;
}

whole_array::whole_array(source& input, const stop_signal& stop,
                         const std::function<void(std::int64_t bytes_read)>& progress) {
  const bool unknown = has_unknown_length(input.layout());
  const std::int64_t item = item_bytes(input.layout().type);
  const std::int64_t count = unknown ? INT64_MAX : element_count(input.layout().extents);
  if (!unknown && count > INT64_MAX / item) throw out_of_memory("the array has more bytes than there are addresses");
  make_room(std::max(unknown ? chunk_bytes : count * item, page_bytes));
  for (std::int64_t read = 0; read < count;) {
    if (stop.stop_requested()) throw cancelled_error("the read was broken off");
    if (room_ - filled_ < item) make_room(2 * room_);
    const std::int64_t some = std::min(std::min((room_ - filled_) / item, chunk_bytes / item), count - read);
    const std::int64_t more = input.read(read, {memory_.get() + filled_, static_cast<std::size_t>(some * item)});
    if (more <= 0 && !unknown) throw format_error("the array ends before its last element");
    if (more <= 0) break;
    read += more;
    filled_ += more * item;
    if (progress) progress(filled_);
  }
  const array_layout layout = input.layout();
  const std::vector<std::int64_t> extents = unknown ? std::vector{filled_ / item} : layout.extents;
  view_ = make_view(memory_.get(), layout.type, extents);
  if (layout.fortran_order) view_.strides = fortran_strides(extents);
}

namespace {

whole_array read_file(const std::string& file, const std::function<void(dtype)>& check) {
  try {
    const std::unique_ptr<source> input = open_source(file, std::nullopt);
    check(input->layout().type);
    return whole_array(*input);
  } catch (const failure&) {
    throw;
  } catch (...) {
    throw input_failure_of(std::current_exception(), file);
  }
}

}  // namespace

whole_array read_marks(const std::string& file) {
  return read_file(file, [&file](dtype type) {
    if (type == dtype::boolean) return;
    throw file_failure(exit_code::input, file, "found " + std::string(name(type)) + "; expected bool");
  });
}

whole_array read_weights(const std::string& file) {
  return read_file(file, [](dtype) {});
}

}  // namespace multifold::app
