// safetensors: a length, a JSON header, and the tensors one after the other.
#include <algorithm>
#include <array>
#include <bit>
#include <string_view>

#include "core/little_endian.hpp"
#include "io/file_source.hpp"
#include "io/formats/safetensors/header.hpp"
#include "io/formats/zip/archive.hpp"
#include "io/message.hpp"
#include "multifold/array.hpp"
#include "multifold/error.hpp"

namespace multifold::inline v0_1::io {
namespace {

constexpr std::int64_t length_bytes = 8;
constexpr std::int64_t most_safetensors_header_bytes = 100'000'000;  // the specification's

struct tensor_file {
  std::vector<safetensor> tensors;
  std::int64_t data_byte;
};

tensor_file read_tensors(input& in) {
  std::array<std::byte, length_bytes> length{};
  in.read(0, length);
  const std::uint64_t claimed = little_endian(length);
  const std::int64_t most = std::min(most_safetensors_header_bytes, *in.size() - length_bytes);
  if (most < 0 || claimed > static_cast<std::uint64_t>(most)) {
    throw format_error(at(in.label(), 0) + "found a header length of " + std::to_string(claimed) +
                       "; expected at most " + std::to_string(std::max<std::int64_t>(most, 0)) +
                       (most == most_safetensors_header_bytes ? "" : ", up to the end of the file"));
  }
  std::string text(claimed, '\0');
  const std::int64_t data_byte = length_bytes + static_cast<std::int64_t>(claimed);
  if (in.read(length_bytes, std::as_writable_bytes(std::span(text))) < text.size()) {
    throw format_error(at(in.label(), length_bytes) + "the file has shrunk inside its header");
  }
  return {parse_safetensors_header(text, in.label(), length_bytes, *in.size() - data_byte), data_byte};
}

std::vector<std::string> names_of(const std::vector<safetensor>& tensors) {
  std::vector<std::string> names;
  for (const safetensor& tensor : tensors) names.push_back(tensor.name);
  return names;
}

// "F32", "BF16", "BOOL": our names in capitals, but for the booleans.
dtype type_of(const safetensor& tensor, const std::string& label) {
  std::string ours;
  for (const char c : tensor.dtype) ours += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  const std::optional<dtype> type = parse_dtype(ours);
  if (type && (multifold::name(*type) == ours) && ours != tensor.dtype) return *type;
  throw unsupported_error(label + ": found a tensor of " + printable(tensor.dtype, 24) +
                          "; expected bool, i8 to i64, u8 to u64, f16, bf16, f32 or f64");
}

}  // namespace

std::vector<std::string> safetensors_names(input& in) { return names_of(read_tensors(in).tensors); }

std::unique_ptr<source> safetensors_source(input in, const std::optional<std::string>& wanted) {
  const tensor_file file = read_tensors(in);
  const safetensor& tensor = file.tensors[chosen_array(in.label(), names_of(file.tensors), wanted)];
  const std::string name = wanted ? array_name(in.name(), *wanted) : in.name();
  const std::string label = label_of(name, "");
  array_layout layout{type_of(tensor, label), tensor.extents, false};
  input bytes = std::move(in).part(file.data_byte + tensor.first, tensor.last - tensor.first, name);
  try {
    return std::make_unique<file_source>(std::move(bytes), std::move(layout), 0,
                                         std::endian::native != std::endian::little);
  } catch (const shape_error& problem) {
    throw format_error(label + ": found " + problem.what());
  }
}

}  // namespace multifold::inline v0_1::io
