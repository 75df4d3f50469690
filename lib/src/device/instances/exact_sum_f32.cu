// Exact sums of f32.
#include "device/exact/enqueue.cuh"
#include "device/exact/sum_groups.cuh"
#include "device/instance.cuh"

MULTIFOLD_INSTANCE(exact_sum, float)
MULTIFOLD_SUM_GROUPS(float)
