// A box of a dense array out of a source, to where its elements are neighbours.
#pragma once

#include <cstddef>
#include <cstdint>

#include "host/shape/nest.hpp"
#include "stream/inputs.hpp"

namespace multifold::inline v0_1::stream {

/// Elements of a box.
std::int64_t volume_of(const host::nest& n, const host::box& b);

/// The nest of a buffer that holds box `b` of dense nest `n` and nothing else; an element's place in it is that in the
/// array by these strides, less that of the box's first element, which is its `offset`, negative.
host::nest nest_of_box(const host::nest& n, const host::box& b);

/// Reads box `b` of each input, of the second one to `other` bytes behind the first.
/// Throws: what the sources throw; format_error if one ends early.
void read_box(const inputs& from, const host::nest& n, const host::box& b, std::byte* into, std::ptrdiff_t other);

}  // namespace multifold::inline v0_1::stream
