// Fuzz target: any words, one a line, are a command that runs or are refused by one of the errors that have exit codes
// of their own, in a folder with a few small files. Words with a slash are not tried: they could name other files.
#include <fcntl.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <new>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "arguments/command_line.hpp"
#include "multifold/error.hpp"

namespace {

namespace fs = std::filesystem;
using namespace multifold;

std::string npy(const std::string& descr, const std::string& shape, std::size_t bytes) {
  std::string header = "{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + shape + ", }";
  header.resize(117, ' ');
  std::string file("\x93NUMPY\x01\x00\x76\x00", 10);
  file += header + '\n';
  for (std::size_t i = 0; i < bytes; ++i) file += static_cast<char>(i * 37 % 61);
  return file;
}

// Away from everything else, silent, and with nothing to read.
class sandbox {
 public:
  sandbox() {
    std::string name = (fs::temp_directory_path() / "multifold_fuzz_XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) std::abort();
    folder_ = name;
    fs::current_path(folder_);
    setenv("XDG_CACHE_HOME", name.c_str(), 1);
    const int nothing = open("/dev/null", O_RDWR);
    dup2(nothing, STDIN_FILENO);
    dup2(nothing, STDOUT_FILENO);
  }
  ~sandbox() {
    fs::current_path(fs::temp_directory_path());
    fs::remove_all(folder_);
  }
  // What a command left or overwrote goes.
  void refill() const {
    for (const auto& entry : fs::directory_iterator(folder_)) fs::remove_all(entry.path());
    for (const auto& [file, bytes] : files_) std::ofstream(folder_ / file, std::ios::binary) << bytes;
  }

 private:
  fs::path folder_;
  const std::vector<std::pair<std::string, std::string>> files_{{"x.npy", npy("<f4", "(6, 5)", 120)},
                                                                {"y.npy", npy("<f4", "(6, 5)", 120)},
                                                                {"i.npy", npy("<i8", "(4,)", 32)},
                                                                {"cut.npy", npy("<f8", "(9,)", 64)},
                                                                {"raw", std::string(96, '\1')}};
};

std::vector<std::string> words_of(const std::uint8_t* data, std::size_t size) {
  std::vector<std::string> words{"multifold", ""};
  for (std::size_t i = 0; i < size; ++i) {
    if (data[i] == '\n') words.emplace_back();
    else words.back() += static_cast<char>(data[i]);
  }
  return words;
}

bool may_run(const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    if (word.find('/') != std::string::npos || word.find('\0') != std::string::npos || word == "..") return false;
    if (word.starts_with("--m") && word.find("eas") != std::string::npos) return false;  // takes seconds
  }
  return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static app::interrupt_watch watch;
  static const sandbox files;
  const std::vector<std::string> words = words_of(data, size);
  if (!may_run(words)) return 0;
  files.refill();
  std::vector<const char*> argv;
  for (const std::string& word : words) argv.push_back(word.c_str());
  try {
    app::run_command_line(static_cast<int>(argv.size()), argv.data(), watch);
  } catch (const app::failure&) {
  } catch (const error&) {
  } catch (const std::bad_alloc&) {
  } catch (const std::system_error&) {
  }
  return 0;
}
