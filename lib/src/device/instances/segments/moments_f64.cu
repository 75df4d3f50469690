// Norms, dot products and variances of segments of f64.
#include "device/segments/enqueue_moments.cuh"

MULTIFOLD_MOMENTS_OF_SEGMENTS(double)
