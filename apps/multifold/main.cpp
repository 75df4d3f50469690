// The command line tool.
#include "arguments/command_line.hpp"
#include "common/program.hpp"

int main(int argc, char** argv) {
  using namespace multifold::app;
  return run_program("multifold", [&](interrupt_watch& watch) { return run_command_line(argc, argv, watch); });
}
