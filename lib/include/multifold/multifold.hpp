// Everything that a program on the CPU side needs; the CUDA side is in multifold/cuda.
#pragma once

#include "multifold/array.hpp"
#include "multifold/by_key.hpp"
#include "multifold/dtype.hpp"
#include "multifold/error.hpp"
#include "multifold/ops.hpp"
#include "multifold/plan.hpp"
#include "multifold/rates.hpp"
#include "multifold/reduce.hpp"
#include "multifold/segments.hpp"
#include "multifold/source.hpp"
#include "multifold/span.hpp"
#include "multifold/state.hpp"
#include "multifold/state_file.hpp"
#include "multifold/trace.hpp"
#include "multifold/transfer.hpp"
#include "multifold/version.hpp"
