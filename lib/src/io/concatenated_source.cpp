// Several sources, read as one.
#include <algorithm>
#include <utility>

#include "io/message.hpp"
#include "io/unknown_count.hpp"
#include "multifold/array.hpp"
#include "multifold/error.hpp"
#include "multifold/source.hpp"

namespace multifold::inline v0_1 {
namespace {

using parts_list = std::vector<std::unique_ptr<source>>;

std::string label_of(const source& part) { return io::label_of(part.name(), "standard input"); }

// Of one axis, both orders are the same.
bool is_fortran(const array_layout& layout) { return layout.fortran_order && layout.extents.size() > 1; }

std::size_t joined_axis(const array_layout& layout) { return is_fortran(layout) ? layout.extents.size() - 1 : 0; }

void require_fit(const source& first, const source& other) {
  const array_layout& a = first.layout();
  const array_layout& b = other.layout();
  bool fits = a.type == b.type && is_fortran(a) == is_fortran(b) && a.extents.size() == b.extents.size();
  for (std::size_t axis = 0; fits && axis < a.extents.size(); ++axis) {
    fits = axis == joined_axis(a) || a.extents[axis] == b.extents[axis];
  }
  if (fits) return;
  const auto text = [](const array_layout& layout) {
    return io::describe(layout) + (is_fortran(layout) ? " in Fortran order" : "");
  };
  throw shape_error(label_of(other) + ": found " + text(b) + "; expected what can be joined to " + label_of(first) +
                    ", " + text(a));
}

array_layout joined_layout(const parts_list& parts) {
  if (parts.empty()) throw shape_error("found no arrays to join; expected at least one");
  array_layout joined = parts[0]->layout();
  if (joined.extents.empty())
    throw shape_error(label_of(*parts[0]) + ": found a scalar; expected an axis to join along");
  std::int64_t& length = joined.extents[joined_axis(joined)];
  length = 0;
  for (const std::unique_ptr<source>& part : parts) {
    require_fit(*parts[0], *part);
    const std::int64_t more = part->layout().extents[joined_axis(joined)];
    if (length == unknown_count || more == unknown_count) {
      length = unknown_count;
    } else if (__builtin_add_overflow(length, more, &length)) {
      throw shape_error(label_of(*part) + ": the joined axis is longer than 2^63 - 1");
    }
  }
  return joined;
}

// "x.npy and y.npy", "x.npy and 2 more".
std::string name_of(const parts_list& parts) {
  std::string name = parts.front()->name();
  if (parts.size() == 2) name += " and " + parts.back()->name();
  if (parts.size() > 2) name += " and " + std::to_string(parts.size() - 1) + " more";
  return name;
}

class concatenated_source final : public source {
 public:
  explicit concatenated_source(parts_list parts)
      : layout_(joined_layout(parts)), parts_(std::move(parts)), item_(item_bytes(layout_.type)) {
    name_ = name_of(parts_);
    for (const std::unique_ptr<source>& part : parts_) random_access_ = random_access_ && part->random_access();
    if (has_unknown_length(layout_)) {
      random_access_ = false;
      return;
    }
    element_count(layout_.extents);  // the whole has to fit as well
    starts_.push_back(0);
    for (const std::unique_ptr<source>& part : parts_) {
      starts_.push_back(starts_.back() + element_count(part->layout().extents));
    }
  }

  const std::string& name() const noexcept override { return name_; }
  const array_layout& layout() const noexcept override { return layout_; }
  bool random_access() const noexcept override { return random_access_; }

  std::int64_t read(std::int64_t first, std::span<std::byte> chunk) override {
    return starts_.empty() ? read_next(first, chunk) : read_known(first, chunk);
  }

  // One that cannot be told leaves the whole in doubt.
  std::string identity() const override {
    std::string all;
    for (const std::unique_ptr<source>& part : parts_) {
      const std::string each = part->identity();
      if (each.empty()) return each;
      all += each + "; ";
    }
    return all;
  }

 private:
  // Every part that `chunk` reaches into.
  std::int64_t read_known(std::int64_t first, std::span<std::byte> chunk) {
    const std::int64_t end = std::min(first + static_cast<std::int64_t>(chunk.size()) / item_, starts_.back());
    std::int64_t at = first;
    auto part = static_cast<std::size_t>(std::upper_bound(starts_.begin(), starts_.end(), first) - starts_.begin());
    for (; at < end; ++part) {
      const std::int64_t wanted = std::min(end, starts_[part]) - at;
      if (wanted == 0) continue;  // an empty array
      read_part(*parts_[part - 1], at - starts_[part - 1], part_of(chunk, at - first, wanted), wanted);
      at += wanted;
    }
    return at - first;
  }

  void read_part(source& part, std::int64_t first, std::span<std::byte> chunk, std::int64_t wanted) const {
    const std::int64_t got = part.read(first, chunk);
    if (got == wanted) return;
    throw format_error(label_of(part) + ": the elements end after " + std::to_string(first + got) + "; expected " +
                       io::describe(part.layout()));
  }

  // Where a length is unknown, the parts' ends show while they are read, in order.
  std::int64_t read_next(std::int64_t first, std::span<std::byte> chunk) {
    if (first != position_) {
      throw unsupported_error(io::label_of(name_, "standard input") + ": element " + std::to_string(first) +
                              " was asked for, " + std::to_string(position_) + " is next");
    }
    const std::int64_t wanted = static_cast<std::int64_t>(chunk.size()) / item_;
    std::int64_t done = 0;
    while (done < wanted && current_ < parts_.size()) {
      const std::int64_t got = parts_[current_]->read(position_ - current_start_, part_of(chunk, done, wanted - done));
      done += got;
      position_ += got;
      if (done == wanted) break;
      ++current_;
      current_start_ = position_;
    }
    if (done < wanted) layout_.extents[0] = position_;
    return done;
  }

  std::span<std::byte> part_of(std::span<std::byte> chunk, std::int64_t first, std::int64_t elements) const {
    return chunk.subspan(static_cast<std::size_t>(first * item_), static_cast<std::size_t>(elements * item_));
  }

  array_layout layout_;
  parts_list parts_;
  std::int64_t item_;
  std::string name_;
  bool random_access_ = true;
  std::vector<std::int64_t> starts_;  // of the parts, and the end of the last; empty if a length is unknown
  std::int64_t position_ = 0;
  std::size_t current_ = 0;
  std::int64_t current_start_ = 0;
};

}  // namespace

std::unique_ptr<source> concatenate(parts_list parts) {
  return std::make_unique<concatenated_source>(std::move(parts));
}

}  // namespace multifold::inline v0_1
