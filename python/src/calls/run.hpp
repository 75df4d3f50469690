// One call of the library for arrays and sources alike.
#pragma once

#include <span>

#include "arguments/settings.hpp"
#include "python.hpp"

namespace multifold::python {

/// Arrays from here on are reduced without the GIL. [bytes]
constexpr std::int64_t long_bytes = INT64_C(64) << 20;

nb::object reduce_one(op_kind op, nb::handle x, nb::handle y, const keywords& given);

/// A list of results, of one read.
nb::object reduce_several(std::span<const op_kind> ops, nb::handle x, nb::handle y, const keywords& given);

/// The same as they are, of one array.
std::vector<reduce_result> reduce_together(std::span<const op_kind> ops, nb::handle x, settings& set);

nb::object reduce_segments(op_kind op, nb::handle x, nb::handle y, nb::handle offsets, const keywords& given);
nb::object reduce_keys(op_kind op, nb::handle x, nb::handle y, nb::handle keys, nb::handle groups,
                       const keywords& given);

/// The value of a small array of numbers that lies together, with no other word said; null for all others.
nb::object quick_value(op_kind op, nb::handle x);

/// The state of some elements.
state partial_state(op_kind op, nb::handle x, nb::handle y, const keywords& given, std::int64_t kept_axes);
/// The same, to a result for each of so many keys of the first axis.
state partial_state_by_key(op_kind op, nb::handle x, nb::handle y, nb::handle keys, std::int64_t groups,
                           const keywords& given);

}  // namespace multifold::python
