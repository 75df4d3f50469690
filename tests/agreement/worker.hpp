// One case from its line to a verdict: lays out the arrays, asks the reference and the library, and compares.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "agreement/arena.hpp"
#include "agreement/reference/reference.hpp"
#include "agreement/trial/trial.hpp"

namespace multifold::agreement {

class device_room;

/// What the library made of a trial.
struct outcome {
  enum class kind : std::uint8_t { value, unsupported, shape, overflow, memory, other };
  kind what = kind::value;
  std::string message;  // of the exception
  std::string damage;   // what is wrong beside the bytes: a canary, say
  std::vector<std::int64_t> extents;
  dtype type = dtype::f32;
  std::vector<std::byte> bytes;
  std::vector<outcome> beside;  // of trial::beside
};

/// The arrays of a trial as they lie in host memory.
struct laid_out {
  std::byte* x = nullptr;  // first elements of the views
  std::byte* y = nullptr;
  std::byte* buffer_x = nullptr;  // first bytes of what is behind them
  std::byte* buffer_y = nullptr;
  std::int64_t bytes = 0;  // of the first buffer, and of the second one where strides are not its own
};

struct verdict {
  bool refused = false;
  std::string difference;  // empty if all is as it should be
};

/// Not for several threads at once.
class worker {
 public:
  /// Arrays of up to `most_bytes`; files go to `folder`, which has to be there.
  worker(std::int64_t most_bytes, const std::filesystem::path& folder);
  ~worker();

  /// Tests change the outcome, to see whether it is found out.
  verdict judge(const trial& t, const std::function<void(outcome&)>& meddle = {});

 private:
  laid_out lay_out(const trial& t);
  outcome run(const trial& t, const laid_out& arrays);

  std::int64_t most_bytes_;
  std::filesystem::path folder_;
  guarded_memory x_, y_;
  result_memory results_;
  std::unique_ptr<device_room> device_;
};

/// Runs a trial whose arrays are in host memory, or in files that are written for it.
outcome run_reduce(const trial& t, const laid_out& arrays, result_memory& results, const std::filesystem::path& folder);
outcome run_interpreted(const trial& t, const laid_out& arrays);
outcome run_range(const trial& t, const laid_out& arrays);
outcome run_merged(const trial& t, const laid_out& arrays);
outcome run_parts(const trial& t, const laid_out& arrays);
outcome run_complex(const trial& t, const laid_out& arrays);
outcome run_weighted(const trial& t, const laid_out& arrays);
outcome run_logsumexp(const trial& t, const laid_out& arrays, const std::filesystem::path& folder);
outcome run_fold(const trial& t, const laid_out& arrays, const std::filesystem::path& folder);

/// What is wrong with `got`; empty if nothing is. `wanted` is what comes of trial::op, and then of trial::beside.
std::string difference_of(const trial& t, const std::vector<expectation>& wanted, const outcome& got);

}  // namespace multifold::agreement
