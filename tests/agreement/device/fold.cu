// An operation that is not the library's, through make_fold_plan and fold_async.
#include "agreement/device/fold.hpp"
#include "agreement/fold.hpp"
#include "multifold/cuda/fold.cuh"

namespace multifold::agreement {
namespace {

template <class T, class Bits>
struct take_fingerprint {
  using value_type = T;
  using accumulator = fingerprint;
  MULTIFOLD_HD fingerprint identity() const { return {}; }
  MULTIFOLD_HD fingerprint lift(T x, std::int64_t index) const { return fingerprint::of(bit_copy<Bits>(x), index); }
  MULTIFOLD_HD fingerprint combine(fingerprint a, const fingerprint& b) const {
    a.merge(b);
    return a;
  }
  MULTIFOLD_HD fingerprint lower(fingerprint a, std::int64_t count) const {
    a.length = count;
    return a;
  }
};

template <class T, class Bits>
void fold(const trial& t, const std::byte* data, const fold_memory& results, const fold_memory& workspace,
          cudaStream_t stream) {
  const take_fingerprint<T, Bits> op;
  const array_view view{data, t.type, t.extents, t.strides, place::device};
  const plan p = cuda::make_fold_plan(op, view, t.axes ? *t.axes : all_axes(view.rank()), t.forced);
  const auto out = results(p.form.results() * static_cast<std::int64_t>(sizeof(fingerprint)));
  cuda::fold_async(p, op, reinterpret_cast<const T*>(data), reinterpret_cast<fingerprint*>(out.data()),
                   workspace(p.workspace_bytes()), stream);
}

}  // namespace

void fold_on_device(const trial& t, const std::byte* data, const fold_memory& results, const fold_memory& workspace,
                    cudaStream_t stream) {
  switch (t.type) {
    case dtype::u8: return fold<std::uint8_t, std::uint8_t>(t, data, results, workspace, stream);
    case dtype::i16: return fold<std::int16_t, std::uint16_t>(t, data, results, workspace, stream);
    case dtype::f32: return fold<float, std::uint32_t>(t, data, results, workspace, stream);
    case dtype::f64: return fold<double, std::uint64_t>(t, data, results, workspace, stream);
    default: throw unsupported_error("folds of trials are of u8, i16, f32 and f64");
  }
}

}  // namespace multifold::agreement
