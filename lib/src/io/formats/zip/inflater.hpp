// The bytes of a deflate stream, decompressed in order and in bounded memory. Where the library is built without zlib,
// there is none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace multifold::inline v0_1::io {

class input;

class inflater {
 public:
  /// Whether this build can: MULTIFOLD_ZLIB.
  static bool is_here() noexcept;

  /// Nothing that deflate writes becomes more bytes than this for each of its own.
  static constexpr std::uint64_t most_growth = 1032;

  /// All of `compressed` is one raw stream (RFC 1951), of `bytes` bytes with CRC-32 `crc`. Only where it `is_here`.
  inflater(std::unique_ptr<input> compressed, std::int64_t bytes, std::uint32_t crc);
  ~inflater();
  inflater(const inflater&) = delete;
  inflater& operator=(const inflater&) = delete;

  /// Fills `buffer` with the bytes that come next; returns fewer than asked for only at the end.
  /// Memory:  180 KB, whatever the stream says.
  /// Throws:  format_error with the byte, of what is decompressed, if the stream is damaged, ends early, goes on, or
  ///          has another CRC-32, which is told by the call that meets its end; io_error.
  std::size_t read(std::span<std::byte> buffer);

 private:
  struct stream;
  std::size_t step(std::span<std::byte> buffer);
  void finish();
  [[noreturn]] void refuse(const std::string& problem) const;

  std::unique_ptr<stream> stream_;
};

}  // namespace multifold::inline v0_1::io
