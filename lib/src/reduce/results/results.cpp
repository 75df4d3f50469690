// Memory for results, and what to do where there is none.
#include "reduce/results/results.hpp"

#include <exception>
#include <string>

#include "multifold/error.hpp"

namespace multifold::inline v0_1::detail {

std::vector<std::byte> allocate_results(const reduction& what, std::int64_t count) {
  const int128_t bytes = static_cast<int128_t>(count) * result_bytes(what);
  try {
    if (bytes <= INT64_MAX) return std::vector<std::byte>(static_cast<std::size_t>(bytes));
  } catch (const std::exception&) {
    // told below
  }
  throw out_of_memory(std::to_string(count) + " results of " + std::string(name(what.result)) +
                      " do not fit in memory: reduce over more axes, or ask for a narrower result dtype");
}

}  // namespace multifold::inline v0_1::detail
