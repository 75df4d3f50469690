// Where cases are run: fresh elements, a few timed runs beside a plain read, and a look at some of the results.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "surface_case.hpp"

namespace bench::surface {

struct figure {
  double seconds = 0;       // of the reduction, the median
  double roof_seconds = 0;  // of a plain read of the same bytes and a write of the results
  std::string refused;      // why the engine did not take it: its results may not fit the memory, either
  std::string wrong;        // what is wrong with its results
};

class surface_engine {
 public:
  virtual ~surface_engine() = default;
  virtual std::string name() const = 0;
  virtual sizes usual_sizes() const = 0;
  virtual figure run(const surface_case& c, std::uint64_t seed) = 0;
};

/// The CPU's, of so many threads (0: all that there are).
std::unique_ptr<surface_engine> host_engine(int threads);
/// The GPU's; none if there is no GPU, or none that this build has kernels for.
std::unique_ptr<surface_engine> device_engine();

}  // namespace bench::surface
