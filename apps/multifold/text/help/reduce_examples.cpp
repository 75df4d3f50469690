// Texts with a gap for the operation's name.
#include "text/help/reduce_examples.hpp"

#include <fmt/format.h>

#include "commands/several_ops.hpp"
#include "multifold/reduction.hpp"

namespace multifold::app {
namespace {

constexpr const char* one_array =
    "  multifold {0} x.npy                              of all elements\n"
    "  multifold {0} x.npy --axis 0 -o out.npy          of each column, to a file\n"
    "  multifold {0} x.npy --offsets rows.npy           of each ragged row\n"
    "  multifold {0} x.npy --keys k.npy --groups 7      of the elements of each key\n"
    "  multifold {0} x.bin --dtype f32 --shape 1000,64  raw elements\n"
    "  zstd -dc x.npy.zst | multifold {0} -             from a pipe, in bounded memory\n"
    "  multifold {0},{1} x.npy                          and another one, from one read\n"
    "  multifold {0} x.npy --json                       with engine, plan and seconds\n";

constexpr const char* states =
    "  multifold {0} x.npy --save-state x.state         leave what it is made of, too\n"
    "  multifold {0} --merge x.state y.state            and add it to another machine's\n"
    "  multifold {0} z.npy --merge x.state --save-state x.state  go on from a run\n";

constexpr const char* checkpoints =
    "  multifold {0} huge.npy --checkpoint huge.part    may be broken off, and started again\n";

constexpr const char* states_of_two =
    "  multifold {0} x.npy y.npy --save-state xy.state  leave what it is made of, too\n"
    "  multifold {0} --merge xy.state more.state        and add it to another machine's\n";

constexpr const char* two_arrays =
    "  multifold {0} x.npy y.npy                        of all elements\n"
    "  multifold {0} x.npy y.npy --axis 0 -o out.npy    of each column, to a file\n"
    "  multifold {0} x.npy y.npy --offsets rows.npy     of each ragged row\n"
    "  multifold {0} x.bin y.bin --dtype f32            raw elements\n"
    "  zstd -dc x.npy.zst | multifold {0} - y.npy       one of them from a pipe\n"
    "  multifold {0},{1} x.npy y.npy                    and another one, from one read\n"
    "  multifold {0} x.npy y.npy --json                 with engine, plan and seconds\n";

constexpr const char* one_array_each =
    "  multifold {0} x.npy                   a line each\n"
    "  multifold {0} x.npy --axis 0          of each column\n"
    "  zstd -dc x.npy.zst | multifold {0} -  from a pipe, in bounded memory\n"
    "  multifold {0} x.npy --json            an object each, on a line of its own\n";

constexpr const char* two_arrays_each =
    "  multifold {0} x.npy y.npy             a line each\n"
    "  multifold {0} x.npy y.npy --axis 0    of each column\n"
    "  multifold {0} x.npy y.npy --json      an object each, on a line of its own\n";

constexpr const char* description_of =
    "  multifold {0} x.npy                              of all elements\n"
    "  multifold {0} x.npy --axis 0                     a line for each column\n"
    "  multifold {0} x.npy --offsets rows.npy           of each ragged row\n"
    "  multifold {0} x.npy --nan omit --correction 1    of what is no NaN; the deviation of a sample\n"
    "  zstd -dc x.npy.zst | multifold {0} -             from a pipe, in bounded memory\n"
    "  multifold {0} x.npy --json                       for programs\n";

constexpr const char* fold =
    "  multifold {0} x.npy{1}  of all elements\n"
    "  multifold {0} x.npy{1} --axis 0  of each column\n"
    "  multifold {0} x.npy{2}\n"
    "  multifold {0} x.npy{1} --axis 0 -o out.npy  to a file\n"
    "  multifold {0} x.bin{1} --dtype f32 --shape 1000,64  raw elements\n"
    "  zstd -dc x.npy.zst | multifold {0} -{1}  from a pipe, in bounded memory\n"
    "  multifold {0} x.npy{1} --json  with engine and seconds\n";

// One that goes with `op`.
std::string_view another(op_kind op) {
  if (takes_two_arrays(op)) return name(op == op_kind::dot ? op_kind::cov : op_kind::dot);
  return name(op == op_kind::max ? op_kind::min : op_kind::max);
}

}  // namespace

std::string reduce_examples(op_kind op) {
  const auto of = [op](const char* text) { return fmt::format(fmt::runtime(text), name(op), another(op)); };
  const std::string first = of(takes_two_arrays(op)      ? two_arrays
                               : op == op_kind::describe ? description_of
                                                         : one_array);
  std::string sample;
  if (takes_correction(op) && op != op_kind::describe) {
    const std::string line = std::string(takes_two_arrays(op) ? "x.npy y.npy" : "x.npy") + " --correction 1";
    sample = fmt::format("  multifold {} {:<35}of a sample: divided by n - 1\n", name(op), line);
  }
  const char* const of_states = op == op_kind::prod ? "" : takes_two_arrays(op) ? states_of_two : states;
  return "Examples:\n" + first + sample + of(of_states) + (has_exact_form(op) ? of(checkpoints) : "");
}

std::string host_fold_examples(host_fold_kind kind, std::string_view name) {
  const bool moment = kind == host_fold_kind::moment;
  const char* const special = moment                              ? " --power 2 --shift 0  about zero"
                              : kind == host_fold_kind::logsumexp ? " --axis -1 --keepdims  of each row"
                                                                  : " --unbiased  of a population";
  return "Examples:\n" + fmt::format(fmt::runtime(fold), name, moment ? " --power 3" : "", special);
}

std::string several_examples(std::span<const op_kind> ops, const std::string& word) {
  const char* const text = takes_two_arrays(ops[0]) ? two_arrays_each : one_array_each;
  return "Examples:\n" + fmt::format(fmt::runtime(text), word);
}

}  // namespace multifold::app
