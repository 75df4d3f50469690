// What files of instances share: each defines a part of the engine, and they compile side by side.
#pragma once

#include "host/fold.hpp"
#include "multifold/engine_parts.hpp"
#include "multifold/ops/visit.hpp"
