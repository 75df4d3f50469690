// Exact sums of f16.
#include "device/exact/enqueue.cuh"
#include "device/instance.cuh"

MULTIFOLD_INSTANCE(exact_sum, multifold::f16)
