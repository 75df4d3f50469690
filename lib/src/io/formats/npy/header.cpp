// From header text to layout and back.
#include "io/formats/npy/header.hpp"

#include <optional>

#include "io/formats/literal.hpp"
#include "io/formats/npy/descr.hpp"
#include "io/message.hpp"
#include "multifold/array.hpp"
#include "multifold/error.hpp"

namespace multifold::inline v0_1::io {
namespace {

npy_type read_descr(literal_reader& in, const std::string& label, std::int64_t data_byte) {
  const char next = in.peek();
  const std::string where = at(label, in.byte());
  if (next == '[' || next == '(' || next == '{') {
    throw unsupported_error(where + "found the structured dtype " + printable(in.rest(), 40) +
                            "; expected one number per element: save its fields apart");
  }
  return parse_descr(in.string("a descr like '<f4'"), where, data_byte);
}

std::int64_t read_extent(literal_reader& in, const std::string& label) {
  in.peek();
  const std::int64_t byte = in.byte();
  const std::int64_t extent = in.integer("an extent");
  if (extent >= 0) return extent;
  throw format_error(at(label, byte) + "found the negative extent " + std::to_string(extent) +
                     "; expected extents of 0 or more");
}

std::vector<std::int64_t> read_shape(literal_reader& in, const std::string& label) {
  in.peek();
  const std::int64_t byte = in.byte();
  std::vector<std::int64_t> extents;
  in.expect('(', "a shape like (3, 4)");
  while (!in.accept(')')) {
    if (extents.size() == most_axes) {
      throw format_error(at(label, byte) + "found a shape of more axes than NumPy allows; expected at most " +
                         std::to_string(most_axes));
    }
    extents.push_back(read_extent(in, label));
    if (in.accept(',')) continue;
    // To Python (3) is a number, and NumPy refuses it as a shape.
    if (extents.size() == 1) in.fail("',' after the only extent of a shape");
    in.expect(')', "',' or ')' after an extent");
    break;
  }
  return extents;
}

template <class T>
void refuse_second(const std::optional<T>& value, const std::string& label, std::int64_t byte, std::string_view key) {
  if (value) throw format_error(at(label, byte) + "found the key '" + std::string(key) + "' a second time");
}

template <class T>
const T& required(const std::optional<T>& value, const std::string& label, std::int64_t byte, const char* key) {
  if (!value) throw format_error(at(label, byte) + "the header ends without the key '" + key + "'");
  return *value;
}

}  // namespace

npy_header parse_npy_header(std::string_view text, const std::string& label, std::int64_t first_byte) {
  const std::int64_t data_byte = first_byte + static_cast<std::int64_t>(text.size());
  literal_reader in(text, label, first_byte);
  std::optional<npy_type> type;
  std::optional<bool> fortran_order;
  std::optional<std::vector<std::int64_t>> extents;

  in.expect('{', "'{', the start of the header's dict");
  while (!in.accept('}')) {
    in.peek();
    const std::int64_t byte = in.byte();
    const std::string_view key = in.string("a key of the header");
    in.expect(':', "':' after a key");
    if (key == "descr") {
      refuse_second(type, label, byte, key);
      type = read_descr(in, label, data_byte);
    } else if (key == "fortran_order") {
      refuse_second(fortran_order, label, byte, key);
      fortran_order = in.boolean("True or False for fortran_order");
    } else if (key == "shape") {
      refuse_second(extents, label, byte, key);
      extents = read_shape(in, label);
    } else {
      throw format_error(at(label, byte) + "found the key '" + printable(key, 24) +
                         "'; expected descr, fortran_order and shape");
    }
    if (in.accept(',')) continue;
    in.expect('}', "',' or '}' after a value");
    break;
  }
  if (in.peek() != '\0' || !in.rest().empty()) in.fail("nothing but spaces after the header's dict");

  npy_header header;
  header.layout.type = required(type, label, in.byte(), "descr").type;
  header.other_byte_order = type->other_byte_order;
  header.layout.fortran_order = required(fortran_order, label, in.byte(), "fortran_order");
  header.layout.extents = required(extents, label, in.byte(), "shape");
  return header;
}

std::string format_npy_header(dtype type, const std::vector<std::int64_t>& extents) {
  if (extents.size() > most_axes) {
    throw shape_error("an array of " + std::to_string(extents.size()) + " axes; .npy holds at most " +
                      std::to_string(most_axes));
  }
  constexpr std::size_t preamble = 10;
  std::string dict =
      "{'descr': '" + descr_of(type) + "', 'fortran_order': False, 'shape': " + to_string(extents) + ", }";
  // The data start at a multiple of 64 bytes, for those who map the file; the last byte before them is a newline.
  dict.append(63 - (preamble + dict.size()) % 64, ' ');
  dict += '\n';
  std::string header = "\x93NUMPY";
  header += '\x01';
  header += '\x00';
  header += static_cast<char>(dict.size() & 0xff);
  header += static_cast<char>(dict.size() >> 8);
  return header + dict;
}

}  // namespace multifold::inline v0_1::io
