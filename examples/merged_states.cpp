// A variance over processes: each leaves the state of its part in a file, and the parent merges them.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <multifold/multifold.hpp>
#include <string>
#include <vector>

namespace mf = multifold;

std::string path_of(int part) {
  return std::filesystem::temp_directory_path() / ("multifold_part_" + std::to_string(part) + ".state");
}

// What a process does: elements first, first + 1, ... of the numbers from 0 to 999 999.
void reduce_part(int part) {
  std::vector<float> x;
  for (int i = part * 250'000; i < (part + 1) * 250'000; ++i) x.push_back(static_cast<float>(i));
  const mf::state of_part = mf::reduce_to_state(mf::op_kind::var, x);
  mf::state_file(path_of(part), of_part.bytes()).keep();
}

int main() {
  for (int part = 0; part < 4; ++part) {
    if (fork() == 0) {
      reduce_part(part);
      _exit(0);
    }
  }
  while (wait(nullptr) > 0) continue;

  mf::state all(mf::op_kind::var, mf::dtype::f32);
  for (const int part : {2, 0, 3, 1}) {  // in any order
    all.merge(mf::state(mf::read_state(path_of(part))));
    std::filesystem::remove(path_of(part));
  }
  std::printf("%lld elements, variance %.9g, deviation %.9g\n", static_cast<long long>(all.count()),
              all.finish(mf::op_kind::var).value<float>(), all.finish(mf::op_kind::std).value<float>());
}

// 1000000 elements, variance 8.3333333e+10, deviation 288675.125
