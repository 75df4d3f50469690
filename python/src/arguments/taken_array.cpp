// The three ways in which libraries hand out memory, the buffer protocol first: NumPy has all of them.
#include "arguments/taken_array.hpp"

#include <cstring>
#include <limits>
#include <string_view>

#include "arguments/gpu_array.hpp"

namespace multifold::python {

bool has_device_engine() {
  static const bool found = [] {
    for (const engine_info& engine : engines())
      if (engine.name == "device" && engine.supported) return true;
    return false;
  }();
  return found;
}

namespace {

std::string full_type_name(nb::handle object) {
  return text_of(object.type().attr("__module__")) + "." + text_of(object.type().attr("__name__"));
}

bool has(nb::handle object, const char* name) noexcept { return nb::hasattr(object, name); }

dtype signed_of(std::int64_t bytes) {
  return bytes == 1 ? dtype::i8 : bytes == 2 ? dtype::i16 : bytes == 4 ? dtype::i32 : dtype::i64;
}
dtype unsigned_of(std::int64_t bytes) {
  return bytes == 1 ? dtype::u8 : bytes == 2 ? dtype::u16 : bytes == 4 ? dtype::u32 : dtype::u64;
}

[[noreturn]] void refuse_elements(const std::string& what, const std::string& advice) {
  raise_type_error("multifold reduces no arrays of " + what + ": " + advice);
}

constexpr int complex_code = 5;  // of DLPack

dtype dtype_of_tensor(dlpack::data_type type) {
  constexpr int signed_code = 0, unsigned_code = 1, float_code = 2, bfloat_code = 4, bool_code = 6;
  const bool whole = type.lanes == 1;
  const bool power = type.bits == 8 || type.bits == 16 || type.bits == 32 || type.bits == 64;
  if (whole && power && type.code == signed_code) return signed_of(type.bits / 8);
  if (whole && power && type.code == unsigned_code) return unsigned_of(type.bits / 8);
  if (whole && type.code == bool_code && type.bits == 8) return dtype::boolean;
  if (whole && type.code == bfloat_code && type.bits == 16) return dtype::bf16;
  if (whole && type.code == float_code && type.bits == 16) return dtype::f16;
  if (whole && type.code == float_code && type.bits == 32) return dtype::f32;
  if (whole && type.code == float_code && type.bits == 64) return dtype::f64;
  if (type.code == complex_code) refuse_elements("complex numbers here", "reduce .real and .imag");
  refuse_elements("DLPack's type code " + std::to_string(type.code) + " of " + std::to_string(type.bits) + " bits",
                  "convert them to a type that it has");
}

std::string device_name(dlpack::device where) {
  const bool known = where.type == dlpack::cuda || where.type == dlpack::cuda_managed;
  return (known ? "cuda:" : "device of DLPack type " + std::to_string(where.type) + ", number ") +
         std::to_string(where.id);
}

void require_device_engine(const std::string& device) {
  if (has_device_engine()) return;
  raise_type_error("the array is in the memory of " + device + ", which multifold cannot read here: copy it to the " +
                   "CPU, or see multifold.engines() for what the GPU engine lacks");
}

}  // namespace

dtype dtype_of_format(const char* format, std::int64_t item) {
  std::string_view code = format == nullptr ? "B" : format;
  const bool marked = !code.empty() && std::string_view("@=<>!").find(code[0]) != std::string_view::npos;
  const bool big_endian = marked && (code[0] == '>' || code[0] == '!') && item > 1;
  if (marked) code.remove_prefix(1);
  if (big_endian)
    refuse_elements("big-endian elements",
                    "x.astype(x.dtype.newbyteorder('=')) has them in this "
                    "machine's order");
  if (code == "Zf" || code == "Zd" || code == "Zg") refuse_elements("complex numbers here", "reduce x.real and x.imag");
  if (code == "g") refuse_elements("long double", "x.astype('float64') rounds them");
  if (code == "O") refuse_elements("Python objects", "x.astype(...) makes numbers of them");
  if (code.size() != 1)
    refuse_elements("strings or records (" + std::string(code) + ")", "take a field that is a number");
  if (code == "?") return dtype::boolean;
  if (code == "e") return dtype::f16;
  if (code == "f") return dtype::f32;
  if (code == "d") return dtype::f64;
  if (std::string_view("bhilqn").find(code[0]) != std::string_view::npos) return signed_of(item);
  if (std::string_view("BHILQN").find(code[0]) != std::string_view::npos) return unsigned_of(item);
  refuse_elements("strings (" + std::string(code) + ")", "numbers are what it reduces");
}

bool has_host_buffer(nb::handle object) {
  if (PyObject_CheckBuffer(object.ptr()) == 0) return false;
  return is_plain_ndarray(object) || !has(object, "__cuda_array_interface__");
}

bool taken_array::fits(nb::handle object) {
  return has_host_buffer(object) || has(object, "__dlpack__") || has(object, "__cuda_array_interface__");
}

taken_array::taken_array(nb::handle given, complex_numbers complex, cuda_stream stream)
    : complex_(complex), stream_(stream == no_stream ? legacy_stream : stream) {
  const nb::object object = is_plain_ndarray(given) ? nb::borrow(given) : as_in_memory(given);
  if (is_masked(object))
    raise_type_error("multifold takes no masked arrays, whose masks it would ignore: pass x.data with where=~x.mask");
  if (const std::optional<gpu_array> ready = gpu_array::of(object); ready && ready->current_stream() == stream_) {
    require_device_engine("a CUDA device");
    view_ = ready->view();
    owner_ = object;
    return;
  }
  if (has_host_buffer(object)) {
    take_buffer(object);
  } else if (has(object, "__dlpack__")) {
    take_dlpack(object);
  } else if (has(object, "__cuda_array_interface__")) {
    take_cuda_interface(object);
  } else {
    const char* const advice = has(object, "to_numpy") ? "pass x.to_numpy()" : "pass an array, say numpy.asarray(x)";
    raise_type_error("multifold reduces arrays, and not " + full_type_name(object) + ": " + advice);
  }
}

taken_array::~taken_array() { release(); }

void taken_array::release() noexcept {
  if (buffer_.obj != nullptr) PyBuffer_Release(&buffer_);
  if (managed_ != nullptr && managed_->deleter != nullptr) managed_->deleter(managed_);
  if (versioned_ != nullptr && versioned_->deleter != nullptr) versioned_->deleter(versioned_);
  managed_ = nullptr;
  versioned_ = nullptr;
}

void taken_array::take_buffer(const nb::object& object) {
  if (PyObject_GetBuffer(object.ptr(), &buffer_, PyBUF_RECORDS_RO) != 0) {
    nb::python_error error;
    const bool typed = has(object, "dtype");
    if (typed && text_of(object.attr("dtype")) == "bfloat16") {
      owner_ = object.attr("view")("uint16");
      if (PyObject_GetBuffer(owner_.ptr(), &buffer_, PyBUF_RECORDS_RO) != 0) throw nb::python_error();
      view_.type = dtype::bf16;
    } else if (typed) {
      refuse_elements(text_of(object.attr("dtype")), "x.astype(...) or x.view('int64') has numbers");
    } else {
      throw error;
    }
  }
  try {
    const std::string_view format = buffer_.format == nullptr ? "" : buffer_.format;
    const bool parts = complex_ == complex_numbers::as_parts && (format == "Zf" || format == "Zd");
    if (parts) view_.type = format == "Zf" ? dtype::f32 : dtype::f64;
    else if (view_.type != dtype::bf16) view_.type = dtype_of_format(buffer_.format, buffer_.itemsize);
    const std::int64_t item = item_bytes(view_.type);
    view_.data = buffer_.buf;
    if (item * (parts ? 2 : 1) != buffer_.itemsize)
      refuse_elements("elements of " + std::to_string(buffer_.itemsize) + " bytes", "convert them");
    bool aligned = reinterpret_cast<std::uintptr_t>(buffer_.buf) % static_cast<std::uintptr_t>(item) == 0;
    view_.extents.assign(buffer_.shape, buffer_.shape + buffer_.ndim);
    if (buffer_.strides == nullptr) view_.strides = c_strides(view_.extents);  // of ctypes, whatever it is asked
    for (int axis = 0; axis < buffer_.ndim && buffer_.strides != nullptr; ++axis) {
      view_.strides.push_back(buffer_.strides[axis] / item);
      aligned = aligned && (buffer_.strides[axis] % item == 0 || buffer_.shape[axis] <= 1);
    }
    if (!aligned) throw nb::value_error("the elements of the array are not aligned: x.copy() has them so");
    if (parts) add_parts();
  } catch (...) {
    release();
    throw;
  }
}

// Strides are in parts already.
void taken_array::add_parts() {
  view_.extents.push_back(2);
  view_.strides.push_back(1);
}

void taken_array::take_dlpack(nb::handle object) {
  dlpack::device where{dlpack::cpu, 0};
  if (has(object, "__dlpack_device__")) {
    const nb::object pair = object.attr("__dlpack_device__")();
    where.type = nb::cast<int>(nb::int_(nb::object(pair[0])));
    where.id = nb::cast<int>(nb::int_(nb::object(pair[1])));
  }
  const bool on_host = where.type == dlpack::cpu || where.type == dlpack::cuda_host;
  const bool on_device = where.type == dlpack::cuda || where.type == dlpack::cuda_managed;
  if (!on_host && !on_device)
    raise_type_error("multifold reads no memory of " + device_name(where) + ": copy it to the CPU");
  if (on_device) require_device_engine(device_name(where));

  nb::dict keywords;
  if (on_device) keywords["stream"] = stream_;
  nb::object capsule;
  try {
    nb::dict versioned = nb::borrow<nb::dict>(nb::steal(PyDict_Copy(keywords.ptr())));
    versioned["max_version"] = nb::make_tuple(1, 0);
    capsule = object.attr("__dlpack__")(**versioned);
  } catch (nb::python_error& error) {
    const bool older = error.matches(PyExc_TypeError) && text_of(error.value()).find("keyword") != std::string::npos;
    if (!older) throw;
    capsule = object.attr("__dlpack__")(**keywords);  // from before DLPack 1
  }

  if (PyCapsule_IsValid(capsule.ptr(), "dltensor_versioned") != 0) {
    versioned_ = static_cast<dlpack::versioned_tensor*>(PyCapsule_GetPointer(capsule.ptr(), "dltensor_versioned"));
    PyCapsule_SetName(capsule.ptr(), "used_dltensor_versioned");
  } else if (PyCapsule_IsValid(capsule.ptr(), "dltensor") != 0) {
    managed_ = static_cast<dlpack::managed_tensor*>(PyCapsule_GetPointer(capsule.ptr(), "dltensor"));
    PyCapsule_SetName(capsule.ptr(), "used_dltensor");
  } else {
    throw nb::value_error("__dlpack__ returned no DLPack capsule, or one that has been taken already");
  }
  try {
    if (versioned_ != nullptr && versioned_->written.major != 1)
      throw nb::value_error("__dlpack__ returned a capsule of a version that multifold does not know");
    take_tensor(versioned_ != nullptr ? versioned_->what : managed_->what);
  } catch (...) {
    release();
    throw;
  }
}

void taken_array::take_tensor(const dlpack::tensor& what) {
  const bool parts = complex_ == complex_numbers::as_parts && what.type.code == complex_code && what.type.lanes == 1 &&
                     (what.type.bits == 64 || what.type.bits == 128);
  if (parts) view_.type = what.type.bits == 64 ? dtype::f32 : dtype::f64;
  else view_.type = dtype_of_tensor(what.type);
  view_.data = static_cast<const std::byte*>(what.data) + what.byte_offset;
  const bool on_host = what.where.type == dlpack::cpu || what.where.type == dlpack::cuda_host;
  view_.where = on_host ? place::host : place::device;
  view_.extents.assign(what.shape, what.shape + what.rank);
  if (what.strides != nullptr) view_.strides.assign(what.strides, what.strides + what.rank);
  else view_.strides = c_strides(view_.extents);
  // CuPy divides the bytes of a negative stride as if they had no sign.
  const std::int64_t item = item_bytes(view_.type) * (parts ? 2 : 1);
  const std::int64_t most = std::numeric_limits<std::int64_t>::max() / item;
  for (std::int64_t& stride : view_.strides)
    if (stride > most)
      stride = static_cast<std::int64_t>(static_cast<std::uint64_t>(stride) * static_cast<std::uint64_t>(item)) / item;
  if (parts) {
    for (std::int64_t& stride : view_.strides) stride *= 2;
    add_parts();
  }
  if (reinterpret_cast<std::uintptr_t>(view_.data) % static_cast<std::uintptr_t>(item_bytes(view_.type)) != 0)
    throw nb::value_error("the elements of the array are not aligned: a copy has them so");
}

void taken_array::take_cuda_interface(nb::handle object) {
  require_device_engine("a CUDA device");
  const nb::object described = object.attr("__cuda_array_interface__");
  const std::string type = text_of(nb::object(described["typestr"]));
  if (type[0] == '>') refuse_elements("big-endian elements", "bring them into this machine's order");
  view_.type = dtype_from(nb::str(type.c_str()));
  view_.data = reinterpret_cast<const void*>(nb::cast<std::uintptr_t>(nb::object(nb::object(described["data"])[0])));
  view_.where = place::device;
  for (nb::handle extent : nb::object(described["shape"])) view_.extents.push_back(nb::cast<std::int64_t>(extent));
  view_.strides = c_strides(view_.extents);
  const nb::object strides = described.attr("get")("strides");
  if (!strides.is_none()) {
    view_.strides.clear();
    for (nb::handle stride : strides) view_.strides.push_back(nb::cast<std::int64_t>(stride) / item_bytes(view_.type));
  }
  if (!described.attr("get")("mask").is_none()) raise_type_error("multifold takes no masked device arrays");
  const cuda_stream producer = stream_from(nb::object(described.attr("get")("stream")));
  if (producer != no_stream && producer != stream_) wait_for(producer);
  owner_ = nb::borrow(object);
}

}  // namespace multifold::python
