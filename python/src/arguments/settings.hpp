// The keywords of Python's functions, as reduce_options.
#pragma once

#include <memory>

#include "arguments/stream.hpp"
#include "arguments/taken_array.hpp"
#include "python.hpp"

namespace multifold::python {

/// What a function was given; none is what was not.
struct keywords {
  nb::object axis = nb::none();
  nb::object type = nb::none();
  bool keepdims = false;
  nb::object where = nb::none();
  nb::object initial = nb::none();
  nb::object correction = nb::none();
  nb::object nan = nb::none();
  nb::object accuracy_wanted = nb::none();
  nb::object engine = nb::none();
  int threads = 0;
  nb::object stream = nb::none();
  nb::object out = nb::none();

  bool are_default() const noexcept;
};

/// The options, and what they point to.
struct settings {
  reduce_options options;
  bool as_number = false;
  cuda_stream stream = no_stream;
  bool follows = false;  // whether the stream is that of the array's library, for want of another
  std::unique_ptr<taken_array> marks;
};

/// Throws: TypeError and ValueError, naming the keyword.
settings settings_from(const keywords& given);

op_kind op_from(nb::handle name);
nan_policy nan_from(nb::handle name);
correction correction_from(nb::handle given);
initial_value initial_from(nb::handle given);
std::vector<std::int64_t> integers_from(nb::handle given, const char* what);

}  // namespace multifold::python
