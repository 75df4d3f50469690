// surface_bench: random reductions, each beside a plain read of the same bytes. A line a case.
#include <algorithm>
#include <charconv>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "surface_engine.hpp"

namespace {

using namespace bench::surface;

constexpr const char* help =
    R"(usage: surface_bench [OPTION...]

Draws random reductions, times them beside a plain read of the same bytes and a write of the results, and looks at some
of the results. A line for each, its fields separated by tabs. Exit code 1 if a result is wrong, 4 without the engine.

  --engine E      host or device (default: device)
  --seed S        which cases; without it a fresh one
  --cases N       how many (default: 100)
  --first N       number of the first one
  --case TEXT     this one alone, as it was printed; may be given several times
  --least BYTES   of the least array, and of the greatest
  --most BYTES      (default: 256 MiB to 4 GiB, on the CPU 64 to 512 MiB)
  --threads N     of the CPU (default: all)
)";

struct arguments {
  std::string engine = "device";
  std::vector<std::string> texts;
  std::optional<std::uint64_t> seed;
  std::int64_t cases = 100, first = 0, threads = 0;
  sizes bytes;
};

// All of `text`: 8M is refused, not 8.
template <class Number>
Number number_in(const std::string& option, const std::string& text) {
  Number value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc() || end != text.data() + text.size() || value < Number{0})
    throw std::invalid_argument(option + " " + text + ": expected a whole number");
  return value;
}

arguments parsed(int count, char** words) {
  arguments a;
  for (int i = 1; i < count; ++i) {
    const std::string option = words[i];
    if (option == "--help") {
      std::fputs(help, stdout);
      std::exit(0);
    }
    if (i + 1 == count) throw std::invalid_argument("no such option, or without its value: " + option);
    const std::string value = words[++i];
    if (option == "--engine" && (value == "host" || value == "device")) a.engine = value;
    else if (option == "--case") a.texts.push_back(value);
    else if (option == "--seed") a.seed = number_in<std::uint64_t>(option, value);
    else if (option == "--cases") a.cases = number_in<std::int64_t>(option, value);
    else if (option == "--first") a.first = number_in<std::int64_t>(option, value);
    else if (option == "--least") a.bytes.least = number_in<std::int64_t>(option, value);
    else if (option == "--most") a.bytes.most = number_in<std::int64_t>(option, value);
    else if (option == "--threads") a.threads = number_in<std::int64_t>(option, value);
    else throw std::invalid_argument("no such option or value: " + option + " " + value);
  }
  return a;
}

bool run_one(surface_engine& engine, const surface_case& c, std::uint64_t seed) {
  const figure f = engine.run(c, seed);
  const std::string verdict = !f.refused.empty() ? "refused: " + f.refused
                              : !f.wrong.empty() ? "wrong: " + f.wrong
                                                 : "right";
  std::printf("%s\t%" PRId64 "\t%.9g\t%.9g\t%s\n", text_of(c).c_str(), c.bytes(), f.seconds, f.roof_seconds,
              verdict.c_str());
  std::fflush(stdout);
  return f.wrong.empty();
}

int run(const arguments& a) {
  const std::unique_ptr<surface_engine> engine =
      a.engine == "host" ? host_engine(static_cast<int>(a.threads)) : device_engine();
  if (!engine) {
    std::fprintf(stderr, "surface_bench: there is no GPU, or this build has none\n");
    return 4;
  }
  sizes bytes = engine->usual_sizes();
  if (a.bytes.least > 0) bytes.least = a.bytes.least;
  if (a.bytes.most > 0) bytes.most = a.bytes.most;
  bytes.least = std::min(bytes.least, bytes.most);
  const std::uint64_t seed = a.seed ? *a.seed : std::random_device()();
  std::printf("# %s, seed %" PRIu64 ", %" PRId64 " to %" PRId64
              " bytes\n# case\tbytes\tseconds\tof a plain read\tverdict\n",
              engine->name().c_str(), seed, bytes.least, bytes.most);
  bool right = true;
  for (const std::string& text : a.texts) right = run_one(*engine, parse(text), seed) && right;
  if (!a.texts.empty()) return right ? 0 : 1;
  for (std::int64_t number = a.first; number < a.first + a.cases; ++number) {
    right = run_one(*engine, draw(seed, number, bytes), seed + static_cast<std::uint64_t>(number)) && right;
  }
  return right ? 0 : 1;
}

}  // namespace

int main(int count, char** words) {
  try {
    return run(parsed(count, words));
  } catch (const std::exception& e) {
    std::fprintf(stderr, "surface_bench: %s\n", e.what());
    return 2;
  }
}
