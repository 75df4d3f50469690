// Exact sums of f64.
#include "device/exact/enqueue.cuh"
#include "device/exact/sum_groups.cuh"
#include "device/instance.cuh"

MULTIFOLD_INSTANCE(exact_sum, double)
MULTIFOLD_SUM_GROUPS(double)
