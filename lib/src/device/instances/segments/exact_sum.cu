// Exact sums of segments.
#include "device/segments/enqueue.cuh"

MULTIFOLD_SEGMENTS(exact_sum, multifold::f16)
MULTIFOLD_SEGMENTS(exact_sum, multifold::bf16)
MULTIFOLD_SEGMENTS(exact_sum, float)
MULTIFOLD_SEGMENTS(exact_sum, double)
