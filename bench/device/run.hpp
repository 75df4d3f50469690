// Runs one case: fresh elements, checked results, then contenders timed in turn.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "device/cases.hpp"
#include "multifold/cuda/stream.hpp"

namespace bench {

/// The device memory that inputs live in, and the seed that every fill moves on.
struct arena {
  multifold::cuda::device_buffer data;
  multifold::cuda::stream stream;
  std::uint64_t seed = 0;
  // What is in it. Elements of a data set are kept for the next case that asks for the same.
  multifold::dtype type = multifold::dtype::f32;
  data_set set = data_set::integers;
};

/// 16 GiB, or the largest power of two that leaves room for results.
std::int64_t arena_bytes();

struct timing {
  std::string name;
  std::vector<double> seconds;  // of one call; NaN in rounds that a slow contender sat out
  double bytes = 0;             // read (and written, by a copy) in one call
};

/// Odd, so that a median is one of the times.
int rounds_of(const bench_case& c);

class case_run {
 public:
  /// Fills the arena, makes plans and captures graphs. Throws whatever multifold throws, and std::runtime_error if a
  /// result is wrong.
  case_run(const bench_case& c, arena& memory);
  case_run(const case_run&) = delete;
  ~case_run();

  /// Every contender once, in an order that rotates from round to round. Returns the first one's seconds.
  double round();
  const std::vector<timing>& timings() const { return timings_; }

 private:
  struct entrant;

  void prepare(const contender& who);
  void fill_arena();
  void verify();
  void verify_exactly();
  void verify_moments();
  void capture(entrant& e);
  void warm_up();
  void enqueue(entrant& e);
  const std::byte* next_input();

  const bench_case& case_;
  arena& memory_;
  std::int64_t stride_ = 0;  // bytes from one copy of the input to the next
  std::int64_t copies_ = 1;
  std::int64_t next_ = 0;
  std::int64_t rounds_ = 0;
  std::vector<entrant> entrants_;
  std::vector<timing> timings_;
};

}  // namespace bench
