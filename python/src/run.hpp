// One call of the library for arrays and sources alike.
#pragma once

#include <span>

#include "python.hpp"
#include "settings.hpp"

namespace multifold::python {

nb::object reduce_one(op_kind op, nb::handle x, nb::handle y, const keywords& given);

/// A list of results, of one read.
nb::object reduce_several(std::span<const op_kind> ops, nb::handle x, nb::handle y, const keywords& given);

nb::object reduce_segments(op_kind op, nb::handle x, nb::handle y, nb::handle offsets, const keywords& given);
nb::object reduce_keys(op_kind op, nb::handle x, nb::handle y, nb::handle keys, nb::handle groups,
                       const keywords& given);

/// The dot of two arrays that are broadcast against each other, along one axis of the result of that.
nb::object vecdot(nb::handle x, nb::handle y, const keywords& given);

/// The greatest magnitude, as array libraries' vector_norm of an infinite order.
nb::object greatest_magnitude(nb::handle x, const keywords& given);

/// The value of a small array of floating point that lies together, with no other word said; null for all others.
nb::object quick_value(op_kind op, nb::handle x);

/// The state of some elements.
state partial_state(op_kind op, nb::handle x, nb::handle y, const keywords& given, std::int64_t kept_axes);

}  // namespace multifold::python
