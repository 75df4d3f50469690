// How many threads, and what the processor is called.
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>

#include "host/engine.hpp"

namespace multifold::inline v0_1::host {
namespace {

int threads_by_affinity() {
  cpu_set_t usual;
  if (sched_getaffinity(0, sizeof usual, &usual) == 0) return std::max(1, CPU_COUNT(&usual));
  // The set grows until the kernel's mask fits; 2^20 processors are enough for anyone.
  for (int processors = 4 * CPU_SETSIZE; processors <= 1 << 20; processors *= 4) {
    cpu_set_t* const set = CPU_ALLOC(static_cast<std::size_t>(processors));
    if (set == nullptr) break;
    const std::size_t bytes = CPU_ALLOC_SIZE(static_cast<std::size_t>(processors));
    const bool known = sched_getaffinity(0, bytes, set) == 0;
    const int count = known ? CPU_COUNT_S(bytes, set) : 0;
    CPU_FREE(set);
    if (count > 0) return count;
  }
  return static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
}

// Whole processors in a quota of `quota` per `period`, rounded up; 0 if there is no quota.
int quota_threads(double quota, double period) {
  if (quota <= 0 || period <= 0) return 0;
  return std::max(1, static_cast<int>(std::min(quota / period + 0.999, 1e6)));
}

int smaller_quota(int a, int b) { return a == 0 ? b : b == 0 ? a : std::min(a, b); }

int quota_v2(const std::string& folder) {
  std::ifstream file(folder + "/cpu.max");
  std::string quota;
  double period = 0;
  if (!(file >> quota >> period) || quota == "max") return 0;
  return quota_threads(std::atof(quota.c_str()), period);
}

int quota_v1(const std::string& folder) {
  double quota = 0, period = 0;
  std::ifstream(folder + "/cpu.cfs_quota_us") >> quota;
  std::ifstream(folder + "/cpu.cfs_period_us") >> period;
  return quota_threads(quota, period);
}

// The least quota of the cgroup and of all its ancestors. In a container the root is often the container's own.
int threads_by_cgroup() {
  int least = 0;
  std::ifstream groups("/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    std::istringstream fields(line);
    std::string id, controllers, path;
    if (!std::getline(fields, id, ':') || !std::getline(fields, controllers, ':') || !std::getline(fields, path)) {
      continue;
    }
    const bool v2 = controllers.empty();
    if (!v2 && ("," + controllers + ",").find(",cpu,") == std::string::npos) continue;
    while (true) {
      if (path == "/") path.clear();
      const std::string folder = (v2 ? "/sys/fs/cgroup" : "/sys/fs/cgroup/cpu") + path;
      least = smaller_quota(least, v2 ? quota_v2(folder) : quota_v1(folder));
      if (path.empty()) break;
      path.resize(path.rfind('/') == std::string::npos ? 0 : path.rfind('/'));
    }
  }
  return least;
}

// The quota, which takes longer to read than a thousand numbers to add up: looked at once a second.
int recent_quota() {
  using clock = std::chrono::steady_clock;
  constexpr clock::rep never = -1;
  static std::atomic<clock::rep> seen_at{never};
  static std::atomic<int> seen{0};
  const clock::rep now = clock::now().time_since_epoch().count(), before = seen_at.load(std::memory_order_acquire);
  if (before != never && clock::duration(now - before) < std::chrono::seconds(1)) return seen;
  seen = threads_by_cgroup();
  seen_at.store(now, std::memory_order_release);
  return seen;
}

std::string cpu_model() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (line.rfind("model name", 0) != 0) continue;
    const std::size_t colon = line.find(':');
    if (colon != std::string::npos && colon + 2 < line.size()) return line.substr(colon + 2);
  }
  return "CPU";
}

}  // namespace

int usable_threads() {
  const int quota = recent_quota();
  const int affinity = threads_by_affinity();
  return quota == 0 ? affinity : std::min(quota, affinity);
}

engine_traits traits(int threads) {
  static const std::string model = cpu_model();
  engine_traits t;
  t.engine = engine_kind::host;
  t.name = model;
  t.units = threads > 0 ? threads : usable_threads();
  t.part_bytes = 64 << 20;  // the engine cuts parts into ranges itself; each part only costs partial results
  return t;
}

}  // namespace multifold::inline v0_1::host
