// A plan's recipe on its way to a queue: the caller's workspace in slices, and steps that are enqueued one by one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "multifold/cuda/work_queue.hpp"
#include "multifold/error.hpp"
#include "multifold/plan/recipe.hpp"

namespace multifold::inline v0_1::cuda {

class bound_recipe {
 public:
  /// Throws: shape_error if `workspace` is too small for `p` or not aligned to 256 bytes; what recipe_of throws. Then
  ///         nothing is enqueued.
  bound_recipe(const plan& p, recipe_end end, std::span<std::byte> workspace, work_queue& queue)
      : recipe_(recipe_of(p, end)), space_(workspace.data()), queue_(queue) {
    const std::int64_t bytes = recipe_.workspace_bytes();
    if (static_cast<std::int64_t>(workspace.size()) < bytes) {
      throw shape_error("the plan needs a workspace of " + std::to_string(bytes) + " bytes, and " +
                        std::to_string(workspace.size()) + " were given");
    }
    if (space_ == nullptr && bytes > 0) throw shape_error("the workspace has no address: a null pointer was given");
    if (reinterpret_cast<std::uintptr_t>(space_) % slice_alignment != 0) {
      throw shape_error("the workspace is not aligned to 256 bytes");
    }
  }
  bound_recipe(const bound_recipe&) = delete;
  bound_recipe& operator=(const bound_recipe&) = delete;

  std::uint32_t* status() const { return slice_of<std::uint32_t>(slice_use::status, 0, 1); }

  /// Room for results in the order of their batches; null where the plan has none that wait.
  void* waiting_results(const plan& p) const {
    return slice_of<std::byte>(slice_use::waiting, 0, p.form.results() * p.waiting_bytes);
  }

  /// Memory for `count` T, that pass `pass`, as of pass_at, has for `use`; null where it has none.
  /// Throws: unsupported_error if it has more or less: the plan was made for another operation.
  template <class T>
  T* slice_of(slice_use use, std::size_t pass, std::int64_t count) const {
    for (const recipe::slice& s : recipe_.slices()) {
      if (s.use != use || s.pass != pass) continue;
      if (s.bytes != count * static_cast<std::int64_t>(sizeof(T))) refuse();
      return reinterpret_cast<T*>(space_ + s.offset);
    }
    return nullptr;
  }

  /// What kernel is next.
  step_kind next() const {
    std::size_t i = done_;
    while (i < recipe_.steps().size() && recipe_.steps()[i].kind == step_kind::clear) ++i;
    return i < recipe_.steps().size() ? recipe_.steps()[i].kind : step_kind::clear;
  }

  /// Enqueues the next kernel, which is `kind`, behind the memsets in front of it.
  /// Throws: what the queue throws; unsupported_error if another kernel is next.
  template <class... Parameters, class... Arguments>
  void launch(step_kind kind, void (*kernel)(Parameters...), std::int64_t shared_bytes, const Arguments&... arguments) {
    if (next() != kind) refuse();
    for (; recipe_.steps()[done_].kind == step_kind::clear; ++done_) {
      const recipe::step& s = recipe_.steps()[done_];
      queue_.clear(space_ + recipe_.cleared_by(s).front().offset, static_cast<std::size_t>(recipe_.cleared_bytes(s)));
    }
    const recipe::step& s = recipe_.steps()[done_++];
    detail::put_kernel(queue_, s.early, kernel, static_cast<unsigned>(s.blocks), static_cast<unsigned>(s.threads),
                       static_cast<unsigned>(shared_bytes), arguments...);
  }

 private:
  [[noreturn]] static void refuse() {
    throw unsupported_error(
        "the plan was made for another operation, or was changed: its kernels or their memory are others");
  }

  const recipe recipe_;
  std::byte* const space_;
  work_queue& queue_;
  std::size_t done_ = 0;
};

}  // namespace multifold::inline v0_1::cuda
