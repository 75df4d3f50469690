// Counts of elements of segments.
#include "device/segments/enqueue.cuh"

MULTIFOLD_SEGMENTS(tally, multifold::any_byte)
MULTIFOLD_SEGMENTS(tally, std::int16_t)
MULTIFOLD_SEGMENTS(tally, std::int32_t)
MULTIFOLD_SEGMENTS(tally, std::int64_t)
