// zlib around chunks of a file.
#include "io/formats/zip/inflater.hpp"

#include "io/files/input.hpp"

#if MULTIFOLD_HAS_ZLIB
#include <zlib.h>

#include <algorithm>
#include <limits>
#include <new>
#include <vector>

#include "io/formats/zip/crc32.hpp"
#include "io/message.hpp"
#include "multifold/error.hpp"
#endif

namespace multifold::inline v0_1::io {

#if MULTIFOLD_HAS_ZLIB

namespace {

constexpr std::size_t chunk_bytes = 128 << 10;   // of the file
constexpr std::size_t output_bytes = 256 << 10;  // decompressed at once, and in the cache when its CRC-32 is taken
constexpr int raw_window_bits = -15;

}  // namespace

struct inflater::stream {
  std::unique_ptr<input> in;
  std::int64_t bytes;  // decompressed, all of them
  std::uint32_t crc;
  std::vector<std::byte> chunk = std::vector<std::byte>(chunk_bytes);
  std::int64_t next_byte = 0;  // of `in`
  std::int64_t done = 0;       // bytes that were decompressed
  std::uint32_t crc_of_done = 0;
  bool ended = false;
  z_stream z{};

  stream(std::unique_ptr<input> compressed, std::int64_t whole_bytes, std::uint32_t expected)
      : in(std::move(compressed)), bytes(whole_bytes), crc(expected) {
    if (::inflateInit2(&z, raw_window_bits) != Z_OK) throw std::bad_alloc();
  }
  ~stream() { ::inflateEnd(&z); }
  stream(const stream&) = delete;
  stream& operator=(const stream&) = delete;

  void refill() {
    if (z.avail_in > 0) return;
    const std::size_t got = in->read(next_byte, chunk);
    next_byte += static_cast<std::int64_t>(got);
    z.next_in = reinterpret_cast<Bytef*>(chunk.data());
    z.avail_in = static_cast<uInt>(got);
  }
};

bool inflater::is_here() noexcept { return true; }

inflater::inflater(std::unique_ptr<input> compressed, std::int64_t bytes, std::uint32_t crc)
    : stream_(std::make_unique<stream>(std::move(compressed), bytes, crc)) {}

std::size_t inflater::read(std::span<std::byte> buffer) {
  std::size_t done = 0;
  while (done < buffer.size() && !stream_->ended) {
    done += step(buffer.subspan(done, std::min(buffer.size() - done, output_bytes)));
  }
  return done;
}

std::size_t inflater::step(std::span<std::byte> buffer) {
  stream& s = *stream_;
  s.refill();
  s.z.next_out = reinterpret_cast<Bytef*>(buffer.data());
  s.z.avail_out = static_cast<uInt>(buffer.size());
  const int status = ::inflate(&s.z, Z_NO_FLUSH);
  const std::size_t got = buffer.size() - s.z.avail_out;
  s.crc_of_done = joined_crc32(s.crc_of_done, crc32(buffer.first(got)), got);
  s.done += static_cast<std::int64_t>(got);
  if (s.done > s.bytes) refuse("the compressed data go on; expected " + std::to_string(s.bytes) + " bytes of them");
  if (status == Z_STREAM_END) {
    finish();
  } else if (status == Z_MEM_ERROR) {
    throw std::bad_alloc();
  } else if (status == Z_BUF_ERROR) {
    refuse("the compressed data are cut off; expected " + std::to_string(s.bytes) + " bytes of them");
  } else if (status != Z_OK) {
    refuse("the compressed data are damaged: " + std::string(s.z.msg == nullptr ? "no deflate stream" : s.z.msg));
  }
  return got;
}

// The stream says that it is complete.
void inflater::finish() {
  stream& s = *stream_;
  if (s.done < s.bytes) refuse("the compressed data end; expected " + std::to_string(s.bytes) + " bytes of them");
  if (s.z.avail_in > 0 || s.next_byte < *s.in->size()) {
    refuse("found more bytes behind the compressed data; expected their end");
  }
  s.ended = s.crc_of_done == s.crc;
  if (s.ended) return;
  refuse("found the CRC-32 " + std::to_string(s.crc_of_done) + " of what was compressed; expected " +
         std::to_string(s.crc) + ", as the archive says: it is damaged");
}

void inflater::refuse(const std::string& problem) const {
  throw format_error(at(stream_->in->label(), stream_->done) + problem);
}

#else

struct inflater::stream {};

bool inflater::is_here() noexcept { return false; }
inflater::inflater(std::unique_ptr<input>, std::int64_t, std::uint32_t) {}
std::size_t inflater::read(std::span<std::byte>) { return 0; }

#endif

inflater::~inflater() = default;

}  // namespace multifold::inline v0_1::io
