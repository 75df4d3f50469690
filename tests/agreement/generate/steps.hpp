// What random trials are made in, step by step: each chooses some members by those that are there.
#pragma once

#include "agreement/generate/chance.hpp"
#include "agreement/generate/generate.hpp"
#include "agreement/trial/trial.hpp"

namespace multifold::agreement {

/// The engine, where the elements are, which function is called, and how a plan is forced on it.
void choose_way(chance& c, const limits& most, trial& t);
/// Another function of the library than reduce() for arrays in host memory, and options that it takes.
void choose_function(chance& c, trial& t);
/// Segments or groups, marks, and other operations of the same read.
void choose_company(chance& c, trial& t);
/// Strides of the array, and of the second one.
void choose_strides(chance& c, const limits& most, trial& t);

/// Whether the options are those of a reduction that has a meaning.
bool is_plain(const trial& t);

}  // namespace multifold::agreement
