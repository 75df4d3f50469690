// Sources that are Python's: paths, iterators of chunks, and whatever gives rows by x[first:last], as HDF5 and Zarr do.
#pragma once

#include <memory>

#include "python.hpp"

namespace multifold::python {

/// Whether `object` is read in chunks, and is no array in memory.
bool is_source(nb::handle object);

/// Memory: of an iterator the chunk that is being read; of rows what multifold._chunked.rows says.
/// Throws: as open_source; TypeError for element types that cannot be reduced.
std::unique_ptr<source> source_from(nb::handle object);

}  // namespace multifold::python
