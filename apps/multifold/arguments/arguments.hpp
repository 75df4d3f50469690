// What the user typed, grouped as commands share it; its meaning is in request.hpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "multifold/ops.hpp"

// <CLI/CLI.hpp> takes three seconds to compile, and few sources need it.
namespace CLI {
class App;
}

namespace multifold::app {

/// How a file without a header is read.
struct raw_arguments {
  std::optional<std::string> dtype;
  std::optional<std::string> shape;
  std::optional<std::string> offset;
};

/// What is computed.
struct reduction_arguments {
  std::vector<std::string> axes;
  bool keepdims = false;
  std::optional<std::string> result_dtype;
  std::optional<std::string> accuracy;
  std::string nan = "propagate";
  std::optional<std::string> initial;
  std::optional<std::string> correction;
};

/// The states that take part, and the ones that are left: in the end, and on the way.
struct state_arguments {
  std::vector<std::string> merge;
  std::optional<std::string> save;
  std::optional<std::int64_t> first_index;
  std::optional<std::string> checkpoint;
  std::optional<double> checkpoint_seconds;
  bool used() const { return !merge.empty() || save.has_value(); }
};

/// Files of the places where segments begin and end, or of keys.
struct segment_arguments {
  std::optional<std::string> offsets;
  std::optional<std::string> begins, ends;
  std::optional<std::string> keys;
  std::optional<std::int64_t> groups;
  bool used() const { return offsets || begins || ends || keys || groups; }
  std::vector<std::string> files() const {
    std::vector<std::string> all;
    for (const auto& file : {offsets, begins, ends, keys}) {
      if (file) all.push_back(*file);
    }
    return all;
  }
};

/// Where and how it is computed.
struct engine_arguments {
  std::string engine = "auto";
  std::optional<std::string> devices;  // that share the work: --devices
  std::optional<int> threads;
  std::optional<std::string> memory;
  std::string transfer = "auto";
  std::optional<int> passes;
  std::optional<std::string> finish;
  std::optional<std::int64_t> parts;
  std::optional<int> block_size;
  std::optional<std::string> form;
};

/// --devices, which reductions alone have.
void add_devices_option(CLI::App& command, engine_arguments& to);

/// What groups of options, and of commands, are called in help; those of rare_groups() are shown by --help-all only, and
/// of their commands otherwise the names.
inline constexpr const char* group_of_reduction = "What is computed";
inline constexpr const char* group_of_raw = "Raw elements, without a .npy header";
inline constexpr const char* group_of_output = "What is printed or written";
inline constexpr const char* group_of_engines = "Where it runs";
inline constexpr const char* group_of_files = "Several FILEs";
inline constexpr const char* group_of_details = "Details";
inline constexpr const char* group_of_segments =
    "Segments and groups: one result each, along --axis of arrays of several";
inline constexpr const char* group_of_states =
    "States: what the results are made of, exactly, for other runs and machines to add to";
inline constexpr const char* group_of_host_folds = "More operations, on the CPU";
inline constexpr const char* group_of_forced_plans = "A forced plan: the same answer another way, or a refusal";
std::vector<std::string> rare_groups();

void add_raw_options(CLI::App& command, raw_arguments& to);
/// Of one operation, or of any. Options that `op` refuses are known, too, so that it can be said why; no help shows
/// them.
void add_reduction_options(CLI::App& command, std::optional<op_kind> op, reduction_arguments& to);
void add_engine_options(CLI::App& command, engine_arguments& to);
/// Those of them that force a plan.
void add_forced_options(CLI::App& command, engine_arguments& to);

}  // namespace multifold::app
