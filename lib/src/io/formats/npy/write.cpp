// Arrays to .npy files.
#include "io/formats/npy/write.hpp"

#include "io/files/output.hpp"
#include "io/formats/npy/header.hpp"
#include "io/message.hpp"
#include "multifold/array.hpp"
#include "multifold/error.hpp"

namespace multifold::inline v0_1 {
namespace io {

void write_npy(const std::string& path, const array_layout& layout, std::span<const std::byte> data,
               const system_calls& calls) {
  const std::int64_t count = element_count(layout.extents);
  const auto given = static_cast<std::int64_t>(data.size());
  if (count != given / item_bytes(layout.type) || given % item_bytes(layout.type) != 0) {
    throw shape_error(label_of(path, "standard output") + ": " + bytes_text(given) + " were given for " +
                      describe(layout));
  }
  const std::string header = format_npy_header(layout.type, layout.extents);
  const std::int64_t whole = static_cast<std::int64_t>(header.size()) + given;
  output out(path, calls);
  out.write(std::as_bytes(std::span(header)), whole);
  out.write(data, whole);
  out.finish();
}

}  // namespace io

bool npy_holds(dtype type) noexcept { return type != dtype::bf16; }

void write_npy(const std::string& path, dtype type, const std::vector<std::int64_t>& extents,
               std::span<const std::byte> data) {
  io::write_npy(path, {type, extents, false}, data, io::kernel_calls());
}

}  // namespace multifold::inline v0_1
