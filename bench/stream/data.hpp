// Large arrays of random f32 outside of the GPU: in memory that is pinned or not, and in a file.
#pragma once

#include <cuda_runtime_api.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "multifold/cuda/error.hpp"

namespace bench {

/// Calls `work(first, bytes)` for chunks of `bytes`, by every core.
inline void in_chunks(std::int64_t bytes, const std::function<void(std::int64_t first, std::int64_t bytes)>& work) {
  constexpr std::int64_t chunk = 16 << 20;
  const std::int64_t cores = std::max(1u, std::thread::hardware_concurrency());
  std::vector<std::jthread> crew;
  for (std::int64_t core = 0; core < cores; ++core) {
    crew.emplace_back([&, core] {
      for (std::int64_t first = core * chunk; first < bytes; first += cores * chunk) {
        work(first, std::min(chunk, bytes - first));
      }
    });
  }
}

/// Memory of huge pages, so that making it pinned and copying it cost what they have to.
class host_array {
 public:
  explicit host_array(std::int64_t bytes) : bytes_(bytes) {
    void* const at = ::mmap(nullptr, size(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) throw std::bad_alloc();
    data_ = static_cast<std::byte*>(at);
    ::madvise(data_, size(), MADV_HUGEPAGE);
    in_chunks(bytes, [this](std::int64_t first, std::int64_t some) { fill(first, some); });
  }
  host_array(const host_array&) = delete;
  host_array& operator=(const host_array&) = delete;
  ~host_array() {
    if (pinned_) cudaHostUnregister(data_);
    ::munmap(data_, size());
  }

  std::byte* data() const { return data_; }
  std::int64_t bytes() const { return bytes_; }
  std::int64_t elements() const { return bytes_ / static_cast<std::int64_t>(sizeof(float)); }

  host_array& pinned(bool wanted) {
    if (wanted && !pinned_) multifold::cuda::check(cudaHostRegister(data_, size(), cudaHostRegisterMapped));
    if (!wanted && pinned_) multifold::cuda::check(cudaHostUnregister(data_));
    pinned_ = wanted;
    return *this;
  }

 private:
  std::size_t size() const { return static_cast<std::size_t>(bytes_); }

  // splitmix64 (Steele, Lea and Flood, OOPSLA 2014), between -1 and 1.
  void fill(std::int64_t first, std::int64_t some) const {
    auto* const x = reinterpret_cast<float*>(data_ + first);
    std::uint64_t state = static_cast<std::uint64_t>(first) * 0x9e3779b97f4a7c15u;
    for (std::int64_t i = 0; i < some / 4; ++i) {
      std::uint64_t z = state += 0x9e3779b97f4a7c15u;
      z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
      z = (z ^ z >> 27) * 0x94d049bb133111ebu;
      x[i] = static_cast<float>(static_cast<std::int32_t>((z ^ z >> 31) >> 32)) * 0x1p-31f;
    }
  }

  std::byte* data_ = nullptr;
  std::int64_t bytes_;
  bool pinned_ = false;
};

/// A folder with room for `bytes`, and for some more: that of temporary files, else shared memory.
inline std::optional<std::filesystem::path> folder_for(std::int64_t bytes) {
  constexpr std::uintmax_t spare = std::uintmax_t{1} << 30;
  for (const std::filesystem::path& folder :
       {std::filesystem::temp_directory_path(), std::filesystem::path("/dev/shm")}) {
    std::error_code problem;
    const auto space = std::filesystem::space(folder, problem);
    if (!problem && space.available >= static_cast<std::uintmax_t>(bytes) + spare) return folder;
  }
  return std::nullopt;
}

/// A copy of an array in a file that was just written, and so is in the page cache. Goes away with its owner.
class cached_file {
 public:
  cached_file(const std::filesystem::path& folder, const host_array& array)
      : path_(folder / ("multifold-stream-" + std::to_string(::getpid()) + ".f32")) {
    const int file = ::open(path_.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);
    if (file < 0) throw std::runtime_error(path_.string() + " could not be made");
    std::atomic<bool> whole = true;
    in_chunks(array.bytes(), [&](std::int64_t first, std::int64_t some) {
      for (std::int64_t done = 0; done < some && whole;) {
        const auto wrote =
            ::pwrite(file, array.data() + first + done, static_cast<std::size_t>(some - done), first + done);
        if (wrote <= 0) whole = false;
        done += wrote;
      }
    });
    ::close(file);
    if (whole) return;
    std::filesystem::remove(path_);
    throw std::runtime_error(path_.string() + " could not be written");
  }
  cached_file(const cached_file&) = delete;
  cached_file& operator=(const cached_file&) = delete;
  ~cached_file() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }

  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

}  // namespace bench
