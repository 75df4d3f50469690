// What the driver knows of memory, asked so that no device is opened for it: a reduction of arrays in host memory has
// nothing to do with a GPU.
#include <cuda.h>
#include <dlfcn.h>
#include <link.h>

#include <atomic>
#include <cstdint>

#include "reduce/places.hpp"

namespace multifold::inline v0_1::detail {
namespace {

using libraries = unsigned long long;

// How many libraries this process has loaded so far.
libraries loaded_libraries() {
  libraries count = 0;
  ::dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* out) {
        *static_cast<libraries*>(out) = info->dlpi_adds;
        return 1;
      },
      &count);
  return count;
}

// The search for a library that is not there goes through folders, so it waits until another has been loaded.
void* loaded_driver() {
  static std::atomic<void*> driver{nullptr};
  static std::atomic<libraries> at_last_look{0};
  if (void* const found = driver) return found;
  const libraries now = loaded_libraries();
  if (now == at_last_look) return nullptr;
  void* const found = ::dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
  driver = found;
  at_last_look = now;
  return found;
}

}  // namespace

bool uses_cuda() { return loaded_driver() != nullptr; }

bool is_device_memory(const void* at) {
  using call = CUresult(unsigned, CUpointer_attribute*, void**, CUdeviceptr);
  static std::atomic<call*> known{nullptr};
  call* ask = known;
  if (ask == nullptr) {
    void* const driver = loaded_driver();
    if (driver == nullptr) return false;
    ask = reinterpret_cast<call*>(::dlsym(driver, "cuPointerGetAttributes"));
    if (ask == nullptr) return false;
    known = ask;
  }
  std::uint32_t type = 0;  // stays 0 for memory that CUDA does not know
  std::uint32_t managed = 0;
  CUpointer_attribute attributes[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_IS_MANAGED};
  void* values[] = {&type, &managed};
  const CUresult code = ask(2, attributes, values, reinterpret_cast<CUdeviceptr>(at));
  return code == CUDA_SUCCESS && type == CU_MEMORYTYPE_DEVICE && managed == 0;
}

}  // namespace multifold::inline v0_1::detail
