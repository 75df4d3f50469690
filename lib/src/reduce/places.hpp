// Whether memory lies where a request says it does, before anything crashes over it. Private to the API.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "multifold/array.hpp"
#include "multifold/segments.hpp"

namespace multifold::inline v0_1::detail {

/// An array where it lies. place::host is what a view says where nothing is said: memory that CUDA knows as a
/// device's is taken for what it is, and place::device is believed. What is given has to outlive this.
class located {
 public:
  explicit located(const array_view& given);
  located(const located&) = delete;
  located& operator=(const located&) = delete;

  const array_view& view() const noexcept { return moved_ ? *moved_ : given_; }

 private:
  const array_view& given_;
  std::optional<array_view> moved_;  // only where it says another place
};

/// The same of a list. Throws unsupported_error for begins and ends in different places.
segments located_list(const segments& of);

/// Throws shape_error for an array of some elements without an address.
void check_address(const array_view& array);

/// Throws unsupported_error if the arrays are not to be read from where they are said to be, or `into` (which may be
/// empty) not to be written to by the host. `y` may be null. In device memory, arrays are those of the current device,
/// or what that device can read of the host's. The device is open then; for host memory none is opened.
void check_places(const array_view& x, const array_view* y, std::span<std::byte> into);

/// The same of a list of segments that says where it lies.
void check_place(const segments& of);
void check_place_of_keys(const array_view& keys);

/// Whether CUDA knows `at` as memory of a device that the host cannot read. Never opens a device.
bool is_device_memory(const void* at);

/// Throws unsupported_error, which begins with `what` ("the array lies"), unless the current device can read `at`.
void check_read_by_device(const char* what, const void* at);

/// Whether this process has loaded CUDA's driver. Never loads it.
bool uses_cuda();

}  // namespace multifold::inline v0_1::detail
