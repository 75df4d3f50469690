// A first line that says what it is, then one line a field, in one order.
#include "reduce/rates/file.hpp"

#include <unistd.h>

#include <array>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

namespace multifold::inline v0_1::detail {
namespace {

constexpr std::string_view title = "multifold rates 1";
constexpr std::size_t most_bytes = 4096;
constexpr double most = 1e15;  // bytes a second that can be meant
constexpr int most_threads = 1 << 20;

struct field {
  std::string_view name;
  double machine_rates::*rate;
};

constexpr std::array<field, 6> fields{{{"host_one", &machine_rates::host_one},
                                       {"host_all", &machine_rates::host_all},
                                       {"staged_one", &machine_rates::staged_one},
                                       {"staged_all", &machine_rates::staged_all},
                                       {"link", &machine_rates::link},
                                       {"pinning", &machine_rates::pinning}}};

// The value of the next line, which has to be `key`'s.
std::optional<std::string_view> take(std::string_view& text, std::string_view key) {
  const std::size_t end = text.find('\n');
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view line = text.substr(0, end);
  if (line.size() <= key.size() || line.substr(0, key.size()) != key || line[key.size()] != ' ') return std::nullopt;
  text.remove_prefix(end + 1);
  return line.substr(key.size() + 1);
}

template <class Number>
std::optional<Number> number(const std::optional<std::string_view>& text, Number least, Number greatest) {
  if (!text) return std::nullopt;
  Number value{};
  const auto [end, problem] = std::from_chars(text->data(), text->data() + text->size(), value);
  if (problem != std::errc() || end != text->data() + text->size()) return std::nullopt;
  if (!(value >= least && value <= greatest)) return std::nullopt;
  return value;
}

std::string one_line(std::string text) {
  for (char& c : text) c = c == '\n' ? ' ' : c;
  return text;
}

}  // namespace

std::string to_text(const rates_record& record) {
  std::string text(title);
  text += "\nversion " + one_line(record.version) + "\nprocessor " + one_line(record.processor) + "\ngpu " +
          one_line(record.gpu) + "\nthreads " + std::to_string(record.rates.threads) + "\n";
  for (const field& each : fields) {
    char digits[64];
    const auto end = std::to_chars(digits, digits + sizeof digits, record.rates.*each.rate).ptr;
    text += std::string(each.name) + " " + std::string(digits, end) + "\n";
  }
  return text;
}

std::optional<rates_record> parse_rates(std::string_view text) {
  const std::size_t end = text.find('\n');
  if (end == std::string_view::npos || text.substr(0, end) != title) return std::nullopt;
  text.remove_prefix(end + 1);
  rates_record record;
  for (const auto& [key, to] :
       {std::pair{"version", &record.version}, {"processor", &record.processor}, {"gpu", &record.gpu}}) {
    const std::optional<std::string_view> value = take(text, key);
    if (!value) return std::nullopt;
    *to = *value;
  }
  const std::optional<int> threads = number(take(text, "threads"), 1, most_threads);
  if (!threads) return std::nullopt;
  record.rates.threads = *threads;
  for (const field& each : fields) {
    const std::optional<double> rate = number(take(text, each.name), 0.0, most);
    if (!rate) return std::nullopt;
    record.rates.*each.rate = *rate;
  }
  if (!text.empty()) return std::nullopt;
  return record;
}

std::string rates_path() {
  const auto variable = [](const char* name) {
    const char* const value = std::getenv(name);
    return std::string(value == nullptr ? "" : value);
  };
  if (const std::string named = variable("MULTIFOLD_RATES"); !named.empty()) return named;
  // Relative names are to be ignored, says the XDG Base Directory Specification.
  if (const std::string cache = variable("XDG_CACHE_HOME"); cache.starts_with("/")) return cache + "/multifold/rates";
  if (const std::string home = variable("HOME"); home.starts_with("/")) return home + "/.cache/multifold/rates";
  return "";
}

std::optional<rates_record> load_rates(const std::string& path) {
  std::error_code ignored;
  if (path.empty() || !std::filesystem::is_regular_file(path, ignored)) return std::nullopt;
  std::ifstream file(path, std::ios::binary);
  std::string text(most_bytes, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  return parse_rates(text);
}

bool save_rates(const std::string& path, const rates_record& record) noexcept try {
  if (path.empty()) return false;
  std::error_code problem;
  const std::filesystem::path whole(path), unfinished(path + "." + std::to_string(::getpid()));
  if (whole.has_parent_path()) std::filesystem::create_directories(whole.parent_path(), problem);
  std::ofstream file(unfinished, std::ios::binary | std::ios::trunc);
  file << to_text(record);
  file.close();
  if (file) {
    std::filesystem::rename(unfinished, whole, problem);
    if (!problem) return true;
  }
  std::filesystem::remove(unfinished, problem);
  return false;
} catch (...) {
  return false;
}

}  // namespace multifold::inline v0_1::detail
