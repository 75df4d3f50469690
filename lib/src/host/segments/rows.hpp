// Short segments of neighbouring elements: those of one length, laid side by side, are rows, which kernels take many at
// a time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "host/aligned_bytes.hpp"
#include "host/fold.hpp"
#include "host/shape/nest.hpp"

namespace multifold::inline v0_1::host {

class segment_rows {
 public:
  /// Fewer segments are quicker one by one.
  static constexpr std::int64_t fewest = 32;
  /// Longer ones are rows of their own.
  static constexpr std::int64_t longest = 64;

  /// For up to `most` segments at a time, of an array of this form.
  segment_rows(const fold& f, const reduction& what, const batches& form, std::int64_t most);

  /// Sorts segments by their lengths; they have to stay until they are reduced.
  void take(std::span<const interval> segments);

  /// Those that are longer than `longest`: calls `gather(segment, acc)` for each.
  template <class Gather>
  void gather_long(const Gather& gather) {
    for (std::int64_t i = first_[longest + 1]; i < first_[longest + 2]; ++i) gather(taken_[order(i)], acc_at(i));
  }

  /// All others but the empty ones. `other` lies behind every element's partner in a second array, if there is one.
  void gather_short(const std::byte* data, std::ptrdiff_t other);

  /// Results of all but the empty ones, `out_step` bytes apart. If this is not ok, what is at `out` is of no use.
  status lower(std::byte* out, std::int64_t out_step);

 private:
  static constexpr std::int64_t tile_elements = 4096;

  std::size_t order(std::int64_t i) const { return order_[static_cast<std::size_t>(i)]; }
  std::byte* acc_at(std::int64_t i) const { return acc_.get() + i * fold_.acc_bytes(); }
  void gather_rows(const std::byte* data, std::ptrdiff_t other, std::int64_t length, interval rows);
  std::byte* lay_out(const std::byte* data, std::int64_t length, interval rows, std::byte* into) const;

  const fold& fold_;
  const reduction& what_;
  const std::int64_t extent_, offset_;  // elements
  const std::int64_t item_, result_;    // bytes
  std::span<const interval> taken_;
  std::vector<std::uint32_t> order_;      // number of the i-th segment by length
  std::int64_t first_[longest + 3] = {};  // place in the order of the first of each length; longer ones come last
  std::vector<std::int64_t> counts_;
  aligned_bytes acc_, results_, tile_;
};

}  // namespace multifold::inline v0_1::host
