// Files with several arrays inside, each under a name: .npz and safetensors.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/files/input.hpp"
#include "multifold/source.hpp"

namespace multifold::inline v0_1::io {

/// The place in `names` of the one `wanted`, the last if there are several; if none is wanted, of the only one.
/// Throws: format_error if there is no such array, unsupported_error if one of several has to be named.
std::size_t chosen_array(const std::string& label, const std::vector<std::string>& names,
                         const std::optional<std::string>& wanted);

/// How an array of an archive is called: "x.npz:a".
std::string array_name(const std::string& archive, const std::string& array);

/// The arrays of an .npz, which are its members NAME.npy, or of a safetensors file.
std::vector<std::string> npz_names(input& in);
std::vector<std::string> safetensors_names(input& in);

/// One of them. Throws: as `chosen_array`; format_error; unsupported_error for members that cannot be read and types
/// that are not reduced; io_error.
std::unique_ptr<source> npz_source(input in, const std::optional<std::string>& wanted);
std::unique_ptr<source> safetensors_source(input in, const std::optional<std::string>& wanted);

}  // namespace multifold::inline v0_1::io
