// multifold-agreement: random reductions by the library and by a slow reference, compared by bits.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "agreement/crew.hpp"
#include "agreement/device/room.hpp"
#include "agreement/worker.hpp"

namespace {

namespace agreement = multifold::agreement;

constexpr const char* help =
    R"(usage: multifold-agreement [OPTION...]

Reduces random arrays by the library and by a slow reference, and compares bytes: arrays of any strides and sources, their
segments and groups, with marks, several operations in one read, states of parts, weighted means, functions of ranges and
folds. Exit code 1 on a difference, which is printed as one line that --case takes.

  --seed S        which cases; without it the clock's
  --cases N       how many
  --seconds N     for how long; without both for 10 s
  --engine E      host, device, both (those that two engines share), or all that there are (default)
  --threads N     workers; by default one a core
  --bytes N       greatest array (default 8 MiB, with a GPU 64 MiB)
  --first N       number of the first case of the seed
  --only CLASS    cases of one class alone, as the last line of a run names them: keys, merge, "strides of two"
  --case LINE     this case alone
  --show          print every case before it is run
  --json FILE     write a record
)";

struct arguments {
  agreement::tour tour;
  std::string line, json, engine = "all";
  bool seed_given = false;
};

std::int64_t number(const std::string& option, const std::string& text) {
  std::size_t used = 0;
  std::int64_t value = -1;
  try {
    value = std::stoll(text, &used);
  } catch (const std::exception&) {
  }
  if (used != text.size() || value < 0) throw std::invalid_argument(option + " takes a number, not '" + text + "'");
  return value;
}

arguments parse(int count, char** words) {
  arguments a;
  for (int i = 1; i < count; ++i) {
    const std::string option = words[i];
    if (option == "--help" || option == "-h") {
      std::cout << help;
      std::exit(0);
    }
    if (option == "--show") {
      a.tour.show = true;
      continue;
    }
    if (i + 1 == count) throw std::invalid_argument("no such option, or without its value: " + option);
    const std::string value = words[++i];
    if (option == "--seed") a.tour.seed = static_cast<std::uint64_t>(number(option, value)), a.seed_given = true;
    else if (option == "--cases") a.tour.cases = number(option, value);
    else if (option == "--seconds") a.tour.seconds = static_cast<double>(number(option, value));
    else if (option == "--first") a.tour.first = number(option, value);
    else if (option == "--threads") a.tour.workers = static_cast<int>(number(option, value));
    else if (option == "--bytes") a.tour.most.most_bytes = number(option, value);
    else if (option == "--engine") a.engine = value;
    else if (option == "--case") a.line = value;
    else if (option == "--only") a.tour.only = value;
    else if (option == "--json") a.json = value;
    else throw std::invalid_argument("no such option: " + option);
  }
  return a;
}

void choose_engines(arguments& a) {
  std::string reason;
  const bool device = agreement::has_device(reason);
  auto& most = a.tour.most;
  if (a.engine != "all" && a.engine != "host" && !device) throw std::invalid_argument("there is no GPU: " + reason);
  most.host = a.engine == "host" || a.engine == "all";
  most.device = device && (a.engine == "device" || a.engine == "all");
  most.both = device && (a.engine == "both" || a.engine == "all");
  if (!most.host && !most.device && !most.both) throw std::invalid_argument("no such engine: " + a.engine);
  if (most.most_bytes == 0) most.most_bytes = device ? 64 << 20 : 8 << 20;
}

std::uint64_t seed_of_clock() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::microseconds>(now).count()) % 1'000'000'000;
}

std::string classes_text(const agreement::record& r, const char* before, const char* between) {
  std::string text;
  for (const auto& [name, cases] : r.classes)
    text += (text.empty() ? "" : ", ") + (before + name) + between + std::to_string(cases);
  return text;
}

void write_record(const std::string& path, const agreement::tour& tour, const agreement::record& r) {
  std::ofstream out(path);
  out << "{\"seed\": " << tour.seed << ", \"cases\": " << r.cases << ", \"refusals\": " << r.refusals
      << ", \"differences\": " << r.differences << ", \"seconds\": " << static_cast<int>(r.seconds)
      << ", \"classes\": {" << classes_text(r, "\"", "\": ") << "}, \"device\": \"" << agreement::device_name()
      << "\"}\n";
  if (!out.flush()) throw std::runtime_error("could not write " + path);
}

int run(arguments& a) {
  choose_engines(a);
  if (!a.line.empty()) return agreement::run_case(a.line, a.tour) ? 0 : 1;
  if (!a.seed_given) a.tour.seed = seed_of_clock();
  if (a.tour.cases == 0 && a.tour.seconds == 0) a.tour.seconds = 10;
  std::cout << "seed " << a.tour.seed << std::endl;
  const agreement::record r = agreement::run_tour(a.tour);
  if (r.cases == 0 && !a.tour.only.empty()) throw std::invalid_argument("no case was of class " + a.tour.only);
  std::printf("seed %llu: %lld cases, %lld refused, %lld differences, %.0f cases/s%s%s\n",
              static_cast<unsigned long long>(a.tour.seed), static_cast<long long>(r.cases),
              static_cast<long long>(r.refusals), static_cast<long long>(r.differences),
              static_cast<double>(r.cases) / std::max(r.seconds, 1e-3), a.tour.most.device ? ", " : "",
              a.tour.most.device ? agreement::device_name().c_str() : "");
  std::printf("%s\n", classes_text(r, "", " ").c_str());
  if (!a.json.empty()) write_record(a.json, a.tour, r);
  return r.differences == 0 ? 0 : 1;
}

}  // namespace

int main(int count, char** words) {
  try {
    arguments a = parse(count, words);
    return run(a);
  } catch (const std::exception& problem) {
    std::cerr << "multifold-agreement: " << problem.what() << '\n';
    return 2;
  }
}
