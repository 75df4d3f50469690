// Benchmarks of exact sums on the CPU, beside rounded sums of the same data by the same threads, and of moments.
#pragma once

namespace bench {

void register_exact_sums();

}  // namespace bench
