// Norms, dot products and variances of segments of f16.
#include "device/segments/enqueue_moments.cuh"

MULTIFOLD_MOMENTS_OF_SEGMENTS(multifold::f16)
