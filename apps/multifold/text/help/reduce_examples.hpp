// What --help of an operation ends with.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "folds/host_fold.hpp"
#include "multifold/ops.hpp"

namespace multifold::app {

std::string reduce_examples(op_kind op);
std::string host_fold_examples(host_fold_kind kind, std::string_view name);
/// Of several operations in one word.
std::string several_examples(std::span<const op_kind> ops, const std::string& word);

}  // namespace multifold::app
