// The work of the kernels for keys: elements one after the other into the sums of their groups.
#include "multifold/cuda/by_key.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "device/note_status.hpp"
#include "element.hpp"
#include "multifold/error.hpp"
#include "multifold/summary.hpp"
#include "simulated_gpu.hpp"

namespace multifold::inline v0_1::cuda {
namespace {

// The worst status, the first bad key, the first empty group, or none of them, and whether keys ascend.
using report = std::array<std::int64_t, 4>;
constexpr std::int64_t none = -1;

std::int64_t key(const device_keys& of, std::int64_t i) {
  return of.type == dtype::i64 ? simulated::element<std::int64_t>(of.keys, i)
                               : simulated::element<std::int32_t>(of.keys, i);
}

report look(const device_keys& of, std::int64_t elements) {
  report found{0, none, none, 1};
  std::vector<bool> there(static_cast<std::size_t>(of.groups));
  for (std::int64_t i = 0; i < elements; ++i) {
    const std::int64_t k = key(of, i);
    if (k < 0 || k >= of.groups) {
      found[1] = i;
      return found;
    }
    there[static_cast<std::size_t>(k)] = true;
    if (of.ascend && i > 0 && k < key(of, i - 1)) found[3] = 0;
  }
  const auto empty = std::find(there.begin(), there.end(), false);
  if (empty != there.end()) found[2] = empty - there.begin();
  return found;
}

// An index in a group is that of the array already.
template <class Op>
status reduce_group(const reduction& what, const Op& op, const operands& data, std::int64_t elements,
                    const device_keys& of, std::int64_t group, void* results) {
  typename Op::accumulator sum = op.identity();
  std::int64_t length = 0;
  for (std::int64_t i = 0; i < elements; ++i) {
    if (key(of, i) == group) simulated::add(op, sum, data, i, i), ++length;
  }
  if (length == 0 && !has_identity(what.op) && !what.initial.given) return status::empty;
  return static_cast<status>(simulated::lowered(what, op, sum, length, results, group));
}

}  // namespace

std::int64_t by_key_workspace_bytes(const reduction&, std::int64_t, const device_keys&, const engine_traits&) {
  return sizeof(report);
}

void reduce_by_key_async(const reduction& what, const operands& data, std::int64_t elements, const device_keys& of,
                         void* results, std::span<std::byte> workspace, const engine_traits&, cudaStream_t stream) {
  if (elements > 0 && simulated::memory_at(of.keys) != simulated::memory::device) throw shape_error("keys of the host");
  if (workspace.size() < sizeof(report)) throw shape_error("too small a workspace");
  simulated::enqueue(stream, [=] {
    report found = look(of, elements);
    if (found[1] == none && found[3] == 1) {
      visit_fold(what, [&](auto op) {
        for (std::int64_t g = 0; g < of.groups; ++g) {
          const status how = reduce_group(what, op, data, elements, of, g, results);
          found[0] = std::max(found[0], static_cast<std::int64_t>(how));
        }
      });
    }
    std::memcpy(workspace.data(), found.data(), sizeof found);
  });
}

void detail::note_by_key_status(std::span<const std::byte> workspace, std::int64_t, std::uint32_t* to,
                                cudaStream_t stream) {
  simulated::enqueue(stream, [=] {
    const auto found = simulated::element<report>(workspace.data(), 0);
    const bool fits = found[1] == none && found[3] != 0;
    *to = fits ? static_cast<std::uint32_t>(found[0]) : static_cast<std::uint32_t>(status::bad_count);
  });
}

by_key_status by_key_status_of(std::span<const std::byte> workspace, std::int64_t, const device_keys&,
                               cudaStream_t stream) {
  cudaStreamSynchronize(stream);
  const auto found = simulated::element<report>(workspace.data(), 0);
  by_key_status all{static_cast<status>(found[0])};
  if (found[1] != none) all.bad_key = found[1];
  if (found[2] != none) all.empty_group = found[2];
  all.ascend = found[3] != 0;
  return all;
}

}  // namespace multifold::inline v0_1::cuda
