// The texts.
#include "text/help/help_topics.hpp"

#include <array>

#include "arguments/environment.hpp"
#include "common/messages/failure.hpp"

namespace multifold::app {
namespace {

struct topic {
  const char* name;
  void (*write)(help_page& page);
};

void write_environment(help_page& page) {
  page.paragraph("What multifold reads from its environment. multifold info shows the values, and which are invalid.");
  std::vector<help_row> rows;
  for (const environment_variable& variable : environment_variables()) rows.emplace_back(variable.name, variable.about);
  page.table("Variables", rows, left_columns_of(rows));
}

void write_exit_codes(help_page& page) {
  page.paragraph("How multifold ends. Of several FILEs that fail, the first says the code.");
  const std::vector<help_row> rows = exit_code_rows();
  page.table("Exit codes, and their kinds in JSON", rows, left_columns_of(rows));
  page.paragraph(
      "Results are on standard output, all else is on standard error: a line for each failure, or with --json an "
      "object "
      "on a line, multifold.error/1, of kind, message, exit_code, and file or files where it is about any.");
}

void write_dtypes(help_page& page) {
  page.paragraph(
      "Names that --dtype and --result-dtype take. Those with sizes in bytes are NumPy's, and > or < before them "
      "is the byte order; i8 and u8 would be of either kind, and are refused.");
  const std::vector<help_row> rows{{"bool", "bool_, b1, ?"},
                                   {"int8", "i1, int8_t"},
                                   {"int16", "i16, i2, int16_t"},
                                   {"int32", "i32, i4, int32_t"},
                                   {"int64", "i64, <i8, int64_t"},
                                   {"uint8", "u1, uint8_t"},
                                   {"uint16", "u16, u2, uint16_t"},
                                   {"uint32", "u32, u4, uint32_t"},
                                   {"uint64", "u64, <u8, uint64_t"},
                                   {"float16", "f16, f2, half, fp16"},
                                   {"bfloat16", "bf16"},
                                   {"float32", "f32, f4, single, fp32"},
                                   {"float64", "f64, f8, double, fp64"}};
  page.table("Element types", rows, left_columns_of(rows));
}

constexpr std::array<topic, 3> topics{
    {{"environment", write_environment}, {"exit-codes", write_exit_codes}, {"dtypes", write_dtypes}}};

}  // namespace

std::vector<help_row> exit_code_rows() {
  const auto row = [](exit_code code, const char* about) {
    return help_row{std::to_string(static_cast<int>(code)) + "  " + std::string(name(code)), about};
  };
  return {{"0", "Done"},
          row(exit_code::other, "Out of memory, and whatever has no code of its own"),
          row(exit_code::usage, "A command line that cannot be meant, or does not fit the file"),
          row(exit_code::input, "Input that cannot be read or is malformed; output that cannot be written"),
          row(exit_code::no_engine, "No such engine on this machine"),
          row(exit_code::device, "An error of the GPU"),
          row(exit_code::does_not_fit, "The result does not fit its type"),
          {"128 + N  interrupted", "Ended by signal N, as 130 by Ctrl-C and 143 by kill"}};
}

std::vector<std::string> help_topics() {
  std::vector<std::string> names;
  for (const topic& each : topics) names.emplace_back(each.name);
  return names;
}

std::optional<std::string> help_on(const std::string& topic) {
  for (const auto& each : topics) {
    if (topic != each.name) continue;
    help_page page = help_page::of_standard_output();
    each.write(page);
    return page.text();
  }
  return std::nullopt;
}

}  // namespace multifold::app
