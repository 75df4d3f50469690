// The layout of DLPack's structs, versions 0 and 1, as the array API specification has them in capsules.
#pragma once

#include <cstdint>

namespace multifold::python::dlpack {

struct device {
  std::int32_t type;
  std::int32_t id;
};
inline constexpr std::int32_t cpu = 1, cuda = 2, cuda_host = 3, cuda_managed = 13;

struct data_type {
  std::uint8_t code;
  std::uint8_t bits;
  std::uint16_t lanes;
};

struct tensor {
  void* data;
  device where;
  std::int32_t rank;
  data_type type;
  std::int64_t* shape;
  std::int64_t* strides;  // elements; null: row-major
  std::uint64_t byte_offset;
};

struct managed_tensor {
  tensor what;
  void* context;
  void (*deleter)(managed_tensor*);
};

struct version {
  std::uint32_t major, minor;
};

struct versioned_tensor {
  version written;
  void* context;
  void (*deleter)(versioned_tensor*);
  std::uint64_t flags;
  tensor what;
};

}  // namespace multifold::python::dlpack
