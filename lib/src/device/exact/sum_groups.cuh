// Batches that were lost are added again, by groups of lanes with limbs of their own, which hold everything; each
// batch is rounded by one of its lanes. Where nothing was lost, the launch looks through the bits and ends. See
// docs/exact-sums.md, 13.
#pragma once

#include <cstdint>

#include "device/exact/enqueue.cuh"
#include "device/exact/lanes/lane_groups.cuh"
#include "device/exact/lanes/lane_sum.cuh"
#include "device/exact/output.cuh"
#include "device/segments/again.cuh"
#include "device/segments/arguments.cuh"

namespace multifold::inline v0_1::cuda::exact {

inline constexpr int sum_group_threads = 256;
/// The occupancy that registers allow, in blocks of so many threads: f64 has shared memory for fewer, others see
/// plan/layouts/exact.cpp.
template <floating_storage T>
inline constexpr int sum_group_blocks = sizeof(T) == 8 ? 2 : 3;

/// Elements that T carries.
template <floating_storage T>
struct sum_group_arguments : grouped_batches<T> {
  using lane = lane_sum<exact_traits<T>>;
  built_in_output to;
  nan_policy nan;
  std::int64_t* words;  // of batches in parts: words<T>::count each, zero before the pass, as their counters are
  unsigned* arrivals;

  /// The parts of the batches of a warp meet in words: whether all of them have, in the lanes that then have the sum.
  __device__ bool meet(lane& mine, std::int64_t& omitted, std::int64_t batch, bool has_sum) const {
    using at = words_of;
    bool complete = false;
    for (unsigned left = __ballot_sync(kernels::whole_warp, has_sum); left != 0; left &= left - 1) {
      const int leader = __ffs(static_cast<int>(left)) - 1;
      const std::int64_t of_leader = __shfl_sync(kernels::whole_warp, batch, leader);
      std::int64_t* const into = words + of_leader * at::count;
      mine.share(leader, into);
      const bool here = static_cast<int>(threadIdx.x) % 32 == leader;
      if (here) add_word(into + at::nan, omitted);
      if (!last_warp_to_arrive(arrivals + of_leader, this->shape.parts)) continue;
      mine.take(leader, into);
      __syncwarp();
      if (!here) continue;
      complete = true;
      if (nan != nan_policy::omit) continue;
      // What is omitted is counted where NaN would be marked.
      omitted = __ldcg(reinterpret_cast<const long long*>(into) + at::nan);
      mine.marks &= ~1u;
    }
    return complete;
  }

  // By value, as all that goes out of line.
  __device__ __noinline__ void deliver(std::int64_t batch, lane sum, std::int64_t omitted) const {
    const std::int64_t count = this->length_of(batch) - omitted;
    const std::int64_t place = this->place_of(batch);
    if (!to.merge && !to.initial.given) return output_as<T>().deliver_total(place, sum.total(count), count);
    if constexpr (std::is_same_v<T, float>) {
      if (this->element == dtype::bf16) return output_as<bf16>().deliver(place, whole_sum<bf16>(sum, count));
    }
    output_as<T>().deliver(place, whole_sum<T>(sum, count));
  }

 private:
  using words_of = exact::words<T>;
  template <floating_storage S>
  __device__ exact_output<S> output_as() const {
    return {to, {}};
  }
};

template <floating_storage T>
__global__ void __launch_bounds__(sum_group_threads, sum_group_blocks<T>)
    sum_groups(const __grid_constant__ sum_group_arguments<T> args) {
  constexpr int limbs_of_warp = 32 * (exact_traits<T>::limb_count + multifold::detail::spare_lane_limbs);
  extern __shared__ std::int64_t limbs_of_block[];
  std::int64_t* const limbs = limbs_of_block + threadIdx.x / 32 * limbs_of_warp;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  bool cleared = false;
  for_each_share(args, [&](std::int64_t batch, std::int64_t part, bool wanted) {
    for (int i = lane; !cleared && i < limbs_of_warp; i += 32) limbs[i] = 0;
    cleared = true;
    __syncwarp();
    typename sum_group_arguments<T>::lane mine{{limbs + lane}};
    std::int64_t omitted = 0;
    if (wanted) {
      read_share<false>(args, batch, part, lane % args.group, [&](T x, T, std::int64_t) {
        const multifold::detail::unpacked u = multifold::detail::unpack(x);
        if (u.nan && args.nan == nan_policy::omit) ++omitted;
        else mine.add(u);
      });
    }
    __syncwarp();
    mine.merge(args.group);
    omitted = sum_over_group(omitted, args.group);
    __syncwarp();
    bool complete = wanted && lane % args.group == 0;
    if (args.shape.parts > 1) complete = args.meet(mine, omitted, batch, complete);
    if (complete) args.deliver(batch, mine, omitted);
    __syncwarp();
    mine.clear();
    __syncwarp();
  });
}

template <floating_storage Carrier>
void enqueue_again(const plan& p, const built_in_output& to, const void* data, const lost_batches& lost,
                   bound_recipe& steps) {
  const pass& at = *p.again;
  sum_group_arguments<Carrier> args{};
  args.x = args.y = static_cast<const std::byte*>(data);
  args.element = p.what.input;
  args.group = at.group;
  args.runs = cuda::detail::runs_of(p.form);
  args.shape = {at.batches, to.count, at.parts, 0};
  args.only = lost.bits;
  args.to = to;
  args.nan = p.what.nan;
  args.words = lost.words;
  args.arrivals = lost.arrivals;
  constexpr int limbs = exact_traits<Carrier>::limb_count + multifold::detail::spare_lane_limbs;
  steps.launch(step_kind::sum_groups, sum_groups<Carrier>, std::int64_t{at.threads} * limbs * 8, args);
}

}  // namespace multifold::inline v0_1::cuda::exact

namespace multifold::inline v0_1::cuda::segments {

template <floating_storage Carrier>
void enqueue_lost_sums(const segment_call& c) {
  exact::sum_group_arguments<Carrier> args{};
  read_again(args, c);
  args.to = output_of(c);
  args.nan = c.what.nan;
  args.words = c.words;
  args.arrivals = c.arrivals;
  constexpr int limbs = exact_traits<Carrier>::limb_count + multifold::detail::spare_lane_limbs;
  const auto run = [&] {
    launch_kernel(c.queue, exact::sum_groups<Carrier>, static_cast<unsigned>(c.again.blocks),
                  static_cast<unsigned>(c.again.threads), static_cast<unsigned>(c.again.threads * limbs * 8), args);
  };
  run();
  if (c.long_ones.room == 0) return;
  read_what_was_put_off(args);
  args.words = c.long_ones.words;
  args.arrivals = c.long_ones.arrivals;
  run();
}

}  // namespace multifold::inline v0_1::cuda::segments

#define MULTIFOLD_SUM_GROUPS(CARRIER)                                                       \
  template void multifold::cuda::exact::enqueue_again<CARRIER>(                             \
      const multifold::plan&, const multifold::cuda::detail::built_in_output&, const void*, \
      const multifold::cuda::exact::lost_batches&, multifold::cuda::bound_recipe&);         \
  template void multifold::cuda::segments::enqueue_lost_sums<CARRIER>(const multifold::cuda::segments::segment_call&);
