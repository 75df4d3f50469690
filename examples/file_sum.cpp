// The sum of a file in bounded memory: 32 MiB are read through buffers of 4 MiB.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <multifold/multifold.hpp>
#include <vector>

int main() {
  const auto path = std::filesystem::temp_directory_path() / "multifold_file_sum.bin";
  const std::vector<double> part(1 << 20, 0.1);
  std::ofstream file(path, std::ios::binary);
  for (int i = 0; i < 4; ++i) file.write(reinterpret_cast<const char*>(part.data()), sizeof(double) << 20);
  file.close();

  // Of .npy, .npz and safetensors files open_source knows dtype and shape; of this one it has to be told.
  const multifold::raw_options raw{.type = multifold::dtype::f64};
  const auto source = multifold::open_source(path.string(), raw);
  const auto sum = multifold::reduce(multifold::op_kind::sum, *source, {.memory_bytes = 4 << 20});
  std::printf("%.17g of %lld elements, %lld MiB\n", sum.value<double>(), static_cast<long long>(sum.count),
              static_cast<long long>(sum.bytes >> 20));
  std::filesystem::remove(path);
}

// 419430.40000000002 of 4194304 elements, 32 MiB
