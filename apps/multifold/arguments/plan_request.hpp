// What is to be planned, as commands that run nothing are told: a file, or the dtype and shape of none.
#pragma once

#include <string>
#include <vector>

#include "arguments/arguments.hpp"
#include "multifold/reduce.hpp"

namespace multifold::app {

struct plan_arguments {
  std::string op;
  std::string file;
  raw_arguments raw;
  reduction_arguments what;
  engine_arguments how;
  std::string device_model;
};

/// The arguments of plan_for.
struct planned {
  op_kind op = op_kind::sum;
  array_view view;  // no data
  reduce_options options;
};

/// OP, FILE, and all options but those of engines and of the output; `model_help` is that of --device-model.
void add_plan_options(CLI::App& command, const std::string& model_help, plan_arguments& to);

/// The arguments are judged, and the header of the file is read.
planned planned_of(const plan_arguments& arguments);

/// The plan for a machine that need not be here.
plan plan_on(const planned& wanted, const engine_traits& engine);

/// What messages are about: the file, if there is one.
std::vector<std::string> files_of(const plan_arguments& arguments);

}  // namespace multifold::app
