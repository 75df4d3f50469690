// Elements that a function of the user's brings.
#include <algorithm>
#include <utility>

#include "io/message.hpp"
#include "io/unknown_count.hpp"
#include "multifold/array.hpp"
#include "multifold/error.hpp"
#include "multifold/source.hpp"

namespace multifold::inline v0_1 {
namespace {

class callback_source final : public source {
 public:
  callback_source(std::string name, array_layout layout, chunk_callback next, bool random_access)
      : name_(std::move(name)),
        layout_(std::move(layout)),
        next_(std::move(next)),
        item_(item_bytes(layout_.type)),
        random_access_(random_access) {
    const bool known = !has_unknown_length(layout_);
    if (known) count_ = element_count(layout_.extents);
    if (!known && random_access) throw shape_error(label() + ": random access needs a length that is known");
    if (!next_) throw shape_error(label() + ": found no function that brings the elements");
  }

  const std::string& name() const noexcept override { return name_; }
  const array_layout& layout() const noexcept override { return layout_; }
  bool random_access() const noexcept override { return random_access_; }

  std::int64_t read(std::int64_t first, std::span<std::byte> chunk) override {
    if (!random_access_ && first != position_) {
      throw unsupported_error(label() + ": element " + std::to_string(first) + " was asked for, " +
                              std::to_string(position_) + " is next");
    }
    std::int64_t wanted = static_cast<std::int64_t>(chunk.size()) / item_;
    if (count_ != unknown_count) wanted = std::min(wanted, std::max<std::int64_t>(count_ - first, 0));
    std::int64_t done = 0;
    while (done < wanted) {
      const auto room =
          chunk.subspan(static_cast<std::size_t>(done * item_), static_cast<std::size_t>((wanted - done) * item_));
      const std::int64_t got = next_(first + done, room);
      if (got < 0 || got > wanted - done) {
        throw format_error(label() + ": found " + std::to_string(got) + " elements brought at " +
                           std::to_string(first + done) + "; expected 0 to " + std::to_string(wanted - done));
      }
      if (got == 0) break;
      done += got;
    }
    if (done < wanted) end_at(first + done);
    if (!random_access_) position_ = first + done;
    return done;
  }

 private:
  std::string label() const { return io::label_of(name_, "standard input"); }

  void end_at(std::int64_t element) {
    if (count_ != unknown_count) {
      throw format_error(label() + ": the elements end after " + std::to_string(element) + "; expected " +
                         io::describe(layout_));
    }
    count_ = element;
    layout_.extents[0] = element;
  }

  std::string name_;
  array_layout layout_;
  chunk_callback next_;
  std::int64_t item_;
  std::int64_t count_ = unknown_count;
  std::int64_t position_ = 0;  // of the next element of a stream
  bool random_access_;
};

}  // namespace

std::unique_ptr<source> make_source(std::string name, array_layout layout, chunk_callback next, bool random_access) {
  return std::make_unique<callback_source>(std::move(name), std::move(layout), std::move(next), random_access);
}

}  // namespace multifold::inline v0_1
