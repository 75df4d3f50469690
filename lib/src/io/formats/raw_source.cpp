// Raw elements: the caller says what they are, the file only how many.
#include "io/file_source.hpp"
#include "io/formats/formats.hpp"
#include "io/message.hpp"
#include "multifold/array.hpp"
#include "multifold/error.hpp"

namespace multifold::inline v0_1::io {
namespace {

// As many elements as there are bytes for; a part of an element is an error, and so is nothing at all.
std::int64_t elements_in(const input& in, const raw_options& options) {
  const std::string type(multifold::name(options.type));
  const std::int64_t item = item_bytes(options.type);
  const std::int64_t bytes = *in.size() - options.offset_bytes;
  if (bytes == 0) {
    throw format_error(at(in.label(), options.offset_bytes) + "the file " +
                       (options.offset_bytes == 0 ? "is empty" : "ends here") + "; expected elements of " + type +
                       ", or raw_options::extents 0");
  }
  if (bytes % item != 0) {
    throw format_error(at(in.label(), *in.size()) + "the file ends " + bytes_text(bytes % item) +
                       " into an element; expected a multiple of " + std::to_string(item) + " after byte " +
                       std::to_string(options.offset_bytes) + ", for " + type);
  }
  return bytes / item;
}

void check(const raw_options& options) {
  if (options.offset_bytes < 0) {
    throw shape_error("offset " + std::to_string(options.offset_bytes) + " is negative; expected 0 or more bytes");
  }
  element_count(options.extents);
}

std::unique_ptr<source> checked_source(input in, const raw_options& options) {
  check(options);  // before anything is read
  if (const std::int64_t end = in.skip_to(options.offset_bytes); end < options.offset_bytes) {
    throw format_error(at(in.label(), end) + "the file ends before the offset of " + bytes_text(options.offset_bytes));
  }
  array_layout layout{options.type, options.extents, false};
  const bool given = options.has_extents || !options.extents.empty();
  if (!given) layout.extents = {in.size() ? elements_in(in, options) : -1};
  const bool swap = options.other_byte_order && item_bytes(options.type) > 1;
  try {
    return std::make_unique<file_source>(std::move(in), std::move(layout), options.offset_bytes, swap);
  } catch (const format_error& problem) {
    if (!given) throw;
    throw shape_error(problem.what());  // raw bytes are well-formed; what does not fit is the shape that was asked for
  }
}

}  // namespace

std::unique_ptr<source> raw_source(input in, const raw_options& options) {
  const std::string label = in.label();
  try {
    return checked_source(std::move(in), options);
  } catch (const shape_error& problem) {
    const std::string what = problem.what();
    throw shape_error(what.starts_with(label) ? what : label + ": " + what);
  }
}

}  // namespace multifold::inline v0_1::io
