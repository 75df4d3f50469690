// Arrays of PyTorch and CuPy on a GPU, by what they say of themselves: DLPack takes their Python ten times as long.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "arguments/stream.hpp"
#include "python.hpp"

namespace multifold::python {

/// A plain torch.Tensor or cupy.ndarray of real numbers on the current device. Borrows the object, which has to be held
/// on to.
class gpu_array {
 public:
  /// None for arrays of other libraries and in other places, of classes derived from these two, and for tensors that are
  /// not what lies in their memory, or that PyTorch does not give away: negated ones, and those with gradients.
  static std::optional<gpu_array> of(nb::handle object);

  const array_view& view() const noexcept { return view_; }

  /// The stream on which its library goes on.
  cuda_stream current_stream() const noexcept { return current_; }

  /// A new array of the same library on the same device, for use on the current stream; null if it has no such dtype.
  nb::object empty(dtype type, const std::vector<std::int64_t>& extents) const;

  /// Where an array of that library lies.
  void* address_of(nb::handle array) const;

  /// Memory of the library's allocator for work that is enqueued on the current stream while it lives. That allocator
  /// knows of graphs that are being captured.
  class workspace {
   public:
    workspace(const gpu_array& like, std::int64_t bytes);
    workspace(const workspace&) = delete;
    workspace& operator=(const workspace&) = delete;
    ~workspace();

    std::byte* data() const noexcept { return data_; }

   private:
    nb::object owner_;  // of CuPy
    std::byte* data_ = nullptr;
  };

 private:
  enum class library { torch, cupy };

  gpu_array(library from, nb::handle object) : from_(from), object_(object) {}
  bool read_torch();
  bool read_cupy();

  library from_;
  nb::handle object_;
  array_view view_;
  cuda_stream current_ = legacy_stream;
};

/// The object; or, of a tensor whose elements PyTorch negates or conjugates whenever it reads them, one that has them in
/// memory as they are. DLPack has no word for either, and gives negated ones away as if they were not.
nb::object as_in_memory(nb::handle object);

}  // namespace multifold::python
