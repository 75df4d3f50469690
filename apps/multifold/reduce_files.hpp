// The work of multifold OP: files one by one, from opening to printing.
#pragma once

#include <string>
#include <vector>

#include "arguments.hpp"
#include "failure.hpp"
#include "interrupt.hpp"
#include "multifold/ops.hpp"

namespace multifold::app {

struct reduce_arguments {
  op_kind op;
  std::vector<std::string> files;
  raw_arguments raw;
  reduction_arguments what;
  state_arguments states;
  engine_arguments how;
  bool json = false;
  bool hex = false;
  bool explain = false;
  std::string output;
};

/// Reduces every file, or the states alone if there is none, and prints or writes its result; failures are told as they
/// come, and the first is returned.
exit_code reduce_files(const reduce_arguments& arguments, interrupt_watch& watch);

}  // namespace multifold::app
