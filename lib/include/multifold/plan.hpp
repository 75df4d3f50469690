// How a reduction is computed: a plain value that can be printed, tested, interpreted and captured. No engine is seen.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "multifold/array.hpp"
#include "multifold/dtype.hpp"
#include "multifold/export.hpp"
#include "multifold/ops.hpp"
#include "multifold/plan/policy.hpp"
#include "multifold/reduction.hpp"

namespace multifold::inline v0_1 {

enum class engine_kind : std::uint8_t { host, device };

/// What a plan needs to know of the machine. The defaults describe one CPU core.
struct engine_traits {
  engine_kind engine = engine_kind::host;
  std::string name = "host";
  int units = 1;                      // CPU threads, or SMs
  int blocks_per_unit = 1;            // the occupancy, with `threads` threads each
  int threads = 1;                    // a block, unless the caller forces another size
  std::int64_t part_bytes = 1 << 20;  // a part shorter than this is not worth a block of its own
  std::int64_t max_blocks = INT64_C(1) << 31;
  std::int64_t block_shared_bytes = 0;  // shared memory: of a block at most, and of all blocks of an SM
  std::int64_t unit_shared_bytes = 0;
  int unit_threads = 0, unit_blocks = 0;  // that an SM holds at most
  double memory_rate = 0;                 // of the memory of a GPU, in bytes a second; 0 if it does not tell

  bool operator==(const engine_traits&) const = default;
};

/// An NVIDIA H200, for plans that are drawn on machines without one.
MULTIFOLD_EXPORT engine_traits h200_traits();

/// What the caller forces; everything else is chosen.
struct plan_options {
  std::optional<int> passes = {};
  std::optional<finish> how = {};
  std::optional<std::int64_t> parts = {};  // a batch, in the first pass
  std::optional<int> threads = {};         // a block; a multiple of 32 up to 512
  std::optional<block_form> form = {};
  bool whole_batches = false;  // a first pass sees all elements of a batch, with their indices
};

struct MULTIFOLD_EXPORT plan {
  reduction what;
  engine_traits engine;
  batches form;
  std::vector<pass> passes;
  std::optional<pass> again;           // over the batches that the others lost, or could not be certain of
  std::int64_t accumulator_bytes = 0;  // of a partial result; plans of the CPU engine know it from plan_for and reduce
  // Of a result, where results wait in the workspace until a last kernel puts them in their places; 0 where passes
  // write them there. Without meaning where results are merged into accumulators. It may be set to
  // 0 where memory is short.
  std::int64_t waiting_bytes = 0;

  /// Accumulators that pass `index` writes to the workspace: 0 for the last, unless its parts meet there.
  std::int64_t partials(std::size_t index) const noexcept;
  /// Device memory beside input and result: partial results, counters, results that wait and the status word
  /// (recipe.hpp).
  std::int64_t workspace_bytes() const;

  bool operator==(const plan&) const = default;
};

/// Chooses passes for `what` over `form` on `engine`. Pure: the same arguments give the same plan.
/// Throws: unsupported_error if `options` forces something that cannot be, saying why and what can;
///         shape_error if a reduction without identity meets empty batches and no initial value.
MULTIFOLD_EXPORT plan make_plan(const reduction& what, const batches& form, const plan_options& options,
                                const engine_traits& engine);

/// `p` for the first `length` elements of its only row, with the same kernels on the same grid: parts may be left
/// without elements.
/// Throws: shape_error for more elements than `p` has, or for none where that has no value; unsupported_error for a
///         plan of several results, of elements that are no neighbours, or of a view whose order is not memory's (one
///         that is reversed or transposed), where others would be the first.
MULTIFOLD_EXPORT plan resized(const plan& p, std::int64_t length);

/// The passes as a table for people.
MULTIFOLD_EXPORT std::string explain(const plan& p);

/// Runs `p` pass by pass, one element at a time, on the CPU: the meaning of a plan, against which engines are tested.
/// Shapes: `data` is the host array that form was made from (or two of them, for operations that take two); `results`
///         holds form.results() * result_bytes(what).
/// Throws: overflow_error if a result does not fit, shape_error if a result does not exist.
MULTIFOLD_EXPORT void interpret(const plan& p, const operands& data, void* results);

/// Throws the error that belongs to a failed store: overflow_error or shape_error. `result` says which result it was,
/// counted in the order of the results in memory; -1 if that is not known.
MULTIFOLD_EXPORT void check_status(status s, const reduction& what, std::int64_t result = -1);

}  // namespace multifold::inline v0_1
