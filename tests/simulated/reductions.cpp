// The work of kernels, one element after the other, when its turn on the stream comes.
#include <algorithm>
#include <cstring>
#include <new>
#include <string>
#include <vector>

#include "device/note_status.hpp"
#include "element.hpp"
#include "multifold/cuda/reduce_async.hpp"
#include "multifold/cuda/traits.hpp"
#include "multifold/error.hpp"
#include "simulated_gpu.hpp"

namespace multifold::inline v0_1::cuda {
namespace {

using simulated::add;
using simulated::element;
using simulated::enqueue;
using simulated::lowered;

void check(const plan& p, const operands& data, std::span<const std::byte> workspace) {
  const auto item = static_cast<std::uintptr_t>(item_bytes(p.what.input));
  const auto aligned = [&](const void* at) { return reinterpret_cast<std::uintptr_t>(at) % item == 0; };
  if (!aligned(data.x) || (takes_two_arrays(p.what.op) && !aligned(data.y))) throw shape_error("misaligned elements");
  if (static_cast<std::int64_t>(workspace.size()) < p.workspace_bytes()) throw shape_error("too small a workspace");
}

template <class Op>
auto gathered(const batches& form, const Op& op, const operands& data, std::int64_t batch, std::int64_t first_index) {
  typename Op::accumulator sum = op.identity();
  for (std::int64_t i = 0; i < form.length; ++i) add(op, sum, data, form.offset_of(batch, i), first_index + i);
  return sum;
}

}  // namespace

engine_traits device_traits(int) { return h200_traits(); }
std::vector<device_info> devices(std::string&) { return {{"simulated", 1, 9, 0, simulated::device_bytes, 0, 0}}; }
bool has_kernels(std::string& reason) {
  if (simulated::lacks_kernels) reason = "the simulated GPU has no kernels";
  return !simulated::lacks_kernels;
}

void reduce_async(const plan& p, const operands& data, void* results, std::span<std::byte> workspace,
                  cudaStream_t stream) {
  check(p, data, workspace);
  enqueue(stream, [=] {
    std::uint32_t worst = 0;
    visit_fold(p.what, [&](auto op) {
      for (std::int64_t batch = 0; batch < p.form.results(); ++batch) {
        worst = std::max(worst, lowered(p.what, op, gathered(p.form, op, data, batch, 0), p.form.length, results,
                                        p.form.result_of(batch)));
      }
    });
    std::memset(workspace.data(), 0xab, workspace.size());
    std::memcpy(workspace.data(), &worst, sizeof worst);
  });
}

void accumulate_async(const plan& p, const operands& data, const chunk_target& target, std::span<std::byte> workspace,
                      cudaStream_t stream) {
  check(p, data, workspace);
  enqueue(stream, [=] {
    visit_fold(p.what, [&](auto op) {
      auto* const into = static_cast<typename decltype(op)::accumulator*>(target.accumulators) + target.first_result;
      for (std::int64_t batch = 0; batch < p.form.results(); ++batch) {
        auto& sum = into[p.form.result_of(batch)];
        sum = op.combine(sum, gathered(p.form, op, data, batch, target.first_index));
      }
    });
    std::memset(workspace.data(), 0xab, workspace.size());
  });
}

void fill_identity_async(const reduction& what, void* accumulators, std::int64_t count, cudaStream_t stream) {
  enqueue(stream, [=] {
    visit_fold(what, [&](auto op) {
      using accumulator = typename decltype(op)::accumulator;
      for (std::int64_t i = 0; i < count; ++i)
        new (static_cast<accumulator*>(accumulators) + i) accumulator(op.identity());
    });
  });
}

void lower_async(const reduction& what, const void* accumulators, std::int64_t count, std::int64_t length,
                 void* results, std::uint32_t* status_word, cudaStream_t stream) {
  enqueue(stream, [=] {
    visit_fold(what, [&](auto op) {
      const auto* const sums = static_cast<const typename decltype(op)::accumulator*>(accumulators);
      for (std::int64_t i = 0; i < count; ++i) {
        *status_word = std::max(*status_word, lowered(what, op, sums[i], length, results, i));
      }
    });
  });
}

void detail::note_status(std::initializer_list<noted_word> words, std::uint32_t* to, cudaStream_t stream) {
  enqueue(stream, [all = std::vector<detail::noted_word>(words), to] {
    std::uint32_t worst = 0;
    for (const detail::noted_word& word : all) {
      if (*word.at != 0) worst = std::max(worst, word.if_set == status::ok ? *word.at : std::uint32_t(word.if_set));
    }
    *to = worst;
  });
}

status status_of(std::span<const std::byte> workspace, cudaStream_t stream) {
  cudaStreamSynchronize(stream);
  return static_cast<status>(element<std::uint32_t>(workspace.data(), 0));
}

}  // namespace multifold::inline v0_1::cuda
