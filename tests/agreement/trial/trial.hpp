// One case of the differential tester: everything that decides a reduction, its data and its way through the library,
// as a value that is one line of text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "multifold/ops.hpp"
#include "multifold/plan.hpp"
#include "multifold/reduce.hpp"
#include "multifold/transfer.hpp"

namespace multifold::agreement {

/// Where the elements are.
enum class origin : std::uint8_t { host, pinned, device, raw, npy, callback, pipe };

/// Which function of the library is called.
enum class entry : std::uint8_t {
  reduce,     // reduce() of arrays or sources
  interpret,  // make_plan() for an H200, and interpret()
  async,      // make_plan(), reduce_async() with a workspace of exactly workspace_bytes()
  counted,    // the same through reduce_counted_async()
  graph,      // the same as a pass_graph, launched twice
  fold,       // an operation of the user's own: the position and bits of every element, mixed
  range,      // the functions of ranges.hpp: sum(x), minmax(x)
  weighted,   // weighted_mean(), whose weights are the second array
  merge,      // reduce_to_state() of parts, merged in some order, and finished
  parts,      // reduce_parts()
  complex,    // reduce_complex(): parts of numbers lie along the last axis, which `axes` does not count
  logsumexp,  // the fold of that name
};

/// What the numbers are like.
enum class family : std::uint8_t {
  ordinary,    // about 1, both signs; small integers
  wide,        // magnitudes of 2^-40 to 2^40
  wild,        // any finite bits
  cancelling,  // wild, and most come with both signs
  zeros,       // zeros of both signs, seldom a small number
  subnormal,
  extremes,  // least and greatest of the dtype, and neighbours of zero
  ties,      // sums that lie on, or just beside, the middle between two results
  constant,
  factors,  // for products: next to 1, so that they stay in range
};

struct numbers {
  family kind = family::ordinary;
  int nan_in = 0;       // one in so many elements is NaN; 0: none
  int infinite_in = 0;  // the same for infinities
  int sign = 0;         // 1, -1: all of one sign; 0: both
  std::uint64_t seed = 1;

  bool operator==(const numbers&) const = default;
};

/// Segments along the only axis of the trial, made by cuts.hpp.
struct cuts {
  bool ranges = false;  // else offsets
  bool narrow = false;  // i32 instead of i64
  std::int64_t count = 0;
  std::uint64_t seed = 1;

  bool operator==(const cuts&) const = default;
};

/// Groups along the only axis of the trial, made by cuts.hpp.
struct groups {
  enum class order : std::uint8_t { ascending, runs, mixed };
  order kind = order::ascending;
  bool narrow = false;  // i32 instead of i64
  std::int64_t count = 0;
  std::uint64_t seed = 1;

  bool operator==(const groups&) const = default;
};

/// Elements that take part, made by marks.hpp.
struct marks {
  enum class layout : std::uint8_t { dense, reversed, gaps, transposed };
  int percent = 50;
  std::uint64_t repeats = 0;  // bit i: they repeat along axis i
  layout lie = layout::dense;
  std::uint64_t seed = 1;

  bool operator==(const marks&) const = default;
};

struct trial {
  op_kind op = op_kind::sum;
  dtype type = dtype::f32;
  std::vector<std::int64_t> extents, strides;
  std::int64_t shift = 0;  // elements from an aligned address to the first of the buffer
  bool at_end = false;     // the buffer ends where its memory ends (host memory)
  std::optional<std::vector<std::int64_t>> axes;
  bool keepdims = false;
  std::optional<std::vector<std::int64_t>> other;  // strides of the second array; without, those of the first
  std::optional<cuts> cut;                         // entry::reduce
  std::optional<groups> keyed;                     // the same
  std::optional<marks> marked;                     // the same
  std::vector<op_kind> beside;                     // what is asked for in the same read; the same
  nan_policy nan = nan_policy::propagate;
  double correction = 0;
  std::optional<double> initial;
  std::optional<dtype> result;
  std::optional<accuracy> wanted;
  plan_options forced;
  entry way = entry::reduce;
  origin where = origin::host;
  int pieces = 1;        // files that are concatenated, or parts that meet again
  bool swapped = false;  // npy: of the other byte order
  bool endless = false;  // pipe: its length shows at its end
  engine_choice engine = engine_choice::host;
  transfer sent = transfer::automatic;
  int threads = 1;
  std::int64_t memory_bytes = 0;
  bool into = false;
  bool state = false;                 // is kept, and has to be that of its parts merged
  std::optional<std::int64_t> count;  // entry::counted: what stands in device memory
  numbers data;
};

/// "op=sum dtype=f32 extents=3,5 strides=5,1 axes=-1 data=wide:7"; members that are as in trial{} are left out.
std::string line_of(const trial& t);
/// Throws std::invalid_argument for a line that is none.
trial parse_trial(const std::string& line);

/// What is peculiar to it, for counts: "keys", "merge", "sources".
std::string class_of(const trial& t);

std::int64_t elements_of(const trial& t);
/// The buffer behind a view: its elements, and the place of the view's first one among them.
struct extent_in_memory {
  std::int64_t elements = 0;
  std::int64_t first = 0;
};
extent_in_memory reach_of(const std::vector<std::int64_t>& extents, const std::vector<std::int64_t>& strides);
/// Whether there is a second array, and its strides.
bool has_two_arrays(const trial& t);
const std::vector<std::int64_t>& second_strides(const trial& t);

bool is_source(origin where);
/// Whether the strides are those of C or Fortran order; extents of 1 may have any.
bool in_c_order(const trial& t);
bool in_fortran_order(const trial& t);

/// What the options of `t` are to reduce(), but for `into`.
reduce_options options_of(const trial& t);
initial_value initial_of(const trial& t);

}  // namespace multifold::agreement
