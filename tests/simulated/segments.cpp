// The work of the kernels for segments, one segment after the other, when its turn on the stream comes.
#include "multifold/cuda/segments.hpp"

#include <algorithm>
#include <array>

#include "device/note_status.hpp"
#include "element.hpp"
#include "multifold/error.hpp"
#include "simulated_gpu.hpp"

namespace multifold::inline v0_1::cuda {
namespace {

// The worst status, and the first bad offset, or none of them.
using report = std::array<std::int64_t, 2>;
constexpr std::int64_t none = -1;

std::int64_t offset(const device_segments& of, std::int64_t i) {
  return of.type == dtype::i64 ? simulated::element<std::int64_t>(of.offsets, i)
                               : simulated::element<std::int32_t>(of.offsets, i);
}

std::int64_t first_bad(const device_segments& of, std::int64_t elements) {
  for (std::int64_t i = 0; i <= of.count; ++i) {
    const std::int64_t at = offset(of, i), least = i == 0 ? 0 : offset(of, i - 1);
    if (at < least || at > elements) return i;
  }
  return none;
}

}  // namespace

std::int64_t segments_workspace_bytes(const reduction&, std::int64_t, std::int64_t count, const engine_traits&) {
  return count > 0 ? static_cast<std::int64_t>(sizeof(report)) : 0;
}

void reduce_segments_async(const reduction& what, const operands& data, std::int64_t elements,
                           const device_segments& of, void* results, std::span<std::byte> workspace,
                           const engine_traits&, cudaStream_t stream) {
  if (simulated::memory_at(of.offsets) != simulated::memory::device) throw shape_error("offsets in host memory");
  if (workspace.size() < sizeof(report)) throw shape_error("too small a workspace");
  simulated::enqueue(stream, [=] {
    report found{0, first_bad(of, elements)};
    const bool needs_elements = !has_identity(what.op) && !what.initial.given;
    if (found[1] == none) {
      visit_fold(what, [&](auto op) {
        for (std::int64_t i = 0; i < of.count; ++i) {
          typename decltype(op)::accumulator sum = op.identity();
          const std::int64_t begin = offset(of, i), end = offset(of, i + 1);
          for (std::int64_t at = begin; at < end; ++at) simulated::add(op, sum, data, at, at - begin);
          const bool empty = begin == end && needs_elements;
          const std::int64_t how = empty ? static_cast<std::int64_t>(status::empty)
                                         : simulated::lowered(what, op, sum, end - begin, results, i);
          found[0] = std::max(found[0], how);
        }
      });
    }
    std::memcpy(workspace.data(), found.data(), sizeof found);
  });
}

void detail::note_segments_status(std::span<const std::byte> workspace, std::uint32_t* to, cudaStream_t stream) {
  simulated::enqueue(stream, [=] {
    const auto found = simulated::element<report>(workspace.data(), 0);
    *to = found[1] != none ? static_cast<std::uint32_t>(status::bad_count) : static_cast<std::uint32_t>(found[0]);
  });
}

segments_status segments_status_of(std::span<const std::byte> workspace, std::int64_t, cudaStream_t stream) {
  cudaStreamSynchronize(stream);
  const auto found = simulated::element<report>(workspace.data(), 0);
  segments_status all{static_cast<status>(found[0])};
  if (found[1] != none) all.bad_offset = found[1];
  return all;
}

}  // namespace multifold::inline v0_1::cuda
