// The file that -o names: .npy, .npz, text or JSON, as its name says.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "common/terminal/interrupt.hpp"
#include "multifold/dtype.hpp"
#include "multifold/ops.hpp"
#include "multifold/reduce.hpp"
#include "text/json_text.hpp"
#include "text/values/array_text.hpp"

namespace multifold::app {

/// How names of files end that take the results of `ops`, for help and messages: a .npy holds one array, and a
/// description is none.
std::string_view output_endings(std::span<const op_kind> ops);

/// Judges the name, before anything is open. "-", pipes and devices take .npy. Throws usage: for a name that ends with
/// none of output_endings, and for .npy to a terminal.
void check_output_name(const std::string& path, std::span<const op_kind> ops);

/// Whether values are written to `path` as text, in which --hex has a meaning.
bool is_text_file(const std::string& path);

/// Judges the target of a result of `type`, which .npy need not have, and which may be the only one there is.
void check_output(const std::string& path, dtype type, bool only_type = false);

/// Writes the results to `path` as a whole, or leaves what is there as it is. Pipes and devices are written to
/// directly. Of several operations they are members of an .npz that are named after these, texts under their names, or
/// an array of JSON objects. `files` are what JSON says of where the results came from. Throws failure, with the path.
void write_results(const std::string& path, std::span<const reduce_result> results, notation how,
                   const result_files& files, interrupt_watch& watch);

}  // namespace multifold::app
