// Staging on the CPU, without a GPU that reads what is staged.
#pragma once

#include <cstddef>
#include <vector>

namespace bench {

/// Cases staging/threads:N: `ratio` is the speed of the staging threads' copy over memcpy's. `data()` has host_bytes().
void register_staging(const std::byte* (*data)(), const std::vector<int>& thread_counts);

}  // namespace bench
