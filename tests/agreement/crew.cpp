// Workers take case after case from one counter. A case that ends the program, or hangs, leaves its line behind.
#include "agreement/crew.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "agreement/trial/shrink.hpp"
#include "agreement/worker.hpp"

namespace multifold::agreement {
namespace {

using steady = std::chrono::steady_clock;

constexpr std::int64_t most_differences = 10;
constexpr double shrinking_seconds = 20;
constexpr auto longest_case = std::chrono::minutes(3);

double seconds_since(steady::time_point start) { return std::chrono::duration<double>(steady::now() - start).count(); }

// A folder that goes with the run.
class scratch_folder {
 public:
  scratch_folder() {
    std::string name = (std::filesystem::temp_directory_path() / "multifold-agreement-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("could not make a folder in " + name);
    path_ = name;
  }
  scratch_folder(const scratch_folder&) = delete;
  scratch_folder& operator=(const scratch_folder&) = delete;
  ~scratch_folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  std::filesystem::path part(int number) const {
    const std::filesystem::path folder = path_ / std::to_string(number);
    std::filesystem::create_directory(folder);
    return folder;
  }

 private:
  std::filesystem::path path_;
};

// What a worker is at, for the last words of a program that dies.
struct desk {
  std::array<char, 2048> line{};
  std::atomic<std::int64_t> since_ns{0};  // 0: idle

  void begin(const trial& t) {
    const std::string text = line_of(t);
    std::snprintf(line.data(), line.size(), "%s", text.c_str());
    since_ns = steady::now().time_since_epoch().count();
  }
  void end() { since_ns = 0; }
};
std::array<desk, 256> desks;
thread_local desk* current = nullptr;

void say(const char* text) { [[maybe_unused]] const auto written = write(STDOUT_FILENO, text, std::strlen(text)); }

void say_last_words(int signal) {
  for (desk& d : desks) {
    if (d.since_ns == 0 || (current != nullptr && current != &d)) continue;
    say("DIED AT: ");
    say(d.line.data());
    say("\n");
  }
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

void watch_for_death() {
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) std::signal(signal, say_last_words);
}

class runner {
 public:
  explicit runner(const tour& how) : how_(how), next_(how.first) {
    workers_ = how.workers > 0 ? how.workers : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
    workers_ = std::min<int>(workers_, desks.size());
  }

  record run() {
    watch_for_death();
    std::vector<std::thread> crew;
    for (int i = 0; i < workers_; ++i) crew.emplace_back([this, i] { work(i); });
    std::jthread watch([this](const std::stop_token& stop) { look_for_hangs(stop); });
    for (std::thread& each : crew) each.join();
    record_.seconds = seconds_since(start_);
    return record_;
  }

 private:
  bool has_time() const { return how_.seconds == 0 || seconds_since(start_) < how_.seconds; }

  void work(int number) {
    current = &desks[static_cast<std::size_t>(number)];
    worker w(how_.most.most_bytes, scratch_.part(number));
    record mine;
    while (has_time() && found_ < most_differences) {
      const std::int64_t index = next_++;
      if (how_.cases > 0 && index >= how_.first + how_.cases) break;
      const trial t = make_trial(how_.seed, static_cast<std::uint64_t>(index), how_.most);
      if (!how_.only.empty() && class_of(t) != how_.only) continue;
      const verdict v = judge(w, t);
      ++mine.cases;
      ++mine.classes[class_of(t)];
      mine.refusals += v.refused;
      if (v.difference.empty()) continue;
      ++mine.differences;
      ++found_;
      report(w, t, index);
    }
    const std::scoped_lock lock(mutex_);
    record_.cases += mine.cases;
    record_.refusals += mine.refusals;
    record_.differences += mine.differences;
    for (const auto& [name, cases] : mine.classes) record_.classes[name] += cases;
  }

  verdict judge(worker& w, const trial& t) {
    current->begin(t);
    if (how_.show) {
      const std::scoped_lock lock(mutex_);
      std::cout << line_of(t) << std::endl;
    }
    verdict v = w.judge(t);
    current->end();
    return v;
  }

  void report(worker& w, const trial& t, std::int64_t index) {
    const auto fails = [&](const trial& s) {
      try {
        return !judge(w, s).difference.empty();
      } catch (const std::exception&) {
        return false;  // a case that cannot be
      }
    };
    const trial least = shrunk(t, fails, shrinking_seconds);
    std::string what = judge(w, least).difference;
    if (what.empty()) what = "(not always)";
    const std::scoped_lock lock(mutex_);
    std::cout << "DIFFERENCE " << line_of(least) << "  # " << what << "; seed " << how_.seed << ", case " << index
              << std::endl;
  }

  void look_for_hangs(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
      const std::int64_t now = steady::now().time_since_epoch().count();
      for (desk& d : desks) {
        const std::int64_t since = d.since_ns;
        if (since == 0 || std::chrono::nanoseconds(now - since) < longest_case) continue;
        std::cout << "HANGS AT: " << d.line.data() << std::endl;
        std::_Exit(1);
      }
    }
  }

  const tour& how_;
  int workers_;
  scratch_folder scratch_;
  steady::time_point start_ = steady::now();
  std::atomic<std::int64_t> next_, found_ = 0;
  std::mutex mutex_;
  record record_;
};

}  // namespace

record run_tour(const tour& how) { return runner(how).run(); }

bool run_case(const std::string& line, const tour& how) {
  const trial t = parse_trial(line);
  const scratch_folder scratch;
  current = desks.data();
  watch_for_death();
  const std::int64_t elements =
      std::max(reach_of(t.extents, t.strides).elements, reach_of(t.extents, second_strides(t)).elements);
  const std::int64_t wanted = elements * item_bytes(t.type);
  worker w(std::max(how.most.most_bytes, wanted), scratch.part(0));
  current->begin(t);
  const verdict v = w.judge(t);
  current->end();
  std::cout << (v.difference.empty() ? v.refused ? "refused, as it should be" : "agrees" : "DIFFERENCE " + v.difference)
            << std::endl;
  return v.difference.empty();
}

}  // namespace multifold::agreement
