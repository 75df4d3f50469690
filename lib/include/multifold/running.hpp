// A sum that grows: elements are added as they come, on any engine, in any order, and it stays exact.
//
//   running<float> total;
//   total.add(monday);
//   total.add(tuesday);
//   total.merge(running<float>(std::span(bytes_of_another_process)));
//   const float sum = total.sum(), mean = total.mean();
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "multifold/ranges.hpp"
#include "multifold/state.hpp"

namespace multifold::inline v0_1 {

/// The exact sum, and so the mean, of all elements that were added, in whatever parts and order. What else has a state
/// has class state.
/// Memory:   that of state: less than 700 bytes.
/// Shapes:   of what is added: any. Stream: device memory is read as by reduce.
/// Numerics: the bits of reduce over all elements at once.
/// Cost:     of add, that of reduce, and a microsecond for the state.
template <storage_type T>
class running {
 public:
  running() : state_(op_kind::sum, dtype_of<T>) {}

  /// From what save() was.
  /// Throws: format_error unless `bytes` are one whole state of the sum of one result, of elements T.
  explicit running(std::span<const std::byte> bytes) : running() { merge_state(state(bytes)); }

  /// Adds all elements of what view.hpp takes, or of an array in host or device memory: of dtype T. Throws: as reduce.
  template <viewable Array>
  void add(const Array& array) {
    static_assert(dtype_of<element_type_of<Array>> == dtype_of<T>, "elements of the type that is running");
    add(as_view(array));
  }
  void add(const array_view& array, const reduce_options& options = {}) {
    merge_state(reduce_to_state(op_kind::sum, array, options));
  }
  /// The same of a file, a pipe or a function, in bounded memory.
  void add(source& input, const reduce_options& options = {}) {
    merge_state(reduce_to_state(op_kind::sum, input, options));
  }

  /// Adds what another one has.
  void merge(const running& other) { merge_state(other.state_); }

  std::int64_t count() const noexcept { return state_.count(); }

  /// Throws: overflow_error for a sum of integers that fits neither 64 bits.
  result_of<op_kind::sum, T> sum() const { return finish<op_kind::sum>(); }
  /// NaN of no elements.
  result_of<op_kind::mean, T> mean() const { return finish<op_kind::mean>(); }

  /// What a file or another process can have: docs/states.md has the format.
  std::vector<std::byte> save() const { return state_.bytes(); }

 private:
  void merge_state(const state& other) { state_.merge(other); }

  template <op_kind op>
  result_of<op, T> finish() const {
    return state_.finish(op).template value<result_of<op, T>>();
  }

  state state_;
};

}  // namespace multifold::inline v0_1
