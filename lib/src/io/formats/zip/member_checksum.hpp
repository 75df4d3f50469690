// Whether the bytes of an archive's member are those that were put in, as its CRC-32 says, however they are read.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <span>
#include <string>

namespace multifold::inline v0_1::io {

class member_checksum {
 public:
  /// Of `bytes` bytes; `what` says whose, behind the label of a message.
  member_checksum(std::uint32_t expected, std::int64_t bytes, std::string what)
      : expected_(expected), bytes_(bytes), what_(std::move(what)) {}

  /// Takes what was read from byte `first` on, from any thread, in any order. Once every byte has been read, the CRC-32
  /// is compared; then nothing more is looked at.
  /// Throws: format_error from the call that completes a member with another CRC-32, and from any after it.
  void add(std::int64_t first, std::span<const std::byte> bytes, const std::string& label);

 private:
  struct range {
    std::int64_t end;
    std::uint32_t crc;
  };
  enum class verdict { open, right, wrong };
  using interval = std::pair<std::int64_t, std::int64_t>;

  interval first_gap(std::int64_t first, std::int64_t end);
  void fill(interval gap, std::uint32_t crc);
  [[noreturn]] void refuse(const std::string& label) const;

  const std::uint32_t expected_;
  const std::int64_t bytes_;
  const std::string what_;
  std::mutex changing_;
  std::map<std::int64_t, range> ranges_;  // by their first bytes; none touches another
  std::uint32_t found_ = 0;
  std::atomic<verdict> verdict_{verdict::open};
};

}  // namespace multifold::inline v0_1::io
