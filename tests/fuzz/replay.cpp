// Runs a fuzz target over files and the files in folders, once each: for builds without libFuzzer.
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

int main(int count, char** arguments) {
  namespace fs = std::filesystem;
  int files = 0;
  const auto replay = [&files](const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(in), {}};
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
    ++files;
  };
  for (int i = 1; i < count; ++i) {
    if (!fs::is_directory(arguments[i])) {
      replay(arguments[i]);
      continue;
    }
    for (const auto& entry : fs::directory_iterator(arguments[i])) replay(entry.path());
  }
  std::printf("%d files\n", files);
  return files > 0 ? 0 : 1;
}
