// A random case of the surface: which reduction over which array. Nothing is run here.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "multifold/array.hpp"
#include "multifold/ops.hpp"
#include "multifold/reduction.hpp"

namespace bench::surface {

/// What elements are drawn from. Integers have one family: any of theirs, as far as results fit.
enum class family : std::uint8_t { normal, product, zeros, sigma_1, sigma_3, sigma_10, any_finite, integers };

std::string_view name(family f) noexcept;

struct surface_case {
  multifold::op_kind op = multifold::op_kind::sum;
  multifold::dtype type = multifold::dtype::f32;
  multifold::accuracy numerics = multifold::accuracy::exact;
  std::vector<std::int64_t> extents;
  std::vector<std::int64_t> order;  // of the axes in memory, slowest first
  std::vector<std::int64_t> axes;   // that are reduced, ascending
  std::int64_t shift = 0;           // elements from an aligned address
  family data = family::normal;

  std::int64_t arrays() const { return multifold::takes_two_arrays(op) ? 2 : 1; }
  std::int64_t elements() const;  // of one array
  std::int64_t bytes() const;     // of all
  std::int64_t results() const;
  std::int64_t length() const { return elements() / results(); }  // of what becomes one result
};

/// Bytes of the arrays of a case.
struct sizes {
  std::int64_t least = 0, most = 0;
};

/// Case `number` of `seed`: a third of them rows, a third middle axes, a third tensors of 3 to 5 axes.
surface_case draw(std::uint64_t seed, std::int64_t number, const sizes& of);

/// "sum f32 exact 1000x17x3 0,2,1 1 +0 normal": what operation, dtype and accuracy, extents, order in memory, reduced
/// axes, shift, and data.
std::string text_of(const surface_case& c);

/// Throws: std::invalid_argument for a text that is none of text_of.
surface_case parse(const std::string& text);

/// The array of a case that begins at `data`.
multifold::array_view view_of(const surface_case& c, const void* data, multifold::place where);

/// What is computed.
multifold::reduction reduction_of(const surface_case& c);

}  // namespace bench::surface
