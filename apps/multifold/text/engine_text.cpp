// Words for decisions and rates.
#include "text/engine_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "text/size_text.hpp"

namespace multifold::app {

engine_decision engine_for(const plan& p, std::int64_t elements, const std::vector<std::string>& files,
                           const engine_arguments& how) {
  reduce_options options;
  options.engine = *parse_engine(how.engine);
  options.threads = how.threads.value_or(0);
  const std::int64_t item = item_bytes(p.what.input) * (takes_two_arrays(p.what.op) ? 2 : 1);
  const bool pipe = std::find(files.begin(), files.end(), "-") != files.end();
  return decide_engine({p.what, p.form, nullptr, elements < 0 ? -1 : elements * item, !pipe}, options);
}

std::string engine_line(const engine_decision& decision) {
  return fmt::format("engine {}: {}\n", name(decision.engine), decision.reason);
}

std::string share_line(const reduce_result& result) {
  if (result.engine != "both") return "";
  return fmt::format("the GPU reduced {} of {}\n", size_text(result.device_bytes), size_text(result.bytes));
}

std::string memory_line(const reduce_result& result) {
  const transfer_memory& m = result.memory;
  if (m.slots == 0) return "";
  return fmt::format("{} slots of {}, {} pinned and {} on the GPU\n", m.slots, size_text(m.chunk_bytes),
                     size_text(m.pinned_bytes), size_text(m.device_bytes));
}

std::string rates_text(const machine_rates& rates) {
  const auto by_threads = [&](double one, double all) {
    return rates.threads == 1
               ? rate_text(one)
               : fmt::format("{} with one thread, {} with {}", rate_text(one), rate_text(all), rates.threads);
  };
  std::string text = fmt::format("  {:<8} {}\n", "host", by_threads(rates.host_one, rates.host_all));
  if (rates.link <= 0) return text;
  text += fmt::format("  {:<8} {} from pinned memory to the GPU\n", "link", rate_text(rates.link));
  return text + fmt::format("  {:<8} {}, from other memory to pinned; {} to make it pinned\n", "staging",
                            by_threads(rates.staged_one, rates.staged_all), rate_text(rates.pinning));
}

}  // namespace multifold::app
