// Arrays of trials as sources: files that are written here byte by byte, and functions that bring the elements.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>

#include "agreement/trial/trial.hpp"
#include "multifold/source.hpp"

namespace multifold::agreement {

/// `elements` are those of `t` in memory order; files have names that begin with `path`.
std::unique_ptr<source> make_source_of(const trial& t, std::span<const std::byte> elements,
                                       const std::filesystem::path& path);

}  // namespace multifold::agreement
