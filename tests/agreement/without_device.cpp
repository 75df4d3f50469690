// Builds without CUDA: there is no device, and none is asked for.
#include "agreement/device/room.hpp"

#if !MULTIFOLD_HAS_CUDA

namespace multifold::agreement {

bool has_device(std::string& reason) {
  reason = "this build has no CUDA";
  return false;
}
std::string device_name() { return ""; }
std::unique_ptr<device_room> make_device_room(std::int64_t) { return nullptr; }

}  // namespace multifold::agreement

#endif
