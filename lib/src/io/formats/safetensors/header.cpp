// From the header's text to tensors whose places agree with each other and with the file.
#include "io/formats/safetensors/header.hpp"

#include <algorithm>

#include "io/formats/literal.hpp"
#include "io/formats/npy/header.hpp"
#include "io/message.hpp"
#include "multifold/array.hpp"
#include "multifold/error.hpp"

namespace multifold::inline v0_1::io {
namespace {

// "[3, 4]".
std::vector<std::int64_t> read_numbers(literal_reader& in, const char* expected, std::size_t most) {
  std::vector<std::int64_t> numbers;
  in.expect('[', expected);
  while (!in.accept(']')) {
    if (!numbers.empty()) in.expect(',', "',' or ']' after a number");
    if (numbers.size() == most) in.fail("at most " + std::to_string(most) + " numbers here");
    const char next = in.peek();
    if (next < '0' || next > '9') in.fail("a number that is not negative");
    numbers.push_back(in.integer("a number"));
  }
  return numbers;
}

safetensor read_tensor(literal_reader& in, std::string name) {
  safetensor tensor;
  tensor.name = std::move(name);
  bool has_dtype = false;
  bool has_shape = false;
  bool has_place = false;
  const auto once = [&in](bool& has, const char* key) {
    if (has) in.fail(std::string("the key ") + key + " only once");
    has = true;
  };
  in.expect('{', "'{' before a tensor's dtype, shape and data_offsets");
  while (!in.accept('}')) {
    if (has_dtype || has_shape || has_place) in.expect(',', "',' or '}' after a value");
    const std::string key = in.json_string("dtype, shape or data_offsets");
    in.expect(':', "':' after a key");
    if (key == "dtype") {
      once(has_dtype, "dtype");
      tensor.dtype = in.json_string("a dtype like \"F32\"");
    } else if (key == "shape") {
      once(has_shape, "shape");
      tensor.extents = read_numbers(in, "a shape like [3, 4]", most_axes);
    } else if (key == "data_offsets") {
      once(has_place, "data_offsets");
      const std::vector<std::int64_t> ends = read_numbers(in, "data_offsets like [0, 48]", 2);
      if (ends.size() != 2 || ends[0] > ends[1]) in.fail("two data_offsets before this, ascending");
      tensor.first = ends[0];
      tensor.last = ends[1];
    } else {
      in.fail("dtype, shape and data_offsets before this, not '" + printable(key, 24) + "'");
    }
  }
  if (!has_dtype || !has_shape || !has_place) in.fail("dtype, shape and data_offsets before this");
  return tensor;
}

void skip_metadata(literal_reader& in) {
  in.expect('{', "'{' before the metadata");
  for (bool first = true; !in.accept('}'); first = false) {
    if (!first) in.expect(',', "',' or '}' after a value");
    in.json_string("a key of the metadata");
    in.expect(':', "':' after a key");
    in.json_string("a value of the metadata");
  }
}

void refuse_second(const std::vector<safetensor>& tensors, const std::string& label) {
  std::vector<std::string_view> names;
  for (const safetensor& tensor : tensors) names.push_back(tensor.name);
  std::sort(names.begin(), names.end());
  const auto second = std::adjacent_find(names.begin(), names.end());
  if (second == names.end()) return;
  throw format_error(label + ": found the tensor " + printable(*second, 80) + " twice in the header");
}

// Gaps and overlaps could hide something, so the format has none.
void check_places(const std::vector<safetensor>& tensors, const std::string& label, std::int64_t data_byte,
                  std::int64_t data_bytes) {
  std::int64_t end = 0;
  for (const safetensor& tensor : tensors) {
    if (tensor.first != end) {
      throw format_error(at(label, data_byte + end) + "found the tensor " + printable(tensor.name, 80) + " at byte " +
                         std::to_string(tensor.first) + " of the data; expected it where the one before ends, at " +
                         std::to_string(end));
    }
    end = tensor.last;
  }
  if (end == data_bytes) return;
  throw format_error(at(label, data_byte + std::min(end, data_bytes)) + "found " + bytes_text(data_bytes) +
                     " of data; expected " + std::to_string(end) + ", for " + std::to_string(tensors.size()) +
                     (tensors.size() == 1 ? " tensor" : " tensors"));
}

}  // namespace

std::vector<safetensor> parse_safetensors_header(std::string_view text, const std::string& label,
                                                 std::int64_t first_byte, std::int64_t data_bytes) {
  literal_reader in(text, label, first_byte);
  std::vector<safetensor> tensors;
  in.expect('{', "'{', the start of the header");
  for (bool first = true; !in.accept('}'); first = false) {
    if (!first) in.expect(',', "',' or '}' after a tensor");
    std::string name = in.json_string("a tensor's name");
    in.expect(':', "':' after a name");
    if (name == "__metadata__") skip_metadata(in);
    else tensors.push_back(read_tensor(in, std::move(name)));
  }
  if (in.peek() != '\0' || !in.rest().empty()) in.fail("nothing but spaces after the header");
  refuse_second(tensors, label);
  std::stable_sort(tensors.begin(), tensors.end(), [](const safetensor& a, const safetensor& b) {
    return a.first != b.first ? a.first < b.first : a.last < b.last;
  });
  check_places(tensors, label, first_byte + static_cast<std::int64_t>(text.size()), data_bytes);
  return tensors;
}

}  // namespace multifold::inline v0_1::io
