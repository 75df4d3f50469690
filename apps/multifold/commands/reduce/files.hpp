// The work of multifold OP: files one by one, from opening to printing.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "arguments/arguments.hpp"
#include "common/messages/failure.hpp"
#include "common/terminal/interrupt.hpp"
#include "folds/host_fold.hpp"
#include "multifold/ops.hpp"

namespace multifold::app {

/// The files of one result: one, two for operations that take two, all with --concatenate, or none for states alone.
/// "x.npz:a" is an array in a file.
using operand_files = std::vector<std::string>;

struct reduce_arguments {
  op_kind op;                          // the first of `ops`
  std::vector<op_kind> ops;            // from one read
  std::string word;                    // that names them, or what is made of them
  bool difference = false;             // of the first of two and the second, instead of both
  std::optional<host_fold> fold = {};  // instead of the only one of `ops`, whose results have the same dtypes
  std::vector<std::string> files;
  std::optional<std::string> x, y;  // as typed; `files` of operations that take two
  raw_arguments raw;
  reduction_arguments what;
  std::optional<std::string> where;    // a file of marks
  std::optional<std::string> weights;  // of a mean
  segment_arguments segments;
  state_arguments states;
  engine_arguments how;
  bool concatenate = false;
  bool json = false;
  bool hex = false;
  bool explain = false;
  std::string output;

  /// The operations whose results are printed or written; a difference is one result.
  std::span<const op_kind> result_ops() const { return std::span(ops).first(difference ? 1 : ops.size()); }
};

/// Reduces every file and every array of an archive, or all of them together, or the states alone if there is none, and
/// prints or writes the result; failures are told as they come, and the first is returned.
exit_code reduce_files(const reduce_arguments& arguments, interrupt_watch& watch);

}  // namespace multifold::app
