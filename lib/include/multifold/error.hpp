// The error tree: every exception the library throws, and nothing else.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

#include "multifold/export.hpp"

namespace multifold::inline v0_1 {

/// The root of all errors; `what()` names what was asked, what was found, and what to do.
class MULTIFOLD_EXPORT error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Extents, strides, axes or sizes that do not fit together.
class MULTIFOLD_EXPORT shape_error : public error {
 public:
  using error::error;
};

/// A file whose bytes are not what its format promises; the message names file and byte.
class MULTIFOLD_EXPORT format_error : public error {
 public:
  using error::error;
};

/// The operating system refused or broke off a read or a write.
class MULTIFOLD_EXPORT io_error : public error {
 public:
  using error::error;
};

/// A valid request that this library, or the plan that was forced on it, does not serve.
class MULTIFOLD_EXPORT unsupported_error : public error {
 public:
  using error::error;
};

/// An engine was asked for by name that this machine or this build does not have.
class MULTIFOLD_EXPORT engine_error : public unsupported_error {
 public:
  using unsupported_error::unsupported_error;
};

/// The result is exact but does not fit its dtype.
class MULTIFOLD_EXPORT overflow_error : public error {
 public:
  using error::error;
};

/// Memory of some place could not be had; the message says how much, and how to want less.
class MULTIFOLD_EXPORT out_of_memory : public error {
 public:
  using error::error;
};

/// The caller's stop token was triggered before the result stood.
class MULTIFOLD_EXPORT cancelled_error : public error {
 public:
  using error::error;
};

/// A CUDA runtime call failed; `code()` is its cudaError_t.
class MULTIFOLD_EXPORT cuda_error : public error {
 public:
  cuda_error(const std::string& message, int code) : error(message), code_(code) {}
  int code() const noexcept { return code_; }

 private:
  int code_;
};

}  // namespace multifold::inline v0_1
