// The GPU's part of a worker: its arrays in device and pinned memory, and the entries that need them. In builds without
// CUDA nothing is there.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "agreement/worker.hpp"

namespace multifold::agreement {

/// Whether trials may ask for a GPU; if not, why.
bool has_device(std::string& reason);
/// Its name, for the record.
std::string device_name();

class device_room {
 public:
  virtual ~device_room() = default;
  /// Pinned memory for two arrays.
  virtual std::span<std::byte> pinned(int which) = 0;
  /// Sends the buffers of `arrays` to the device; returns the places of the views there.
  virtual laid_out send(const trial& t, const laid_out& arrays) = 0;
  /// The entries that take plans.
  virtual outcome run(const trial& t, const laid_out& on_device) = 0;
};

/// Null without a device. Arrays of up to `most_bytes`.
std::unique_ptr<device_room> make_device_room(std::int64_t most_bytes);

}  // namespace multifold::agreement
