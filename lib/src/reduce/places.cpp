// The rules are the same with and without CUDA; what memory is, only CUDA knows.
#include "reduce/places.hpp"

#include <string>

#include "multifold/error.hpp"

namespace multifold::inline v0_1::detail {
namespace {

void check_used_by_host(const char* what, const void* at, const char* advice) {
  if (!is_device_memory(at)) return;
  throw unsupported_error(std::string(what) + " in device memory, where the host cannot use it: " + advice);
}

void check_place(const char* what, const array_view& array) {
  if (array.elements() == 0) return;
  if (array.where == place::device) check_read_by_device(what, array.data);
  else check_used_by_host(what, array.data, "copy it to host memory");
}

}  // namespace

located::located(const array_view& given) : given_(given) {
  if (given.where == place::device || !is_device_memory(given.data)) return;
  moved_ = given;
  moved_->where = place::device;
}

segments located_list(const segments& of) {
  if (of.where == place::device || of.count == 0) return of;
  const bool begins = is_device_memory(of.begins);
  if (begins != is_device_memory(of.ends)) {
    throw unsupported_error("begins and ends of segments are in different places: copy one of the lists");
  }
  segments found = of;
  if (begins) found.where = place::device;
  return found;
}

void check_address(const array_view& array) {
  if (array.data != nullptr || array.elements() == 0) return;
  throw shape_error("the array of shape " + to_string(array.extents) + " has no address: its data pointer is null");
}

void check_places(const array_view& x, const array_view* y, std::span<std::byte> into) {
  check_place("the array lies", x);
  if (y != nullptr) check_place("the second array lies", *y);
  if (into.empty()) return;
  check_used_by_host("the memory for the results lies", into.data(),
                     "reduce_options::into takes host memory, and reduce_async writes to a device's");
}

void check_place(const segments& of) {
  if (of.count > 0 && of.where == place::device) check_read_by_device("the list of segments lies", of.begins);
}

void check_place_of_keys(const array_view& keys) { check_place("the keys lie", keys); }

}  // namespace multifold::inline v0_1::detail
